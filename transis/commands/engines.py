"""`transis engines`: what each engine and service promises (CS91-13, figure 3)."""

from dataclasses import asdict, dataclass

from rich.table import Table

from transis.commands.output import AsJson, print_json
from transis.show import console


@dataclass(frozen=True, slots=True)
class Promise:
    engine: str
    agreed: str  # the rule of agreed order, chosen per domain
    service: str
    order: str
    index: str  # of synchrony: members known to follow the message at delivery, at best
    across_partitions: str


_BASIC = ("basic", "none: on arrival", "1", "nothing")
_CAUSAL = ("causal", "after everything it follows", "1", "causal order")
_GLOBAL = "one order, also between components"
_WITHIN = "one order within a component only"

PROMISES = tuple(
    Promise("lansis", agreed, *promise)
    for agreed, majority, across in (("allack", "1", _GLOBAL), ("toto", "⌊n/2⌋+1", _WITHIN))
    for promise in (
        _BASIC,
        _CAUSAL,
        ("agreed", "causal, and the same at all members", majority, across),
        ("safe", "as agreed, and only when all members have it", "n", across),
    )
)


def engines(as_json: AsJson = False) -> None:
    """What each engine and service promises, and after how many acknowledgements at best."""
    if as_json:
        print_json({"engines": [asdict(promise) for promise in PROMISES]})
        return
    table = Table(
        "engine", "agreed by", "service", "order", "index at best", "after a partition",
        box=None, pad_edge=False,
    )  # fmt: skip
    for promise in PROMISES:
        table.add_row(*asdict(promise).values())
    screen = console()
    screen.print(table)
    screen.print()
    screen.print(
        "All services deliver a message once, intact, and to its own sender too. The index of "
        "synchrony is how many members are known to follow a message when it is delivered: every "
        "delivery in a trace records it, and `transis run` sums it up. Why all this holds: "
        "docs/protocols/ordering.md."
    )

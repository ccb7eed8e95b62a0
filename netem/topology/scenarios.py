"""Resolving the scenarios: schedules of faults.

Each kind of fault has a form: the key that names it, the keys that go with it, and the function
that makes events of them. To add a kind, add a form to `_FORMS`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from netem.faults.events import Fault, Impair, Kill, Pause, SlowReceiver
from netem.faults.impairment import Impairment
from netem.quantities import MAX_QUANTITY, parse_duration
from netem.topology.errors import Report, Wrong, one_of, quoted
from netem.topology.fields import Fields, as_map, bounded, described, name, scalar
from netem.topology.impairments import IMPAIRMENT_KEYS, apply_changes, read_changes
from netem.topology.nodes import KnownNodes
from netem.topology.raw import RawList, RawMap, RawValue
from netem.topology.resolved import PairImpairment

_ENTRY_EXPECTED = "a mapping, such as {at: 1s, kill: a}"
_TIME = scalar(parse_duration, "a time since the start, such as 200ms")
_SPAN = bounded(parse_duration, 1, MAX_QUANTITY, "a duration above 0, such as 300ms")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """What faults act upon."""

    nodes: KnownNodes
    impairment: Impairment | None  # None: could not be read
    pairs: tuple[PairImpairment, ...]


def resolve_scenarios(
    report: Report, raw: RawValue, ground: Ground
) -> dict[str, tuple[Fault, ...]]:
    scenarios = as_map(report, raw, "scenarios", "a mapping of names to lists of faults")
    if scenarios is None:
        return {}
    resolved: dict[str, tuple[Fault, ...]] = {}
    for key, value in scenarios.entries:
        try:
            name(key)
        except Wrong as error:
            report.add(key.line, f"the name of a scenario: {error.problem}", error.expected)
        where = f"scenario {quoted(key.text)}"
        if not isinstance(value, RawList):
            report.add(key.line, f"{where} is {described(value)}", "a list of faults")
            continue
        faults: list[Fault] = []
        for item in value.items:
            entry = as_map(report, item, f"a fault of {where}", _ENTRY_EXPECTED)
            if entry is not None:
                faults += _resolve_fault(report, entry, where, ground)
        # The sort is stable: of faults at the same time, the first in the file comes first.
        resolved[key.text] = tuple(sorted(faults, key=lambda fault: fault.at_ns))
    return resolved


def _resolve_fault(report: Report, entry: RawMap, where: str, ground: Ground) -> list[Fault]:
    given = [key.text for key, _ in entry.entries]
    kinds = [kind for kind in given if kind in _FORMS]
    if len(kinds) > 1:
        message = f"a fault of {where} is both {kinds[0]} and {kinds[1]}"
        report.add(entry.line, message, "an entry for each")
        return []
    if not kinds:
        return _report_unnamed(report, entry, where)
    keys, make = _FORMS[kinds[0]]
    fields = Fields(report, entry, f"{kinds[0]} of {where}", ("at", kinds[0], *keys))
    at_ns = fields.required("at", _TIME, "TIME since the start")
    return make(fields, ground, at_ns)


def _report_unnamed(report: Report, entry: RawMap, where: str) -> list[Fault]:
    """No known kind: most likely a misspelled one, then that key is the only mistake."""
    other_keys = {"at", *(key for keys, _ in _FORMS.values() for key in keys)}
    unknown = [key for key, _ in entry.entries if key.text not in other_keys]
    if unknown:
        message = f"unknown fault {quoted(unknown[0].text)} in {where}"
        report.add(unknown[0].line, message, one_of(_FORMS, unknown[0].text))
    else:
        report.add(entry.line, f"an entry of {where} names no fault", one_of(_FORMS))
    return []


def _kill(fields: Fields, ground: Ground, at_ns: int | None) -> list[Fault]:
    node = fields.optional("kill", ground.nodes.read, None)
    if at_ns is None or node is None:
        return []
    return [Kill(at_ns=at_ns, node=node)]


def _pause(fields: Fields, ground: Ground, at_ns: int | None) -> list[Fault]:
    node = fields.optional("pause", ground.nodes.read, None)
    for_ns = fields.required("for", _SPAN, "DURATION")
    if at_ns is None or node is None or for_ns is None:
        return []
    return [Pause(at_ns=at_ns, node=node, for_ns=for_ns)]


def _slow(fields: Fields, ground: Ground, at_ns: int | None) -> list[Fault]:
    node = fields.optional("slow", ground.nodes.read, None)
    per_frame_ns = fields.required("per-frame", _SPAN, "DURATION")
    for_ns = fields.required("for", _SPAN, "DURATION")
    if at_ns is None or node is None or per_frame_ns is None or for_ns is None:
        return []
    return [SlowReceiver(at_ns=at_ns, node=node, per_frame_ns=per_frame_ns, for_ns=for_ns)]


def _impair(fields: Fields, ground: Ground, at_ns: int | None) -> list[Fault]:
    """Fields that are not mentioned stay as they are on each pair concerned.

    So a pair with an impairment of its own gets an event of its own, after the general one.
    """
    source = fields.optional("from", ground.nodes.read, None)
    target = fields.optional("to", ground.nodes.read, None)
    for_ns = fields.optional("for", _SPAN, None)
    if source is not None and source == target:
        fields.report.add(fields.line, f"impair from {quoted(source)} to itself", "two nodes")
        return []
    raw = fields.raw("impair")
    if not isinstance(raw, RawMap):
        what = "empty" if raw is None else described(raw)
        message = f"impair: this is {what}"
        fields.report.add(fields.line_of("impair"), message, "a mapping, such as {loss: 30%}")
        return []
    given = Fields(fields.report, raw, fields.where, IMPAIRMENT_KEYS)
    if not raw.entries:
        some = f"some of {', '.join(IMPAIRMENT_KEYS)}"
        fields.report.add(given.line, "impair changes nothing", some)
    changes = read_changes(given)
    if changes is None or ground.impairment is None:
        return []

    exact = source is not None and target is not None
    concerned = [
        pair
        for pair in ground.pairs
        if source in (None, pair.source) and target in (None, pair.target)
    ]
    bases: list[tuple[str | None, str | None, Impairment]] = []
    if not (exact and concerned):
        bases.append((source, target, ground.impairment))
    bases += [(pair.source, pair.target, pair.impairment) for pair in concerned]
    faults: list[Fault] = []
    for pair_source, pair_target, base in bases:
        impairment = apply_changes(given, base, changes)
        if impairment is None:
            return []  # reported once, not once per pair
        if at_ns is not None:
            event = Impair(
                at_ns=at_ns,
                impairment=impairment,
                for_ns=for_ns,
                source=pair_source,
                target=pair_target,
            )
            faults.append(event)
    return faults


_Make = Callable[[Fields, Ground, int | None], list[Fault]]
_FORMS: dict[str, tuple[tuple[str, ...], _Make]] = {
    "kill": ((), _kill),
    "pause": (("for",), _pause),
    "slow": (("per-frame", "for"), _slow),
    "impair": (("from", "to", "for"), _impair),
}

"""Files without mistakes: what is made of every key, and of what is left out."""

from pathlib import Path

import pytest

from netem.faults import PERFECT, Impair, Impairment, Kill, Pause, SlowReceiver
from netem.topology import Lan, PairImpairment, Topology, load
from netem.workload import Flow

MS = 1_000_000
TOPOLOGIES = Path(__file__).parents[3] / "topologies"

EVERYTHING = """
name: everything
description: "every key there is"
lans:
  lab:
    nodes: [a, b, c]
    agreed: toto
    datagram: 1KiB
    window: 7
    packing: off
    impairments: {loss: 1%, delay: 2ms, jitter: 1ms, duplicate: 2%, reorder: 3%, corrupt: 4%,
                  rate: 10mbit, queue: 50}
    pairs:
      - {from: a, to: b, loss: 30%, queue: 9}
      - {from: c, to: a, delay: 5ms}
workload:
  - {from: [c, a], service: safe, size: 1KiB, count: 50, every: 5ms, batch: 2, start: 1s}
scenarios:
  trouble:
    - {at: 2s, kill: c}
    - {at: 200ms, pause: a, for: 300ms}
    - {at: 600ms, slow: b, per-frame: 1ms, for: 500ms}
  calm: []
"""
OF_LAN = Impairment(
    loss=0.01, delay_ns=2 * MS, jitter_ns=MS, duplicate=0.02, reorder=0.03, corrupt=0.04,
    rate_bps=10_000_000, queue_frames=50,
)  # fmt: skip
FROM_A_TO_B = Impairment(
    loss=0.3, delay_ns=2 * MS, jitter_ns=MS, duplicate=0.02, reorder=0.03, corrupt=0.04,
    rate_bps=10_000_000, queue_frames=9,
)  # fmt: skip
FROM_C_TO_A = Impairment(
    loss=0.01, delay_ns=5 * MS, jitter_ns=MS, duplicate=0.02, reorder=0.03, corrupt=0.04,
    rate_bps=10_000_000, queue_frames=50,
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "topology.yaml"


def loaded(path: Path, text: str) -> Topology:
    path.write_text(text, encoding="utf-8")
    return load(path)


def with_lan(path: Path, lan: str, rest: str = "") -> Topology:
    return loaded(path, f"name: t\nlans:\n  lab: {lan}\n{rest}")


def impaired(path: Path, fault: str, impairments: str = "{loss: 1%, delay: 3ms}") -> list[Impair]:
    """The events of one fault, in a LAN with a pair of its own from a to b."""
    lan = (
        f"{{nodes: [a, b, c], impairments: {impairments}, pairs: [{{from: a, to: b, loss: 50%}}]}}"
    )
    topology = with_lan(path, lan, f"scenarios:\n  s:\n    - {fault}\n")
    events = [fault for fault in topology.scenarios["s"] if isinstance(fault, Impair)]
    assert len(events) == len(topology.scenarios["s"])
    return events


def test_every_key(path: Path) -> None:
    fields = {"service": "safe", "size": 1024, "count": 50, "batch": 2}
    times = {"start_ns": 1000 * MS, "interval_ns": 5 * MS}
    assert loaded(path, EVERYTHING) == Topology(
        name="everything",
        description="every key there is",
        lans=(
            Lan(
                name="lab",
                nodes=("a", "b", "c"),
                agreed="toto",
                datagram_bytes=1024,
                window_frames=7,
                packing=False,
                impairment=OF_LAN,
                pairs=(
                    PairImpairment(source="a", target="b", impairment=FROM_A_TO_B),
                    PairImpairment(source="c", target="a", impairment=FROM_C_TO_A),
                ),
            ),
        ),
        workload=tuple(Flow(node=node, **fields, **times) for node in ("c", "a")),  # type: ignore[arg-type]
        scenarios={
            "trouble": (
                Pause(at_ns=200 * MS, node="a", for_ns=300 * MS),
                SlowReceiver(at_ns=600 * MS, node="b", per_frame_ns=MS, for_ns=500 * MS),
                Kill(at_ns=2000 * MS, node="c"),
            ),
            "calm": (),
        },
    )


def test_every_default(path: Path) -> None:
    topology = with_lan(path, "{nodes: [a]}", "workload: [{service: basic, count: 3}]")
    assert topology.description == ""
    assert topology.scenarios == {}
    assert topology.lans == (
        Lan(
            name="lab",
            nodes=("a",),
            agreed="allack",
            datagram_bytes=1472,
            window_frames=64,
            packing=True,
            impairment=PERFECT,
            pairs=(),
        ),
    )
    assert topology.workload == (
        Flow(
            node="a", service="basic", size=64, count=3, start_ns=0, interval_ns=MS, batch=1
        ),
    )  # fmt: skip


def test_without_a_workload_nothing_is_sent(path: Path) -> None:
    assert with_lan(path, "{nodes: 2}").workload == ()


def test_a_number_of_nodes(path: Path) -> None:
    topology = with_lan(path, "{nodes: 11}")
    assert topology.nodes[:2] + topology.nodes[9:] == ("n1", "n2", "n10", "n11")


@pytest.mark.parametrize(
    ("senders", "expected"),
    [("all", "abc"), ("b", "b"), ("[c, b]", "cb")],
)
def test_who_sends(path: Path, senders: str, expected: str) -> None:
    entry = f"{{from: {senders}, service: causal, count: 1}}"
    topology = with_lan(path, "{nodes: [a, b, c]}", f"workload: [{entry}]")
    assert [flow.node for flow in topology.workload] == list(expected)


def test_entries_of_a_workload_follow_each_other(path: Path) -> None:
    workload = "workload: [{service: safe, count: 1}, {from: b, service: basic, count: 2}]"
    topology = with_lan(path, "{nodes: [a, b]}", workload)
    found = [(flow.node, flow.service) for flow in topology.workload]
    assert found == [("a", "safe"), ("b", "safe"), ("b", "basic")]


@pytest.mark.parametrize(
    ("word", "packing"),
    [("on", True), ("off", False), ("'on'", True), ("true", True), ("No", False)],
)
def test_packing_is_on_or_off(path: Path, word: str, packing: bool) -> None:
    assert with_lan(path, f"{{nodes: 2, packing: {word}}}").lans[0].packing is packing


def test_names_that_need_quotes(path: Path) -> None:
    assert with_lan(path, '{nodes: ["no", "on", "null"]}').nodes == ("no", "on", "null")


def test_a_pair_inherits_what_it_does_not_mention(path: Path) -> None:
    lan = loaded(path, EVERYTHING).lans[0]
    assert lan.impairment_of("a", "b") == FROM_A_TO_B
    assert lan.impairment_of("c", "a") == FROM_C_TO_A
    assert lan.impairment_of("b", "a") == lan.impairment_of("a", "c") == OF_LAN


def test_aliases_share_what_they_name(path: Path) -> None:
    text = "{nodes: [a, b], impairments: &bad {loss: 9%}}"
    scenarios = "scenarios: {s: [{at: 0, impair: *bad}]}"
    (event,) = with_lan(path, text, scenarios).scenarios["s"]
    assert isinstance(event, Impair)
    assert event.impairment == Impairment(loss=0.09)


def test_impair_keeps_what_lan_and_pair_have(path: Path) -> None:
    assert impaired(path, "{at: 1ms, impair: {delay: 9ms}, for: 2ms}") == [
        Impair(at_ns=MS, for_ns=2 * MS, impairment=Impairment(loss=0.01, delay_ns=9 * MS)),
        Impair(
            at_ns=MS,
            for_ns=2 * MS,
            source="a",
            target="b",
            impairment=Impairment(loss=0.5, delay_ns=9 * MS),
        ),
    ]


@pytest.mark.parametrize(
    ("ends", "found"),
    [
        ("from: a", [("a", None, 0.01), ("a", "b", 0.5)]),
        ("to: b", [(None, "b", 0.01), ("a", "b", 0.5)]),
        ("from: a, to: b", [("a", "b", 0.5)]),
        ("from: b", [("b", None, 0.01)]),
        ("from: b, to: a", [("b", "a", 0.01)]),
    ],
)
def test_impair_concerns_the_pairs_it_names(
    path: Path, ends: str, found: list[tuple[str | None, str | None, float]]
) -> None:
    events = impaired(path, f"{{at: 0, impair: {{corrupt: 1%}}, {ends}}}")
    assert [(each.source, each.target, each.impairment.loss) for each in events] == found
    assert {each.impairment.corrupt for each in events} == {0.01}
    assert {each.for_ns for each in events} == {None}


def test_faults_at_one_time_stay_in_the_order_of_the_file(path: Path) -> None:
    faults = "[{at: 1s, kill: b}, {at: 0, kill: c}, {at: 1s, kill: a}]"
    topology = with_lan(path, "{nodes: [a, b, c]}", f"scenarios: {{s: {faults}}}")
    assert [fault.nodes for fault in topology.scenarios["s"]] == [("c",), ("b",), ("a",)]


@pytest.mark.parametrize("path", sorted(TOPOLOGIES.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_examples_load(path: Path) -> None:
    topology = load(path)
    assert topology.name == path.stem
    assert topology.description
    assert {flow.node for flow in topology.workload} == set(topology.nodes)


def test_the_examples_are_those_of_the_documentation() -> None:
    page = (TOPOLOGIES.parent / "docs" / "topologies.md").read_text(encoding="utf-8")
    for path in TOPOLOGIES.glob("*.yaml"):
        assert f"| `{path.name}` |" in page
        for scenario in load(path).scenarios:
            assert f"`{scenario}`" in page


def test_the_example_of_the_documentation_loads(path: Path) -> None:
    page = (TOPOLOGIES.parent / "docs" / "topologies.md").read_text(encoding="utf-8")
    topology = loaded(path, page.partition("```yaml\n")[2].partition("```")[0])
    assert len(topology.workload) == 7
    # The impairment of the pair is exact, so one event each.
    assert [type(fault) for fault in topology.scenarios["trouble"]] == [
        Pause,
        SlowReceiver,
        Impair,
        Kill,
    ]

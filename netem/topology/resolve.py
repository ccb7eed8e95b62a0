"""From the raw to the resolved topology: the checks, each mistake reported where it stands."""

from netem.topology.errors import Report
from netem.topology.fields import Fields, as_map, name, plain_text
from netem.topology.lans import LanSoFar, resolve_lans
from netem.topology.nodes import KnownNodes
from netem.topology.raw import RawValue
from netem.topology.resolved import Topology
from netem.topology.scenarios import Ground, resolve_scenarios
from netem.topology.workloads import resolve_workload

_KEYS = ("name", "description", "lans", "workload", "scenarios")


def resolve(raw: RawValue, report: Report) -> Topology | None:
    """The topology, or None when the report says why there is none."""
    root = as_map(report, raw, "the file", "a mapping with name, lans, workload, scenarios")
    if root is None:
        return None
    fields = Fields(report, root, "the topology", _KEYS)
    topology_name = fields.required("name", name, "NAME")
    description = fields.optional("description", plain_text, "")

    raw_lans = fields.raw("lans")
    if raw_lans is None:
        report.add(fields.line, "the topology has no 'lans'", "lans: {lab: {nodes: 5}}")
    lans = [] if raw_lans is None else resolve_lans(report, raw_lans)
    ground = _ground(lans)

    raw_workload, raw_scenarios = fields.raw("workload"), fields.raw("scenarios")
    workload = () if raw_workload is None else resolve_workload(report, raw_workload, ground.nodes)
    scenarios = {} if raw_scenarios is None else resolve_scenarios(report, raw_scenarios, ground)
    if report.count:
        return None
    assert topology_name is not None
    return Topology(
        name=topology_name,
        description=description,
        lans=tuple(lan.lan for lan in lans if lan.lan is not None),
        workload=workload,
        scenarios=scenarios,
    )


def _ground(lans: list[LanSoFar]) -> Ground:
    return Ground(
        nodes=KnownNodes(
            names=tuple(node for lan in lans for node in lan.nodes.names),
            excused=frozenset().union(*(lan.nodes.excused for lan in lans)),
            complete=bool(lans) and all(lan.nodes.complete for lan in lans),
        ),
        # With several LANs there is a mistake in any case; with one, it is the one.
        impairment=lans[0].impairment if len(lans) == 1 else None,
        pairs=lans[0].pairs if len(lans) == 1 else (),
    )

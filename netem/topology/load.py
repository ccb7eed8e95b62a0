"""Loading a topology file: raw, then resolved."""

from pathlib import Path

from netem.topology.errors import Report
from netem.topology.raw import read
from netem.topology.resolve import resolve
from netem.topology.resolved import Topology


def load(path: Path) -> Topology:
    """The topology in a file; `TopologyErrors` with all the mistakes in it otherwise."""
    report = Report(str(path))
    raw = read(path, report)
    topology = None if raw is None else resolve(raw, report)
    if topology is None:
        raise report.errors()
    return topology

"""Topology files: LANs, nodes, impairments, workload and scenarios."""

from netem.topology.errors import Mistake, TopologyErrors
from netem.topology.load import load
from netem.topology.resolved import Lan, PairImpairment, Topology

__all__ = ["Lan", "Mistake", "PairImpairment", "Topology", "TopologyErrors", "load"]

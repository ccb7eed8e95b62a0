"""Faults as values: impairments of the network and events in the life of a run."""

from netem.faults.events import Fault, Impair, Kill, Pause, SlowReceiver, fault_from_dict
from netem.faults.impairment import PERFECT, Impairment

__all__ = [
    "PERFECT",
    "Fault",
    "Impair",
    "Impairment",
    "Kill",
    "Pause",
    "SlowReceiver",
    "fault_from_dict",
]

"""Who is who (PROTOCOLS notes, section 1: identity).

A processor is a number given by the topology, in its i-th incarnation: the incarnation is raised
on stable storage at every start, so that no identifier is ever used twice.
"""

from typing import NamedTuple

MAX_PROCESSOR = 0xFFFF
MAX_INCARNATION = 0xFFFF_FFFF
MAX_COUNTER = 0xFFFF_FFFF_FFFF  # 48 bits: centuries at a million frames per second


class Processor(NamedTuple):
    """One life of one processor."""

    number: int
    incarnation: int

    def __str__(self) -> str:
        return f"{self.number}.{self.incarnation}"

"""One direction between two nodes: what happens to each datagram (the meaning of `tc netem`).

A datagram is first subject to loss and duplication, then waits its turn for the rate, then for the
delay. A reordered one overtakes all that wait for either. Each link draws from a stream of its own,
so that what happens on one link does not depend on the traffic of another.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from random import Random

from netem.faults import Impairment

BITS = 8
SECOND = 1_000_000_000


class Link:
    def __init__(self, impairment: Impairment, randomness: Random) -> None:
        self.impairment = impairment
        self._randomness = randomness
        self._free_at_ns = 0  # when the last datagram is through at the link's rate
        self._under_way: list[int] = []  # a heap of arrival times

    def carry(self, datagram: bytes, now_ns: int) -> Iterator[tuple[int, bytes]]:
        """When it arrives, and as what; nothing if it is lost, twice if it is duplicated."""
        impairment, chance = self.impairment, self._randomness.random
        if not impairment.loss or chance() >= impairment.loss:
            yield from self._forward(datagram, now_ns)
        if impairment.duplicate and chance() < impairment.duplicate:
            yield from self._forward(datagram, now_ns)

    def _forward(self, datagram: bytes, now_ns: int) -> Iterator[tuple[int, bytes]]:
        impairment, chance = self.impairment, self._randomness.random
        under_way = self._under_way
        while under_way and under_way[0] <= now_ns:
            heappop(under_way)
        if len(under_way) >= impairment.queue_frames:
            return
        if impairment.corrupt and chance() < impairment.corrupt:
            datagram = _flip(datagram, int(chance() * len(datagram) * BITS))
        if impairment.reorder and chance() < impairment.reorder:
            yield now_ns, datagram
            return
        arrives_ns = now_ns + impairment.delay_ns
        if impairment.rate_bps is not None:
            on_the_wire = len(datagram) * BITS * SECOND // impairment.rate_bps
            self._free_at_ns = max(now_ns, self._free_at_ns) + on_the_wire
            arrives_ns = self._free_at_ns + impairment.delay_ns
        if impairment.jitter_ns:
            arrives_ns += int((2 * chance() - 1) * impairment.jitter_ns)
        if arrives_ns > now_ns:
            heappush(under_way, arrives_ns)
        yield arrives_ns, datagram


def _flip(datagram: bytes, bit: int) -> bytes:
    flipped = bytearray(datagram)
    flipped[bit // BITS] ^= 1 << bit % BITS
    return bytes(flipped)

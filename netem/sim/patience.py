"""How long a run waits for the next delivery before it gives up.

Many times the slowest retry of anything, on the slowest of its links.
"""

from netem.faults import Impair, Impairment
from netem.schedule import Schedule

SECOND = 1_000_000_000
RETRIES_NS = 5 * SECOND  # many times the slowest retry, on a network that is quick
ROUND_TRIPS = 10
SLOWEST_QUEUE_NS = 60 * SECOND  # a longer one is a bottleneck that drops, not one that delays
MOST_TRIES = 50  # with more loss than this stands for, nothing gets through anyway
BITS = 8


def patience(schedule: Schedule) -> int:
    lan = schedule.lan
    impairments = [lan.impairment, *(pair.impairment for pair in lan.pairs)]
    impairments += [fault.impairment for fault in schedule.faults if isinstance(fault, Impair)]
    slowest_ns = max(_slowness(each, lan.datagram_bytes) for each in impairments)
    tries = min(MOST_TRIES, 1 / (1 - min(lan.impairment.loss, 0.99)))
    return int((RETRIES_NS + ROUND_TRIPS * slowest_ns) * tries)


def _slowness(impairment: Impairment, datagram_bytes: int) -> int:
    """How long a frame may take."""
    queue_ns = 0
    if impairment.rate_bps is not None:
        waiting_bits = impairment.queue_frames * datagram_bytes * BITS
        queue_ns = min(SLOWEST_QUEUE_NS, waiting_bits * SECOND // impairment.rate_bps)
    return impairment.delay_ns + impairment.jitter_ns + queue_ns

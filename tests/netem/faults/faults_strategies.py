"""Any impairment and any fault, for property tests."""

from hypothesis import strategies as st

from netem.faults import Fault, Impair, Impairment, Kill, Pause, SlowReceiver

TIMES = st.integers(0, 2**63 - 1)
SPANS = st.integers(1, 2**63 - 1)
SHARES = st.floats(0, 1)
DELAYS = st.tuples(TIMES, TIMES).map(sorted)

IMPAIRMENTS: st.SearchStrategy[Impairment] = DELAYS.flatmap(
    lambda delays: st.builds(
        Impairment,
        loss=SHARES,
        jitter_ns=st.just(delays[0]),
        delay_ns=st.just(delays[1]),
        duplicate=SHARES,
        reorder=SHARES,
        corrupt=SHARES,
        rate_bps=st.none() | SPANS,
        queue_frames=st.integers(1, 1_000_000),
    )
)


def faults_of(*nodes: str) -> st.SearchStrategy[Fault]:
    node = st.sampled_from(nodes)
    pair = st.permutations(nodes)
    return st.one_of(
        st.builds(Kill, at_ns=TIMES, node=node),
        st.builds(Pause, at_ns=TIMES, node=node, for_ns=SPANS),
        st.builds(SlowReceiver, at_ns=TIMES, node=node, per_frame_ns=SPANS, for_ns=SPANS),
        st.builds(
            lambda pair, ends, **fields: Impair(
                source=pair[0] if ends & 1 else None, target=pair[1] if ends & 2 else None, **fields
            ),
            pair,
            st.integers(0, 3),
            at_ns=TIMES,
            for_ns=st.none() | SPANS,
            impairment=IMPAIRMENTS,
        ),
    )

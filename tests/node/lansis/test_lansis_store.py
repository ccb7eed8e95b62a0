"""Retransmission buffers: what is kept, what is counted, what is let go."""

from lansis_samples import A, B, causal, data

from node.lansis.store import Store


def test_a_frame_is_kept_under_its_sender_and_counter() -> None:
    store = Store(2)
    kept = data(A, 3, causal("x"))
    store.add(0, kept)

    assert store.get(0, 3) is kept
    assert store.get(0, 2) is None
    assert store.get(1, 3) is None


def test_frames_are_counted_per_sender_and_together() -> None:
    store = Store(2)
    store.add(0, data(A, 1))
    store.add(0, data(A, 2))
    store.add(1, data(B, 1))

    assert (store.count(0), store.count(1), len(store)) == (2, 1, 3)


def test_what_all_hold_is_let_go_and_nothing_else() -> None:
    store = Store(2)
    for counter in (1, 2, 3):
        store.add(0, data(A, counter))
        store.add(1, data(B, counter))
    store.release(0, range(1, 3))

    assert [store.get(0, counter) is None for counter in (1, 2, 3)] == [True, True, False]
    assert (store.count(0), store.count(1), len(store)) == (1, 3, 4)


def test_letting_go_of_what_was_never_here_counts_nothing() -> None:
    store = Store(2)
    store.add(0, data(A, 2))
    store.release(0, range(1, 3))
    store.release(0, range(1, 3))
    store.release(1, range(1, 9))

    assert (store.count(0), len(store)) == (0, 0)

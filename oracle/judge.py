"""Judges a run: every guarantee in turn, from the trace alone."""

from oracle.checks import (
    bounds,
    causal,
    global_order,
    integrity,
    safe,
    self_delivery,
    termination,
    total_order,
)
from oracle.history import History
from oracle.trace import Run
from oracle.verdict import Verdict

_CHECKS = (
    integrity.check,
    self_delivery.check,
    causal.check,
    total_order.check,
    global_order.check,
    safe.check,
    termination.check,
    bounds.check,
)


def judge(run: Run) -> list[Verdict]:
    """One verdict per guarantee, always in the same order."""
    history = History(run)
    return [check(history) for check in _CHECKS]

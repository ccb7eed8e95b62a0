"""The independent oracle: judges a run from its trace alone (docs/trace.md)."""

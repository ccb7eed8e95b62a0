"""Benchmarks: ratios and rates for people to read, never timed tests."""

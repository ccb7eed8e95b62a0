"""The command line: run, soak, replay, judge, watch."""

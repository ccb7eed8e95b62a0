"""One module per guarantee, each with `check(history) -> Verdict`."""

"""One module per command of `transis`."""

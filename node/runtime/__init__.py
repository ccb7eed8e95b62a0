"""What surrounds an engine: the pump, the trace, and (later) sockets and stable storage."""

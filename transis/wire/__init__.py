"""Looking at the wire from outside: a Scapy layer, captures, and frames in words.

Nothing here is part of a node. Scapy takes a second to import, so this file stays free of it.
"""

DEFAULT_PORT = 7452
"""The UDP port that is taken for ours unless told otherwise."""

"""The simulator backend: virtual time, seeded, carrying bytes between pumps in one process."""

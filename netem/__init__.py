"""The emulated network: topologies, workloads, faults and the backends that run them."""

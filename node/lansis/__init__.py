"""Lansis: reliable, ordered broadcast on one LAN (Transis CS91-13, section 3.3)."""

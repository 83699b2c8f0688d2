"""How long a test waits for what is sure to come."""

PATIENCE = 120.0
"""Seconds. However slow or busy the machine is, only a defect takes longer."""

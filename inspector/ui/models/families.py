"""Kinds of processors, told by the gates of their decisions; each has tabs of its own."""

from __future__ import annotations

from typing import Literal

from inspector.trace.decision import Decision

Family = Literal["compressor", "offloader", "memory", "folder"]


def family(decision: Decision) -> Family:
    """Return what kind of processor made a decision; one of a later version is a compressor."""
    if decision.outcome == "folded":
        return "folder"
    gates = {gate.gate for gate in decision.gates}
    if "size" in gates:
        return "offloader"
    return "memory" if "ratio" in gates else "compressor"

"""How a command says what became of it."""

PROGRAM = "context-inspector"

DONE = 0
"""Done."""

FOUND = 1
"""Done, and something was found: differences, a missed expectation, a missed goal."""

UNUSABLE = 2
"""Wrong usage, or nothing could be read."""

INTERRUPTED = 130
"""Interrupted by the user."""

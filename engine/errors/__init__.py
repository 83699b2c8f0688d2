"""Errors that a user of the engine can meet, with the original's codes.

What went wrong with somebody else's call is told by `model_calls` (of a compressor) and `overflow`
(of the agent itself); the two look for different words, as the original does.
"""

from __future__ import annotations


class ContextError(Exception):
    """The engine was asked for something it cannot do."""

    code = 153001


class ContextMessageError(ContextError):
    """What was to be added to a context is no message."""

    code = 153003

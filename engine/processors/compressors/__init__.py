"""Compressors: they replace a span of messages by a summary that a model writes.

`prefix` has what the three share: trigger, procedure, benefit check. `attempt` is one try, with its
model calls and retries. A new compressor is a file here, imported below so that its name is known.
"""

from engine.processors.compressors.current_round import CurrentRoundCompressor
from engine.processors.compressors.dialogue import DialogueCompressor
from engine.processors.compressors.round_level import RoundLevelCompressor

__all__ = ("CurrentRoundCompressor", "DialogueCompressor", "RoundLevelCompressor")

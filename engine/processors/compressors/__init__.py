"""Compressors: they replace a span of messages by a summary that a model writes or has written.

`prefix` has what `dialogue`, `current_round` and `round_level` share: trigger, procedure, benefit
check. `attempt` is one try, with its model calls and retries, `summary` what is taken from an
answer, `dump` the file that a compression leaves. `session_memory` uses notes that exist already,
`budgeted_summary` is the summary of the minimal loop, `reasoning_tool_loop` folds repetitions
without a model, and `archiving` keeps what was replaced. A new compressor is a file here, imported
below so that its name is known.
"""

from engine.processors.compressors.budgeted_summary import BudgetedSummary
from engine.processors.compressors.current_round import CurrentRoundCompressor
from engine.processors.compressors.dialogue import DialogueCompressor
from engine.processors.compressors.reasoning_tool_loop import ReasoningToolLoopCompactProcessor
from engine.processors.compressors.round_level import RoundLevelCompressor
from engine.processors.compressors.session_memory import SessionMemoryCompressor

__all__ = (
    "BudgetedSummary",
    "CurrentRoundCompressor",
    "DialogueCompressor",
    "ReasoningToolLoopCompactProcessor",
    "RoundLevelCompressor",
    "SessionMemoryCompressor",
)

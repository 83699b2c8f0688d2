"""The span of a compressor after overflows, computed as the engine does (`engine.md` §5.5)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.messages import Message, ToolInfo, UserMessage
from engine.processors.compressors import (
    CurrentRoundCompressor,
    DialogueCompressor,
    RoundLevelCompressor,
)
from engine.processors.compressors.attempt import fitting_prefix
from engine.tokens.counters import LIST_FRAME
from engine.wording import Wording
from inspector.sources.counts import SpanSizes
from inspector.trace.windows.formulas import CURRENT_FORMULAS

_COUNTER = CURRENT_FORMULAS.counter

_KINDS = {
    compressor.processor_type(): compressor.kind
    for compressor in (DialogueCompressor, CurrentRoundCompressor, RoundLevelCompressor)
}


def default_prompt(processor: str) -> str:
    """Return a prompt as long as the compressor's own; "" for another compressor."""
    kind = _KINDS.get(processor)
    return Wording.default().block(kind).prompt if kind else ""


def shrunken_span(
    fixed: Sequence[Message],
    prompt: str,
    tools: Sequence[ToolInfo],
    target: Sequence[Message],
    first: SpanSizes,
    budgets: Sequence[int],
) -> SpanSizes | None:
    """Return the parts of the span after one overflow per budget; None where nothing fits.

    Args:
        fixed: System messages and preserved prefix.
        prompt: The text that asks for the summary.
        tools: The window's tools.
        target: The messages of the first span to compress.
        first: The parts of the first span.
        budgets: Tokens that each call may fill, in the order of the calls.
    """
    needed = _COUNTER.count_messages([*fixed, UserMessage(content=prompt)]) + _COUNTER.count_tools(
        tools
    )
    length = len(target)
    for budget in budgets:
        sizes = [_COUNTER.count_message(message) + LIST_FRAME for message in target[:length]]
        fitting = fitting_prefix(sizes, budget - needed)
        if fitting is None:
            return None
        length = fitting
    return SpanSizes(first.prefix, length, first.tail + len(target) - length)

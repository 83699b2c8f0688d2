"""Summaries by a model: whether anybody is there to write one, and what of an answer it is."""

from __future__ import annotations

import re

from engine.conversation import Conversation
from engine.debug.records import TestedGate
from engine.processors.base import ConfigT, ContextProcessor

_SNAPSHOT = re.compile(r"<state_snapshot>", re.IGNORECASE)
_SNAPSHOT_END = re.compile(r"</state_snapshot>", re.IGNORECASE)


class SummarizingProcessor(ContextProcessor[ConfigT]):
    """A processor that is inert where nobody writes summaries."""

    _told_of_no_model = False

    def is_inert(self, context: Conversation, model: str | None) -> bool:
        """Return whether nobody writes summaries; it is recorded the first time.

        Args:
            context: whose summaries they would be.
            model: the model that the settings name.
        """
        if context.summarizer is not None and model is not None:
            return False
        if not self._told_of_no_model:
            self._told_of_no_model = True
            self.end(context, "declined", "no_model", gates=[TestedGate.of("model", False)])
        return True

    def decline_without_span(self, context: Conversation) -> None:
        """Record that there was nothing to summarise, where no check says so."""
        no_span = TestedGate.of("span", False, 0, 1, "messages")
        self.end(context, "declined", "no_compressible_span", gates=[no_span])


def extracted_summary(raw: str) -> str:
    """Return the text inside the snapshot tag or, without it, the whole answer."""
    raw = raw.strip()
    start = _SNAPSHOT.search(raw)
    end = start and _SNAPSHOT_END.search(raw, start.end())
    inner = raw[start.end() : end.start()].strip() if start and end else ""
    return inner or raw

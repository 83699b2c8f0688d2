"""Writes the records of one context and fills in time and ids."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.clock import Clock
from engine.debug.directories import DebugPlace
from engine.debug.offload_records import OffloadRecord, RuleDump
from engine.debug.records import CompressionDump, DebugRecord
from engine.debug.sinks import DebugSink
from engine.messages import ToolMessage

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class DebugRecorder:
    """The way from a processor to the sink."""

    sink: DebugSink
    place: DebugPlace
    clock: Clock

    def write(
        self, kind: type[DebugRecord], processor: str, setting: str | None, /, **payload: Any
    ) -> None:
        """Write a record of the given kind, stamped now."""
        record = kind(
            timestamp=self.clock.now(),
            processor=processor,
            session_id=self.place.session_id or "unknown_session",
            context_id=self.place.context_id or "unknown_context",
            **payload,
        )
        self.sink.write(record, self.place, setting)

    def offload(
        self,
        kind: type[OffloadRecord],
        message: ToolMessage,
        setting: str | None,
        /,
        **payload: Any,
    ) -> None:
        """Write a record of the offloader about a message."""
        record = kind(
            session_id=self.place.session_id or "unknown_session",
            context_id=self.place.context_id or "unknown_context",
            role=message.role,
            tool_call_id=message.tool_call_id,
            message_metadata=message.metadata,
            **payload,
        )
        self.sink.offload(record, self.place, setting)

    def rule_dump(self, setting: str | None, /, **payload: Any) -> str | None:
        """Write the dump of a rule, stamped now, and return its path; None if there is none.

        The rule's work stands whatever becomes of its dump: an error is logged and forgotten.
        """
        dump = RuleDump(
            timestamp=self.clock.now(),
            session_id=self.place.session_id,
            context_id=self.place.context_id,
            **payload,
        )
        try:
            return self.sink.rule_dump(dump, self.place, setting)
        except (OSError, ValueError) as error:
            _LOG.warning("no dump of a rule's work: %s", error)
            return None

    def dump(
        self, processor: str, setting: str | None, build: Callable[[float], CompressionDump]
    ) -> None:
        """Write a dump; `build` gets the time in epoch seconds.

        The compression stands whatever becomes of its dump: an error is logged and forgotten.
        """
        timestamp = self.clock.now()
        try:
            self.sink.dump(processor, timestamp, lambda: build(timestamp), self.place, setting)
        except Exception as error:
            _LOG.warning("no dump of a compression by %s: %s", processor, error)

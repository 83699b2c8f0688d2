"""Writes the records of one context and fills in time and ids."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.clock import Clock
from engine.debug.directories import DebugPlace
from engine.debug.records import CompressionDump, DebugRecord
from engine.debug.sinks import DebugSink

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

"""Writes the records of one context: fills in time and ids, and finds the file.

Only a bad directory template is an error, which ends the processor's turn as in the original.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from engine.clock import Clock
from engine.debug.directories import (
    DebugFile,
    DebugPlace,
    DebugSetting,
    dump_name,
    dumps_directory,
    offloader_directory,
    records_directory,
    rule_dump_name,
    rule_dumps_directory,
    safe_name,
)
from engine.debug.offload_records import OffloadRecord, RuleDump
from engine.debug.records import CompressionDump, DebugRecord, End, Outcome
from engine.debug.sinks import DebugSink
from engine.messages import ToolMessage
from engine.operation import current_operation

_LOG = logging.getLogger(__name__)

OFFLOADER_LOG = "message_offloader_debug.jsonl"


@dataclass(frozen=True)
class DebugRecorder:
    """The way from a processor to the sink.

    Each method takes the settings that say whether and where; nothing happens where they say no.
    """

    sink: DebugSink
    place: DebugPlace
    clock: Clock

    @cached_property
    def _ids(self) -> dict[str, str]:
        """Whose a record is, as both logs say it."""
        return {
            "session_id": self.place.session_id or "unknown_session",
            "context_id": self.place.context_id or "unknown_context",
        }

    def write(
        self,
        kind: Callable[..., DebugRecord],
        processor: str,
        setting: DebugSetting,
        /,
        **payload: Any,
    ) -> None:
        """Write a record, stamped now.

        Args:
            kind: its class, or what else makes it of common head and payload, if it is wanted.
            processor: who writes it.
            setting: whether and where.
            payload: what it says.

        Raises:
            KeyError: the directory has a placeholder that is unknown.
        """
        if not setting.enabled:
            return
        build = partial(
            kind,
            timestamp=self.clock.now(),
            processor=processor,
            **self._ids,
            **payload,
        )
        directory = records_directory(self.place, setting.directory)
        self.sink.line(build, DebugFile(self.place, directory, f"{safe_name(processor)}.jsonl"))

    def end(
        self,
        processor: str,
        setting: DebugSetting,
        outcome: End,
        reason: str | None = None,
        /,
        **facts: Any,
    ) -> None:
        """Write how a turn ended; the phase is that of the current operation, unless given.

        The original writes no such record, so an error here changes nothing of the turn.
        """
        operation = current_operation()
        phase = operation.phase if operation else "get_context_window"
        payload = {"phase": phase, "outcome": outcome, "reason": reason, **facts}
        try:
            self.write(Outcome, processor, setting, **payload)
        except Exception as error:
            _LOG.debug("the end of a turn of %s is not recorded: %r", processor, error)

    def offload(
        self,
        kind: type[OffloadRecord],
        message: ToolMessage,
        setting: DebugSetting,
        /,
        **payload: Any,
    ) -> None:
        """Write a record of the offloader about a message.

        Raises:
            KeyError: the directory has a placeholder that is unknown.
        """
        if not setting.enabled:
            return
        build = partial(
            kind,
            **self._ids,
            role=message.role,
            tool_call_id=message.tool_call_id,
            message_metadata=message.metadata,
            **payload,
        )
        directory = offloader_directory(self.place, setting.directory)
        self.sink.line(build, DebugFile(self.place, directory, OFFLOADER_LOG))

    def rule_dump(self, setting: DebugSetting, /, **payload: Any) -> str | None:
        """Write the dump of a rule, stamped now, and return its path; None if there is none.

        The rule's work stands whatever becomes of its dump: an error is logged and forgotten.
        """
        if not setting.enabled:
            return None
        dump = RuleDump(
            timestamp=self.clock.now(),
            session_id=self.place.session_id,
            context_id=self.place.context_id,
            **payload,
        )
        name = rule_dump_name(
            dump.rule_compression_pass,
            dump.rule_compression_type,
            dump.tool_call_id,
            dump.timestamp,
        )
        directory = rule_dumps_directory(self.place, setting.directory)
        try:
            return self.sink.rule_dump(dump, DebugFile(self.place, directory, name))
        except (OSError, ValueError) as error:
            _LOG.warning("no dump of a rule's work: %s", error)
            return None

    def dump(
        self, processor: str, setting: DebugSetting, build: Callable[[float], CompressionDump]
    ) -> None:
        """Write a dump; `build` gets the time in epoch seconds.

        The compression stands whatever becomes of its dump: an error is logged and forgotten.
        """
        if not setting.enabled:
            return
        timestamp = self.clock.now()
        name = dump_name(processor, self.place.session_id, timestamp)
        try:
            directory = dumps_directory(self.place, setting.directory)
            file = DebugFile(self.place, directory, name)
            self.sink.dump(lambda: build(timestamp), file)
        except Exception as error:
            _LOG.warning("no dump of a compression by %s: %s", processor, error)

"""What every decision of a replay tells, whichever family of processors it is of."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.debug.records import Outcome as OutcomeRecord
from engine.debug.records import ThresholdCheck
from inspector.trace.decision import Decision, Gate, Method, Outcome, Tokens
from inspector.trace.detail import WindowDiff
from inspector.trace.evidence.outcomes import StatedEnd
from inspector.trace.evidence.raw_records import RawRecord
from inspector.trace.place import Place
from inspector.trace.stated import change_told

Record = Mapping[str, Any]
"""A record as the report holds it."""


@dataclass(frozen=True)
class Surroundings:
    """What a report says of all its decisions."""

    session_id: str
    context_id: str
    method: Method
    """How tokens were counted."""
    min_target: Callable[[str, int, int | None], int | None]
    """Tokens that a span must hold: of a processor, at a step, for a capacity."""


@dataclass
class ToldDecision(ABC):
    """One decision of a replay."""

    step: int
    """1-based window request that it belongs to."""
    processor: str
    time: float
    """Epoch seconds, by the replay's clock."""
    records: list[Record] = field(default_factory=list)
    """Its records, in the order of writing, without the outcome."""
    end: OutcomeRecord | None = None
    """How it ended, where a record of its own says so."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome:
        """How it ended."""

    @property
    def reason(self) -> str | None:
        """Why nothing came of it; None when it worked."""
        return self.end.reason if self.end else None

    @property
    def total(self) -> int | None:
        """Tokens of the whole window."""
        return None

    @property
    def size(self) -> int | None:
        """Tokens of the one tool result that it is about."""
        return None

    @property
    def threshold(self) -> int | None:
        """Tokens that were compared with."""
        return None

    @property
    def saved(self) -> int | None:
        """Tokens that were saved; None where nothing changed."""
        return self.stated.saved if self.stated else None

    @property
    def duration(self) -> float | None:
        """Seconds."""
        return None if self.end is None else self.end.timestamp - self.time

    @property
    def call_id(self) -> str | None:
        """The tool call whose result it is about."""
        return self.end.tool_call_id if self.end else None

    @property
    def phase(self) -> str:
        """When in the engine's work it was made."""
        if self.end is not None:
            return self.end.phase
        return str(self.records[0].get("phase", ""))

    def raw_records(self) -> Iterator[RawRecord]:
        """Yield its records as they would stand in files."""
        end = [] if self.end is None else [self.end.to_json()]
        for position, record in enumerate([*self.records, *end]):
            text = json.dumps(record, ensure_ascii=False, indent=2)
            size = len(text.encode(errors="replace"))
            yield RawRecord("replay", position, size, str(record.get("event")), text)

    @abstractmethod
    def decision(self, surroundings: Surroundings) -> Decision:
        """Return it with its gates."""

    @property
    def stated(self) -> StatedEnd | None:
        """Its end, as what a record states."""
        return None if self.end is None else StatedEnd(-1, self.end, self.step)

    @property
    def change(self) -> WindowDiff | None:
        """The messages that went and those that came in their place, where records hold them."""
        end = self.stated
        if end is None:
            return None
        return change_told(end, end.record.replaced or [], end.record.replacement or [])

    def _gates(self, told: list[Gate]) -> list[Gate]:
        """Return gates with what the outcome states of them."""
        return told if self.stated is None else self.stated.stated_among(told)

    def _place(self, surroundings: Surroundings) -> Place:
        return {
            "session_id": surroundings.session_id,
            "context_id": surroundings.context_id,
            "time": self.time,
            "step": self.step,
            "processor": self.processor,
            "phase": self.phase,
            "duration": self.duration,
            "outcome": self.outcome,
            "reason": self.reason,
            "basis": "recorded",
            "tool_call_id": self.call_id,
        }


@dataclass
class CheckedDecision(ToldDecision):
    """A decision that begins with a check of the window."""

    check: ThresholdCheck | None = None
    """None: nothing was measured."""

    @property
    def is_hit(self) -> bool:
        """The window was full enough, and all else that the check tests."""
        return self.check is not None and self.check.hit

    @property
    def total(self) -> int | None:
        """Tokens of the window."""
        return self.check.total_tokens if self.check else None

    @property
    def threshold(self) -> int | None:
        """Tokens at which it acts."""
        return self.check.threshold if self.check else None

    def _tokens(self, surroundings: Surroundings) -> Tokens:
        check, end = self.check, self.end
        return Tokens(
            total=self.total,
            threshold=self.threshold,
            capacity=check.context_max if check else None,
            target=check.target_tokens if check else None,
            min_target=check.min_target_tokens if check else None,
            before=end.before_tokens if end else None,
            after=end.after_tokens if end else None,
            method=surroundings.method,
        )

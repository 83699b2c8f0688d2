"""What session memory did in a replay: when notes took the messages' place, when they were kept."""

from __future__ import annotations

from dataclasses import dataclass

from engine.debug.records import ThresholdCheck
from inspector.replay.decisions.told import Surroundings, ToldDecision
from inspector.trace.decision import Decision, Outcome, Tokens
from inspector.trace.session_memory.gates import NotesFacts, notes_gates


@dataclass
class NotesDecision(ToldDecision):
    """A check of the window, and what came of it."""

    check: ThresholdCheck | None = None
    """None: the end of an update, which measures nothing."""

    @property
    def is_hit(self) -> bool:
        """The window was full enough."""
        return self.check is not None and self.check.hit

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        if self.end is not None:
            return self.end.outcome
        return "undecided" if self.is_hit else "declined"

    @property
    def reason(self) -> str | None:
        """Why nothing came of it."""
        if self.end is not None or self.check is None:
            return super().reason
        return None if self.is_hit else self.check.reason

    @property
    def total(self) -> int | None:
        """Tokens of the window, tools left out."""
        return self.check.total_tokens if self.check else None

    @property
    def threshold(self) -> int | None:
        """Tokens at which it acts."""
        return self.check.threshold if self.check else None

    def decision(self, surroundings: Surroundings) -> Decision:
        """Return it with its gates."""
        facts = NotesFacts(
            outcome=self.outcome, reason=self.reason, total=self.total, threshold=self.threshold
        )
        tokens = Tokens(
            total=self.total,
            threshold=self.threshold,
            capacity=self.check.context_max if self.check else None,
            before=self.end.before_tokens if self.end else None,
            after=self.end.after_tokens if self.end else None,
            method=surroundings.method,
        )
        return Decision(
            **self._place(surroundings),
            gates=self._gates(notes_gates(facts)),
            tokens=tokens if self.check else None,
        )

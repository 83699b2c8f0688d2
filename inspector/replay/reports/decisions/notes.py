"""What session memory did in a replay: when notes took the messages' place, when they were kept."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.replay.reports.decisions.told import CheckedDecision, Surroundings
from inspector.trace.decision import Decision, Outcome
from inspector.trace.session_memory.gates import NotesFacts, notes_gates


@dataclass
class NotesDecision(CheckedDecision):
    """A check of the window, and what came of it; without one, the end of an update."""

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

    def decision(self, surroundings: Surroundings) -> Decision:
        """Return it with its gates."""
        facts = NotesFacts(
            outcome=self.outcome, reason=self.reason, total=self.total, threshold=self.threshold
        )
        return Decision(
            **self._place(surroundings),
            gates=self._gates(notes_gates(facts)),
            tokens=self._tokens(surroundings) if self.check else None,
        )

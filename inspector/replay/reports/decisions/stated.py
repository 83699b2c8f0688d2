"""What one outcome says by itself: folding, an older offloader's work, declines of whole turns."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.replay.reports.decisions.told import Surroundings, ToldDecision
from inspector.trace.decision import Decision, Outcome, Tokens


@dataclass
class StatedDecision(ToldDecision):
    """A decision of which there is no other record."""

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        assert self.end is not None, "an outcome is all there is"
        return self.end.outcome

    def decision(self, surroundings: Surroundings) -> Decision:
        """Return it with the gates that its outcome states."""
        stated = self.stated
        counted = stated is not None and (stated.before is not None or stated.after is not None)
        tokens = Tokens(before=stated.before, after=stated.after) if stated and counted else None
        return Decision(**self._place(surroundings), gates=self._gates([]), tokens=tokens)

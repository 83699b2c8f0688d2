"""Where a running replay is held: after every step, at the next decision of a kind, or never.

The replay waits on its own thread; whoever gives it up need not let it go first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal, get_args

from engine.debug.records import ThresholdCheck
from inspector.replay.runs.run import Step

Goal = Literal["end", "step", "acted", "compressed", "gave_up", "declined"]
GOALS: tuple[Goal, ...] = get_args(Goal)

_LOOK = 0.02
"""Seconds after which a replay that is held looks whether it is still wanted."""


class Stepper:
    """Holds one replay; `go` is called on the UI thread, `pass_step` on the engine's."""

    def __init__(self) -> None:
        """Let everything pass."""
        self._opened = threading.Condition()
        self._goal: Goal = "end"
        self._turn = 0

    def go(self, goal: Goal) -> None:
        """Let the replay go on up to a goal."""
        with self._opened:
            self._goal = goal
            self._turn += 1
            self._opened.notify_all()

    def pass_step(
        self, step: Step, cancelled: Callable[[], bool], held: Callable[[], None]
    ) -> None:
        """Return when the replay may go on behind a step.

        Args:
            step: The step that was run.
            cancelled: Whether the replay is no longer wanted.
            held: Called when it has to wait.
        """
        with self._opened:
            if step.window is None or not reaches(step, self._goal):
                return
            turn = self._turn
            held()
            while turn == self._turn and not cancelled():
                self._opened.wait(_LOOK)


def reaches(step: Step, goal: Goal) -> bool:
    """Return whether a step is where a replay with this goal is held."""
    outcomes = {outcome.outcome for outcome in step.outcomes}
    if goal == "step":
        return True
    if goal == "acted":
        return bool(outcomes) or any(state.status == "completed" for state in step.states)
    if goal == "declined":
        checks = (record for record in step.records if isinstance(record, ThresholdCheck))
        return any(not check.hit and check.reason != "below_threshold" for check in checks)
    return goal in outcomes

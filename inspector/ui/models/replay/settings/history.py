"""What was set before, to go back to it and forth again."""

from __future__ import annotations

from dataclasses import fields

from inspector.ui.models.replay.settings.setup import ReplaySetup

PAUSE = 1.0
"""Seconds after which another change of the same setting is a step of its own."""


class SetupHistory:
    """Setups in the order in which they were set; a new one takes the place of those undone.

    Changes of one setting that follow each other quickly, as while a slider is dragged, are one.
    """

    def __init__(self, first: ReplaySetup) -> None:
        self._setups = [first]
        self._at = 0
        self._touched: frozenset[object] = frozenset()
        self._touched_at = 0.0

    def add(self, setup: ReplaySetup, seconds: float) -> None:
        """Remember what was set.

        Args:
            setup: The new setup; nothing is remembered where it is the one before.
            seconds: When, on a clock that only goes forward.
        """
        now = self._setups[self._at]
        if setup == now:
            return
        touched = _differing(now, setup)
        goes_on = touched == self._touched and seconds - self._touched_at < PAUSE
        kept = self._setups[: self._at if goes_on else self._at + 1]
        back = setup == kept[-1]
        self._setups = kept if back else [*kept, setup]
        self._at = len(self._setups) - 1
        self._touched, self._touched_at = frozenset() if back else touched, seconds

    def can_go(self, steps: int) -> bool:
        """Whether there is a setup so many steps away; negative is back."""
        return 0 <= self._at + steps < len(self._setups)

    def go(self, steps: int) -> ReplaySetup:
        """Return the setup so many steps away, which is the one that is in force from now on."""
        self._at += steps
        self._touched = frozenset()
        return self._setups[self._at]


def _differing(before: ReplaySetup, after: ReplaySetup) -> frozenset[object]:
    """Return what two setups differ in: settings by their key, anything else by its name."""
    named = (one.name for one in fields(before) if one.name != "edits")
    others = {name for name in named if getattr(before, name) != getattr(after, name)}
    keys = before.edits.keys() | after.edits.keys()
    return frozenset(
        others | {key for key in keys if before.edits.get(key) != after.edits.get(key)}
    )

"""What the candidate's last window does not hold: one row an item, with its message to read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from engine.messages import Message
from inspector.insight.items import ItemKind
from inspector.insight.retention import Loss
from inspector.trace.windows.window import trace_messages
from inspector.ui import formats
from inspector.ui.models.message_text import full_text
from inspector.ui.models.replay.judge import Judged
from inspector.ui.models.row_table import Cell, Column, RowTableModel, retitled
from inspector.ui.models.text_runs import Run


class LostItemsModel(RowTableModel):
    """Kind, item, whether the baseline holds it, and the step that lost it."""

    COLUMNS: tuple[Column, ...] = (
        Column("kind", 86),
        Column("not in the last window", 0, fixed=True),
        Column("baseline", 72),
        Column("lost at", 64, right=True, fixed=True, tip="The step that lost it"),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.losses: list[Loss] = []
        self.total = 0
        """How many the candidate lost, listed or not."""
        self._lost_before: set[tuple[ItemKind, str]] = set()
        self._planted: frozenset[tuple[ItemKind, str]] = frozenset()

    def show_losses(
        self,
        judged: Judged | None,
        kind: ItemKind | None,
        only_new: bool,
        only_canaries: bool,
        baseline: str,
    ) -> None:
        """Show other losses.

        Args:
            judged: Both sides; None: nothing is known.
            kind: The kind to list; all when None.
            only_new: Leave out what the baseline lost too.
            only_canaries: Leave out what was not planted.
            baseline: What the baseline is called.
        """
        self.beginResetModel()
        lost = judged.candidate.retention.lost if judged is not None else ()
        before = judged.baseline.retention.lost if judged is not None else ()
        self.total = len(lost)
        self._lost_before = {_identity(loss) for loss in before}
        self._planted = judged.planted if judged is not None else frozenset()
        self.losses = [
            loss
            for loss in lost
            if (kind is None or loss.item.kind == kind)
            and not (only_new and _identity(loss) in self._lost_before)
            and (not only_canaries or _identity(loss) in self._planted)
        ]
        self.COLUMNS = retitled(self.COLUMNS, 2, baseline)
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.losses)

    def cell(self, row: int, column: int) -> Cell:
        loss = self.losses[row]
        if column == 0:
            return Cell(loss.item.kind, "muted")
        if column == 1:
            return Cell(formats.one_line(loss.item.text))
        if column == 2 and _identity(loss) in self._planted:
            return Cell("canary", "accent", tip="Planted in the candidate alone")
        if column == 2:
            lost = _identity(loss) in self._lost_before
            return Cell("lost too", "faint") if lost else Cell("held", "failure")
        who = ", ".join(loss.processors)
        return Cell(formats.number(loss.step), "muted", tip=f"step {loss.step:,}: {who}")


def loss_runs(loss: Loss, messages: Sequence[Message]) -> tuple[Run, ...]:
    """Return the message that an item stood in, with the item set off.

    Args:
        loss: The item.
        messages: All messages of the conversation.
    """
    who = ", ".join(loss.processors) or "nobody known"
    head = Run(f"lost at step {loss.step:,} by {who}\n", "heading")
    if not 0 <= loss.place.position < len(messages):
        return (head,)
    (shown,) = trace_messages([messages[loss.place.position].to_chat()], estimated=False)
    runs = full_text(shown, estimated=False)
    marked = [part for run in runs for part in _set_off(run, loss.item.text)]
    about = Run(f"message {loss.place.position + 1:,} of the conversation\n", "muted")
    return (head, about, *marked)


def _identity(loss: Loss) -> tuple[ItemKind, str]:
    return loss.item.kind, loss.item.key


def _set_off(run: Run, text: str) -> list[Run]:
    before, found, after = run.text.partition(text)
    if not found or run.style != "plain":
        return [run]
    return [Run(before), Run(found, "removed_part"), Run(after)]

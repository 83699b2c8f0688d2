"""What every tab of the detail area is: content, or a note that says why there is none."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar, get_args

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail
from inspector.ui import formats, theme
from inspector.ui.models.families import Family, family
from inspector.ui.panels.perspective import BEST
from inspector.ui.tasks.worker import Worker
from inspector.ui.widgets.note import Note

Part = TypeVar("Part")

NOT_ASKED = "The model was not asked: this decision ended at a gate before the call."
"""Why a decision that declined has nothing of a model to show."""


def estimated(decision: Decision) -> bool:
    """Whether tokens of a decision and its messages carry `~`."""
    return decision.tokens is None or formats.is_estimate(decision.tokens.method)


class DetailTab(QStackedWidget, Generic[Part]):
    """One view of the selected decision; `Part` is what it shows of a decision's detail.

    A subclass lays out its widgets in `content`, mostly by `lay_out`, and says how to find its part
    (`part`), how to show it (`show_part`) and why there is none (`why_none`). One that needs no
    detail overrides `holds` and `show_decision` instead.
    """

    title: ClassVar[str]
    """On the tab; in lower case with dashes also the name of its pictures."""
    needs_detail: ClassVar[bool] = True
    """Whether the files have to be asked; if not, `show_decision` is all that is called."""
    families: ClassVar[frozenset[Family]] = frozenset(get_args(Family))
    """Kinds of processors whose decisions have this view."""

    worker: Worker
    """The thread that reads files, for what is read only when it is asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._note = Note()
        self.content = QVBoxLayout()
        self.content.setContentsMargins(0, 0, 0, 0)
        self.content.setSpacing(0)
        page = QWidget()
        page.setLayout(self.content)
        self.addWidget(self._note)
        self.addWidget(page)

    def lay_out(self, body: QWidget, head: QWidget | None = None) -> None:
        """Lay the content out: a line about it, and the rest."""
        if head is not None:
            line = QVBoxLayout()
            line.setContentsMargins(theme.GRID, theme.GRID // 2, theme.GRID, theme.GRID // 2)
            line.addWidget(head)
            self.content.addLayout(line)
        self.content.addWidget(body, 1)

    @classmethod
    def applies(cls, decision: Decision) -> bool:
        """Whether a decision of this kind has this view at all."""
        return family(decision) in cls.families

    def holds(self, decision: Decision, detail: Detail) -> bool:
        """Whether there is something to see of a decision."""
        return bool(self.part(detail))

    def part(self, detail: Detail) -> Part | None:
        """Return what is shown of a detail; None or empty where it has nothing to show."""
        raise NotImplementedError

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        """Return what is missing, and why."""
        raise NotImplementedError

    def show_part(self, decision: Decision, part: Part) -> None:
        """Fill the content."""
        raise NotImplementedError

    def show_decision(self, decision: Decision) -> None:
        """Show what is known without asking the files."""

    def show_detail(self, decision: Decision, detail: Detail) -> None:
        """Show what the files hold about the decision, or why they hold nothing."""
        part = self.part(detail)
        if part:
            self.show_part(decision, part)
            self.show_content()
        else:
            self.say(*self.why_none(decision, detail))

    def show_content(self) -> None:
        """Turn to the content."""
        self.setCurrentIndex(1)

    def say(self, title: str, text: str = "") -> None:
        """Turn to a note."""
        self._note.say(title, text)
        self.setCurrentIndex(0)

    def is_filled(self) -> bool:
        """Whether there is content."""
        return self.currentIndex() == 1

    def worth(self) -> int:
        """Return how well a picture of it shows what the tab is for, as in `Picture`."""
        return BEST if self.is_filled() else 0

    def note(self) -> str:
        """Return what the note says, empty when there is content."""
        return "" if self.is_filled() else self._note.text()

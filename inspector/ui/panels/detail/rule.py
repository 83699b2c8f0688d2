"""The Rule tab: a tool result beside what a rule made of it, and the rule's own figures."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, RuleView
from inspector.ui import formats
from inspector.ui.models.detail.fact_list import FactListModel
from inspector.ui.models.detail.rule_facts import rule_facts
from inspector.ui.models.detail.rule_names import rule_name
from inspector.ui.models.row_table import Cell
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.splitter import ThinSplitter
from inspector.ui.widgets.text_view import TextView

_SHARES = (2, 3, 3)


class RuleTab(DetailTab[RuleView]):
    """Figures, original, result."""

    title = "Rule"
    families = frozenset({"offloader"})

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = CellLine()
        self.facts = FactListModel(self)
        self.original = _Text("Original")
        self.result = _Text("Result of the rule")
        view = RowView(self.facts, "Figures of the rule", titled=False)
        parts = ThinSplitter(Qt.Orientation.Horizontal)
        for at, (part, share) in enumerate(
            zip((view, self.original, self.result), _SHARES, strict=True)
        ):
            parts.addWidget(part)
            parts.setStretchFactor(at, share)
        parts.setSizes([share * 200 for share in _SHARES])
        self.lay_out(parts, self.head)

    def part(self, detail: Detail) -> RuleView | None:
        return detail.rule

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        rule = next((gate for gate in decision.gates if gate.gate == "rule"), None)
        if rule is not None and rule.passed is False:
            why = "A rule was tried and saved nothing."
        elif decision.outcome == "declined":
            why = "The result was left as it was before any rule was tried."
        else:
            why = "\n".join(detail.notes) or "The files tell of no rule for this result."
        shortened = rule is not None and rule.passed
        return "The texts are not in the files" if shortened else "No rule shortened this", why

    def show_part(self, decision: Decision, part: RuleView) -> None:
        self.head.show_cells(tuple(_head(part)))
        self.facts.show_facts(rule_facts(part))
        self.original.show_text("original", part.original)
        self.result.show_text("result", part.result)


class _Text(QWidget):
    """A text below its name and length."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.caption = CellLine()
        self.text = TextView(name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        caption = QVBoxLayout()
        caption.setContentsMargins(8, 0, 8, 0)
        caption.addWidget(self.caption)
        layout.addLayout(caption)
        layout.addWidget(self.text, 1)

    def show_text(self, name: str, text: str) -> None:
        lines = formats.plural(text.count("\n") + 1, "line")
        self.caption.show_cells(
            [Cell(name, heading=True), Cell(f"{len(text):,} characters · {lines}", "muted")]
        )
        self.text.show_text(text)


def _head(rule: RuleView) -> Iterator[Cell]:
    before, after = len(rule.original), len(rule.result)
    yield Cell(f"shortened by the rule for {rule_name(rule.rule)}")
    yield Cell(f"{before:,} → {after:,} characters")
    if before:
        change = after - before
        arrow = "▲" if change > 0 else "▼"
        told = (
            f"{arrow} {formats.signed(change)} · {formats.signed(round(change / before * 100))} %"
        )
        yield Cell(told, "failure" if change > 0 else "better")
    if rule.cut:
        yield Cell("then cut to the characters allowed", "compress")

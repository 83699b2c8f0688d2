"""The Spans tab: the split drawn over the real messages, with the ties between calls and results.

Pointing at a call lights its results, in the ribbon and in the list; the message that is current
stays lit when the pointer leaves.
"""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.trace.decision import Decision
from inspector.trace.detail import Detail, SpanView, ToolTie, Zone
from inspector.ui import formats, theme
from inspector.ui.models.detail.message_list import MessageListModel, tie_rows
from inspector.ui.models.marks import ZONE_MARKS, evidence_mark
from inspector.ui.models.message_text import full_text
from inspector.ui.models.row_table import Cell
from inspector.ui.models.text_runs import Run
from inspector.ui.panels.detail.tab import DetailTab, estimated
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.part_reader import PartReader
from inspector.ui.widgets.plots.ribbon import Ribbon

_NO_ROWS: frozenset[int] = frozenset()


class SpansTab(DetailTab[SpanView]):
    """Ribbon, legend, messages, and the text of one."""

    title = "Spans"
    families = frozenset({"compressor"})

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ribbon = Ribbon()
        self.legend = CellLine()
        self.messages = MessageListModel(self)
        self.reader = PartReader(
            self.messages, self._read, "Messages of the window", titled=True, shares=(3, 2)
        )
        self._estimated = True
        self._ties: dict[int, frozenset[int]] = {}
        head = QVBoxLayout()
        head.setContentsMargins(theme.GRID, 0, theme.GRID, theme.GRID // 2)
        head.setSpacing(0)
        head.addWidget(self.ribbon)
        head.addWidget(self.legend)
        self.content.addLayout(head)
        self.content.addWidget(self.reader, 1)
        self.ribbon.hovered.connect(self._light)
        self.ribbon.chosen.connect(self.reader.view.show_row)
        self.reader.view.row_hovered.connect(self._light)
        self.reader.view.row_selected.connect(self._light)

    def part(self, detail: Detail) -> SpanView | None:
        return detail.span if detail.span is not None and detail.span.messages else None

    def why_none(self, decision: Decision, detail: Detail) -> tuple[str, str]:
        if detail.notes:
            why = "\n".join(detail.notes)
        elif decision.reason == "below_threshold":
            why = "The window was below its limit, so its messages were never split."
        else:
            why = "The files hold no split for this decision."
        return "No split here", why

    def show_part(self, decision: Decision, part: SpanView) -> None:
        self._estimated = estimated(decision)
        self._ties = dict(tie_rows(part.messages, part.ties))
        self.ribbon.show_span(part)
        self.legend.show_cells(_legend(part, self._estimated))
        self.messages.show_span(part, self._estimated)
        row = _telling_message(part)
        self.reader.start_at(row)
        self.messages.light(_NO_ROWS)  # nothing is dimmed before the user points at something
        self.ribbon.light(_NO_ROWS, row)

    def _read(self, row: int) -> tuple[Run, ...]:
        return full_text(self.messages.messages[row], self._estimated)

    def _light(self, row: int) -> None:
        current = self.reader.view.current_row()
        if row < 0:
            row = -1 if current is None else current
        rows = self._ties.get(row, _NO_ROWS)
        self.messages.light(rows)
        self.ribbon.light(rows, -1 if current is None else current)


def moved(span: SpanView) -> str:
    """Return why the tail is longer than was asked for; empty when it is not."""
    if not span.moved_by or span.wanted_tail is None:
        return ""
    names = [_told_tie(tie) for tie in span.moved_by[:3]]
    more = f" and {len(span.moved_by) - 3} more" if len(span.moved_by) > 3 else ""
    verb = "answer calls" if len(span.moved_by) > 1 else "answers a call"
    tail = span.zones.count("tail")
    results = ", ".join(names) + more
    return f"boundary moved {span.wanted_tail} → {tail}: result {results} {verb} above it"


def _told_tie(tie: ToolTie) -> str:
    return formats.one_line(tie.call_id)


def _legend(span: SpanView, about: bool) -> list[Cell]:
    cells = []
    for zone, mark in ZONE_MARKS.items():
        count = span.zones.count(zone)
        if count:
            cells.append(
                Cell(f"{mark.told} {count}", "muted", mark, f" · {_zone_tokens(span, zone, about)}")
            )
    if span.shrunk_from is not None:
        cells.append(
            Cell(
                f"shrunk {span.shrunk_from} → {span.zones.count('compress')} by overflow",
                "failure",
            )
        )
    if why := moved(span):
        cells.append(Cell(why, "tail"))
    mark = evidence_mark(span.evidence)
    cells.append(Cell(mark.told, "muted", mark))
    return cells


def _zone_tokens(span: SpanView, zone: Zone, about: bool) -> str:
    inside = [
        message for message, its in zip(span.messages, span.zones, strict=True) if its == zone
    ]
    about = about or any(message.estimated for message in inside)
    return formats.number(sum(message.tokens for message in inside), about)


def _telling_message(span: SpanView) -> int:
    """Return the first message to be compressed, else the first one."""
    return span.zones.index("compress") if "compress" in span.zones else 0

"""Names and values: what is known of a decision beyond its gates, or of something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QObject

from inspector.trace.decision import Decision
from inspector.ui import formats
from inspector.ui.models.detail.explanation import told_reason
from inspector.ui.models.families import family
from inspector.ui.models.marks import BASIS_MARKS, Mark
from inspector.ui.models.row_table import Cell, Column, RowTableModel

Fact = tuple[str, str, Mark | None]


class FactListModel(RowTableModel):
    """One row a fact."""

    COLUMNS = (Column("", 168), Column("", 0))

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.facts: list[Fact] = []

    def show_decision(self, decision: Decision) -> None:
        """Show the facts of a decision."""
        self.show_facts(_facts(decision))

    def show_facts(self, facts: Iterable[Fact]) -> None:
        """Show other facts."""
        self.beginResetModel()
        self.facts = list(facts)
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.facts)

    def cell(self, row: int, column: int) -> Cell:
        name, value, mark = self.facts[row]
        return Cell(name, "muted") if column == 0 else Cell(value, mark=mark)


def _facts(decision: Decision) -> Iterator[Fact]:
    yield "outcome", decision.outcome.replace("_", " "), BASIS_MARKS[decision.basis]
    if decision.reason:
        yield "reason", formats.one_line(decision.reason), None
    for at, candidate in enumerate(decision.candidates):
        words = f"{at + 1}.  {formats.one_line(candidate)} — {told_reason(candidate)}"
        yield "possible causes" if at == 0 else "", words, None
    yield "asked while", _PHASES.get(decision.phase, formats.one_line(decision.phase)), None
    if decision.time is None and (decision.after is not None or decision.before is not None):
        between = (
            f"{formats.date_and_clock(decision.after)} – {formats.date_and_clock(decision.before)}"
        )
        yield "between", between, None
    yield from _token_facts(decision)
    if decision.span is not None:
        span = decision.span
        parts = f"{span.prefix} prefix · {span.compress} to compress · {span.tail} tail"
        yield "messages", parts, BASIS_MARKS[span.basis]
    if decision.model_calls:
        who = f" · answered by {', '.join(decision.summarizers)}" if decision.summarizers else ""
        yield "model calls", f"{decision.model_calls}{who}", None
    if decision.tool_call_id:
        yield "tool call", formats.one_line(decision.tool_call_id), None
    if decision.reload_of:
        yield "brought back", f"original {formats.one_line(decision.reload_of)}", None
    if decision.dump:
        yield "dump", formats.visible(decision.dump), None


def _token_facts(decision: Decision) -> Iterator[Fact]:
    tokens = decision.tokens
    if tokens is None:
        return
    about = formats.is_estimate(tokens.method)
    yield "tokens counted by", formats.METHODS[tokens.method], None
    if tokens.capacity is not None:
        share = (
            f" · {tokens.total / tokens.capacity:.0%} full"
            if tokens.total is not None and tokens.capacity
            else ""
        )
        yield "capacity", formats.number(tokens.capacity) + share, None
    if tokens.target is not None:
        least = (
            f" · at least {formats.number(tokens.min_target)} asked for"
            if tokens.min_target
            else ""
        )
        yield "to compress", formats.number(tokens.target, about) + least, None
    if tokens.before is not None and tokens.after is not None:
        change = formats.signed(tokens.after - tokens.before)
        before, after = (formats.number(count, about) for count in (tokens.before, tokens.after))
        what = "message" if family(decision) == "offloader" else "context messages"
        yield what, f"{before} → {after} ({change})", None


_PHASES = {
    "add_messages": "messages were added",
    "get_context_window": "a window was asked for",
    "active_compress": "compression was demanded",
    "should_update": "an update of the notes was considered",
    "update": "the notes were updated",
}

"""A short list of named parts to read: sections of a summary, archived turns, raw records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from PySide6.QtCore import QObject

from inspector.trace.detail import SummaryView
from inspector.trace.evidence.archives import ChunkView, RecallView, TurnView
from inspector.trace.evidence.raw_records import RawRecord
from inspector.ui import formats
from inspector.ui.models.row_table import Cell, Column, RowTableModel
from inspector.ui.models.text_runs import Run


@dataclass(frozen=True)
class Part:
    """A row of the list and what is read of it."""

    name: str
    about: str
    """Size, place or first words, in the muted tone."""
    runs: tuple[Run, ...]
    quiet: bool = False
    """Not the main thing: named in the muted tone."""


class PartListModel(RowTableModel):
    """One row a part."""

    COLUMNS: tuple[Column, ...] = (Column("", 0), Column("", 104, right=True, fixed=True))

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.parts: Sequence[Part] = ()

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show other parts."""
        self.beginResetModel()
        self.parts = parts
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.parts)

    def cell(self, row: int, column: int) -> Cell:
        part = self.parts[row]
        if column:
            return Cell(part.about, "muted")
        return Cell(part.name, "muted" if part.quiet else "text")


def summary_parts(summary: SummaryView) -> list[Part]:
    """Return the summary, its sections, and apart from them coverage check and raw answer."""
    used = _characters(summary.extracted)
    parts = [Part("Summary as used", used, _sections_runs(summary))]
    for section in summary.sections:
        if section.heading:
            runs = (Run(section.heading + "\n", "heading"), Run("\n" + section.text))
            parts.append(Part(formats.one_line(section.heading), _characters(section.text), runs))
    if summary.coverage:
        about = Run("The model's own check; not part of the summary.\n\n", "muted")
        runs = (about, Run(summary.coverage))
        parts.append(Part("Coverage check", _characters(summary.coverage), runs, quiet=True))
    parts.append(Part("Raw answer", _characters(summary.raw), (Run(summary.raw),), quiet=True))
    return parts


def recall_parts(recall: RecallView) -> list[Part]:
    """Return the archived turns, each followed by the pieces that a search finds."""
    parts = []
    for turn in recall.turns:
        about = formats.plural(len(turn.chunks), "chunk")
        parts.append(Part(_turn_name(turn), about, _turn_runs(turn)))
        parts += [_chunk_part(chunk, f"{turn.turn_id}_") for chunk in turn.chunks]
    return parts


def recall_runs(recall: RecallView) -> tuple[Run, ...]:
    """Return all archived turns, one after the other."""
    runs: list[Run] = []
    for turn in recall.turns:
        runs += [Run(f"\n{_turn_name(turn)}\n\n", "muted"), *_turn_runs(turn)]
    return tuple(runs)


def record_parts(records: Sequence[RawRecord]) -> list[Part]:
    """Return the records as they stand in their files."""
    parts = []
    for record in records:
        where = f"{record.path} @ {record.offset:,} · {formats.size(record.length)}\n"
        runs = [Run(where, "muted"), Run("\n" + record.text)]
        if record.clipped:
            runs.append(
                Run(f"\n\n… clipped; the record has {formats.size(record.length)}", "muted")
            )
        parts.append(Part(formats.one_line(record.event), formats.size(record.length), tuple(runs)))
    return parts


def _turn_name(turn: TurnView) -> str:
    return formats.one_line(f"{turn.turn_id} · {turn.query}")


def _turn_runs(turn: TurnView) -> tuple[Run, ...]:
    return (
        Run("Query\n", "heading"),
        Run(f"\n{turn.query}\n\n"),
        Run("Answer\n", "heading"),
        Run(f"\n{turn.answer}\n"),
    )


def _chunk_part(chunk: ChunkView, prefix: str) -> Part:
    name = f"    {formats.one_line(PurePath(chunk.path).stem.removeprefix(prefix))}"
    where = Run(f"{chunk.path}\n\n", "muted")
    if chunk.missing:
        gone = Run("This chunk is gone, or its path leads out of the archive.")
        return Part(name, "missing", (where, gone), quiet=True)
    return Part(name, _characters(chunk.text), (where, Run(chunk.text)), quiet=True)


def _sections_runs(summary: SummaryView) -> tuple[Run, ...]:
    runs: list[Run] = []
    for section in summary.sections:
        if runs:
            runs.append(Run("\n\n"))
        if section.heading:
            runs.append(Run(section.heading + "\n", "heading"))
        runs.append(Run(section.text))
    return tuple(runs) or (Run(summary.extracted),)


def _characters(text: str) -> str:
    return f"{len(text):,} chars"

"""The compressions of both runs: what each kept of what went, what it lost, and what it cost."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QObject

from inspector.insight.retention import CompressionRetention
from inspector.replay.comparisons.insights import Judgement
from inspector.ui import formats
from inspector.ui.models.replay.judge import Judged
from inspector.ui.models.replay.tables.comparison_table import KIND_NAMES, money, percent
from inspector.ui.models.row_table import Cell, Column, RowTableModel
from inspector.ui.models.text_runs import Run


class Compression(NamedTuple):
    """One compression of a run."""

    run: str
    """What the run is called."""
    kept: CompressionRetention
    gone: int
    """Items lost up to here that the last window does not hold either."""
    calls: float
    """What the summary calls of its step cost, in the price table's currency."""
    anew: int | None
    """Tokens of its step's request that were not read from the cache."""


class CompressionTableModel(RowTableModel):
    """One row a compression, by step."""

    COLUMNS = (
        Column("run", 78),
        Column("step", 46, right=True, fixed=True, tip="Number of the window request"),
        Column("by", 0),
        Column("items", 52, right=True, fixed=True, tip="What stood in the messages that went"),
        Column("held", 64, right=True, fixed=True, tip="Of these, by the window afterwards"),
        Column("lost", 50, right=True, fixed=True, tip="Held before and not any more"),
        Column("gone", 54, right=True, fixed=True, tip="Lost for good, up to here"),
        Column("calls", 66, right=True, fixed=True, tip="Cost of the step's summary calls"),
        Column("read anew", 82, right=True, fixed=True, tip="Tokens sent that no cache held"),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[Compression] = []

    def show_judged(self, judged: Judged | None, baseline: str) -> None:
        """Show the compressions of both sides, once where both are the same run."""
        self.beginResetModel()
        self.rows = [] if judged is None else list(_compressions(judged.candidate, "candidate"))
        if judged is not None and judged.baseline is not judged.candidate:
            self.rows += _compressions(judged.baseline, baseline)
        self.rows.sort(key=lambda row: row.kept.step)
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.rows)

    def cell(self, row: int, column: int) -> Cell:
        shown = self.rows[row]
        kept = shown.kept
        if column == 0:
            return Cell(shown.run, "accent" if shown.run == "candidate" else "muted")
        if column == 2:
            names = ", ".join(kept.processors)
            return Cell(names.replace("Compressor", "") or formats.UNKNOWN, tip=names)
        if column == 4:
            return Cell(percent(kept.share) if _at_stake(kept) else formats.UNKNOWN)
        if column == 5:
            return Cell(formats.number(len(kept.lost)), "failure" if kept.lost else "muted")
        if column == 7:
            return Cell(money(shown.calls, "").strip() if shown.calls else formats.UNKNOWN)
        figures = {1: kept.step, 3: _at_stake(kept), 6: shown.gone, 8: shown.anew}
        return Cell(formats.number(figures[column]))


def compression_runs(shown: Compression) -> tuple[Run, ...]:
    """Return what a compression held by kind, and each item that it lost."""
    kept = shown.kept
    went = formats.plural(kept.messages, "message")
    runs = [
        Run(f"{shown.run}, step {kept.step:,}\n", "heading"),
        Run(f"{went} went; of what they held, the window afterwards holds\n", "muted"),
    ]
    for kind, held in kept.kinds.items():
        if held.total:
            runs.append(Run(f"{held.held:,} of {held.total:,} {KIND_NAMES[kind]}\n"))
    for title, losses in (("Lost", kept.lost), ("Back again", kept.back)):
        if losses:
            runs.append(Run(f"\n{title}\n", "heading"))
            for loss in losses:
                runs.append(Run(f"{loss.item.kind}  ", "muted"))
                runs.append(Run(f"{formats.one_line(loss.item.text)}\n"))
    return tuple(runs)


def _at_stake(kept: CompressionRetention) -> int:
    return sum(held.total for held in kept.kinds.values())


def _compressions(judgement: Judgement, run: str) -> Iterator[Compression]:
    calls: dict[int, float] = {}
    anew: dict[int, int] = {}
    for line in judgement.cost.lines:
        if line.processor is not None:
            calls[line.step] = calls.get(line.step, 0.0) + line.cost
        else:
            anew[line.step] = line.tokens.uncached + line.tokens.written
    gone = sorted(loss.step for loss in judgement.retention.lost)
    for kept in judgement.retention.compressions:
        step = kept.step
        yield Compression(run, kept, bisect_right(gone, step), calls.get(step, 0.0), anew.get(step))

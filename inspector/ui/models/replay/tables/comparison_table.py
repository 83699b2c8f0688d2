"""What both runs came to: one figure a row, with its change.

Counts come with every replay. Cost and retention come later; until then their rows show a dash.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QObject

from inspector.insight.items import KINDS, ItemKind
from inspector.replay.comparisons.comparison import Comparison
from inspector.replay.comparisons.insights import INSIGHT_METRICS, Judgement
from inspector.replay.comparisons.metrics import Figure
from inspector.ui import formats
from inspector.ui.models.marks import Tone
from inspector.ui.models.replay.judge import Judged
from inspector.ui.models.row_table import Cell, Column, RowTableModel, retitled

KIND_NAMES: dict[ItemKind, str] = {
    "instruction": "instructions",
    "path": "file paths",
    "command": "commands",
    "identifier": "identifiers",
    "error": "error texts",
    "number": "numbers",
    "url": "URLs",
    "todo": "open to-dos",
}
"""What a kind of item is called when there are many."""


class Measure(NamedTuple):
    """How a figure is told."""

    name: str
    about: str
    more_is_better: bool = False
    share: bool = False
    """From 0 to 1, told in percent; its change is told in points."""
    money: bool = False


MEASURES = {
    "tokens_sent": Measure("tokens sent", "Sum over all windows of what went to the agent's model"),
    "peak_tokens": Measure("peak window", "The largest window that the chain was given, in tokens"),
    "compressions": Measure("compressions", "How often a span was replaced by a summary"),
    "model_calls": Measure("summary calls", "Model calls of the compressors, failed ones included"),
    "summary_tokens": Measure("tokens in summaries", "What the summary calls wrote"),
    "cache_hit_tokens": Measure(
        "cached tokens", "What all requests read from the provider's cache", more_is_better=True
    ),
    "summary_cost": Measure(
        "cost of summaries", "What of the net cost the summary calls are, as modelled", money=True
    ),
    "net_cost": Measure(
        "net cost", "All requests and summary calls with prefix caching, as modelled", money=True
    ),
    "retention": Measure(
        "retention",
        "Of what the messages held, what the last window still holds: mean over the kinds",
        more_is_better=True,
        share=True,
    ),
    "overflow_steps": Measure("steps over capacity", "Windows larger than what the model takes"),
}
"""Each figure in words, and what it counts."""


class FigureRow(NamedTuple):
    """A row of the table."""

    measure: Measure
    a: Figure
    b: Figure
    kind: ItemKind | None = None
    """The kind of items whose retention it tells."""
    currency: str = ""

    @property
    def delta(self) -> Figure:
        return None if self.a is None or self.b is None else self.b - self.a


class ComparisonTableModel(RowTableModel):
    """Figure, baseline, candidate, change and the same in percent."""

    COLUMNS: tuple[Column, ...] = (
        Column("", 0),
        Column("baseline", 104, right=True, fixed=True),
        Column("candidate", 104, right=True, fixed=True),
        Column("change", 116, right=True, fixed=True, tip="Candidate minus baseline"),
        Column("", 76, right=True, fixed=True, tip="Change against the baseline"),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[FigureRow] = []
        self._offline = (False, False)

    def show_comparison(
        self, comparison: Comparison | None, judged: Judged | None, baseline: str
    ) -> None:
        """Show other figures.

        Args:
            comparison: The counts; None: there are none.
            judged: Cost and retention, once they are known.
            baseline: What the baseline is called.
        """
        self.beginResetModel()
        self.rows = [] if comparison is None else list(_rows(comparison, judged))
        if comparison is not None:
            a, b = (comparison.summaries.get(side, {}) for side in "ab")
            self._offline = bool(a.get("extractive")), bool(b.get("extractive"))
        self.COLUMNS = retitled(self.COLUMNS, 1, baseline)
        self.endResetModel()

    def row_count(self) -> int:
        return len(self.rows)

    def cell(self, row: int, column: int) -> Cell:
        figure = self.rows[row]
        if column == 0:
            name, about = figure.measure.name, figure.measure.about
            tone: Tone = "muted" if figure.kind is not None else "text"
            return Cell(name, tone, tip=f"{name}: {about}")
        if column in (1, 2):
            return self._side(figure, column)
        delta = figure.delta
        if delta is None:
            return Cell(formats.UNKNOWN, "faint")
        tone = verdict(-delta if figure.measure.more_is_better else delta)
        if column == 3:
            return Cell(f"{arrow(delta)}{_change(figure, delta)}", tone)
        return Cell(_percent(figure, delta), tone)

    def _side(self, figure: FigureRow, column: int) -> Cell:
        value = figure.a if column == 1 else figure.b
        if value is None:
            return Cell(formats.UNKNOWN, "faint")
        offline = self._offline[column - 1]
        tip = _OFFLINE if offline else ""
        return Cell(("~" if offline else "") + _written(figure, value), tip=tip)


_OFFLINE = "Rests on summaries that nobody recorded: they were taken from the messages"


def arrow(change: float) -> str:
    """Return the arrow that follows the sign of a change."""
    return "" if not change else "▲ " if change > 0 else "▼ "


def verdict(change: float) -> Tone:
    """Return the colour of a change of something of which less is better."""
    return "muted" if not change else "failure" if change > 0 else "better"


def percent(share: float) -> str:
    """Return a share from 0 to 1 in percent."""
    return f"{100 * share:.1f} %"


def money(amount: float, currency: str) -> str:
    """Return an amount of money, with more decimals the smaller it is."""
    decimals = 2 if abs(amount) >= 10 else 4
    return f"{currency} {amount:,.{decimals}f}".replace("-", formats.MINUS)


def _rows(comparison: Comparison, judged: Judged | None) -> Iterator[FigureRow]:
    for metric in comparison.metrics:
        yield FigureRow(MEASURES[metric.name], metric.a, metric.b)
    if judged is None:
        yield from (FigureRow(MEASURES[name], None, None) for name in INSIGHT_METRICS)
        return
    a, b = judged.baseline, judged.candidate
    for name in INSIGHT_METRICS:
        yield FigureRow(MEASURES[name], a.figures[name], b.figures[name], currency=a.cost.currency)
        if name == "retention":
            yield from _by_kind(a, b)


def _by_kind(a: Judgement, b: Judgement) -> Iterator[FigureRow]:
    for kind in KINDS:
        if a.retention.kinds[kind].total or b.retention.kinds[kind].total:
            yield FigureRow(_kind_measure(kind, a, b), _share(a, kind), _share(b, kind), kind)


def _share(judgement: Judgement, kind: ItemKind) -> float | None:
    held, total = judgement.retention.kinds[kind]
    return held / total if total else None


def _kind_measure(kind: ItemKind, a: Judgement, b: Judgement) -> Measure:
    counts = " and ".join(
        f"{held:,} of {total:,}"
        for held, total in (a.retention.kinds[kind], b.retention.kinds[kind])
    )
    about = f"held by the last window: {counts}"
    return Measure(f"· {KIND_NAMES[kind]}", about, more_is_better=True, share=True)


def _written(figure: FigureRow, value: float) -> str:
    if figure.measure.share:
        return percent(value)
    if figure.measure.money:
        return money(value, figure.currency)
    return formats.number(value)


def _change(figure: FigureRow, delta: float) -> str:
    sign = "+" if delta > 0 else ""
    if figure.measure.share:
        return f"{sign}{100 * delta:.1f} pt".replace("-", formats.MINUS)
    if figure.measure.money:
        return sign + money(delta, "").strip()
    return formats.signed(delta)


def _percent(figure: FigureRow, delta: float) -> str:
    if not delta or not figure.a or figure.measure.share:
        return ""
    change = 100 * delta / figure.a
    return f"{change:+,.{int(abs(change) < 100)}f} %".replace("-", formats.MINUS)

"""What the status bar says while decisions are inspected: the legend, counts, and the tail."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui import formats
from inspector.ui.models.document import Document
from inspector.ui.models.follow import Follow
from inspector.ui.models.marks import BASIS_MARKS
from inspector.ui.models.row_table import Cell
from inspector.ui.models.selection import Selection
from inspector.ui.panels.perspective import Desk, Status

_UNWATCHED = "The system tells of no changes here, so they are found by looking."
_LEGEND = (
    Cell("recorded", "muted", BASIS_MARKS["recorded"]),
    Cell("inferred", "muted", BASIS_MARKS["inferred"]),
    Cell("~ estimate", "muted"),
)


def inspect_status(desk: Desk) -> Status:
    """Return the legend, and how much there is of what."""
    content = desk.document.content
    if content is None or desk.selection.trace is None:
        return Status(_LEGEND, ())
    problems = len(content.problems)
    return Status(
        _LEGEND,
        (
            *_listed(desk.selection, len(desk.selection.trace.decisions)),
            *_tail(desk.document, desk.follow),
            Cell(formats.plural(problems, "problem"), "failure" if problems else "muted"),
        ),
    )


def _listed(selection: Selection, all_: int) -> Iterator[Cell]:
    listed, decisions = len(selection.rows), formats.plural(all_, "decision")
    yield Cell(decisions if listed == all_ else f"{listed:,} of {decisions}")
    if selection.filter.steps is not None:
        first, last = selection.filter.steps
        yield Cell(f"steps {first:,}–{last:,} · Esc shows all", "accent")
    elif selection.filter.outcomes:
        yield Cell("only what fired · Esc shows all", "accent")


def _tail(document: Document, follow: Follow) -> Iterator[Cell]:
    """Tell how many files are read, whether they are kept up with, and what follows them."""
    growth = document.growth
    assert growth is not None
    files = formats.plural(sum(not source.gone for source in growth.content.sources), "file")
    if not document.live:
        yield Cell(files, "muted")
        return
    yield Cell(f"tailing {files}", "muted")
    yield Cell(f"{formats.size(growth.behind) if growth.behind else '0'} behind", "muted")
    if not growth.watched:
        yield Cell("looked at once a second", "muted", tip=_UNWATCHED)
    if follow.pause:
        yield Cell(f"Follow pauses: {follow.pause} · F goes on", "accent")

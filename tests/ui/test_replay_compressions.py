"""The Compressions tab: what each compression kept and cost, summing up to the comparison."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from inspector.ui.models.replay.tables.compression_table import compression_runs
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.ui.replay_cases import CURRENT
from tests.ui.replay_page import OpenCase, drag, settle, slider_of


def rows(page: ReplayPerspective) -> list[list[str]]:
    table = page.compressions.table
    columns = range(len(table.COLUMNS))
    return [[table.cell(row, at).text for at in columns] for row in range(table.row_count())]


def test_each_compression_tells_what_it_kept_and_cost_and_leads_to_its_step(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay()
    tab = page.compressions
    settle(page, qtbot)
    assert {row[0] for row in rows(page)} == {"candidate"}
    drag(slider_of(page, CURRENT), 50)
    settle(page, qtbot)
    judged = page.judge.result
    assert judged is not None
    for run, judgement in (("baseline", judged.baseline), ("candidate", judged.candidate)):
        own = [row for row in tab.table.rows if row.run == run]
        assert [row.kept for row in own] == list(judgement.retention.compressions)
        assert sum(row.calls for row in own) == pytest.approx(judgement.cost.summary_cost)
        assert own[-1].gone == len(judgement.retention.lost)
    assert [row.kept.step for row in tab.table.rows] == sorted(
        row.kept.step for row in tab.table.rows
    )
    page.bar.setCurrentIndex(list(page.tabs).index("Compressions"))
    at = next(at for at, row in enumerate(tab.table.rows) if row.kept.lost)
    tab.reader.view.show_row(at)
    chosen = tab.table.rows[at].kept
    assert page.selection.place is not None
    assert page.selection.place.step == chosen.step
    told = "".join(run.text for run in compression_runs(tab.table.rows[at]))
    assert told.splitlines() == tab.reader.reader.toPlainText().splitlines()
    assert all(" ".join(loss.item.text.split())[:40] in told for loss in chosen.lost)


def test_runs_without_a_compression_say_so(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay(2)
    settle(page, qtbot)
    assert not page.compressions.table.rows
    assert "No compression" in page.compressions.note.text()

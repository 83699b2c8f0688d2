"""The Replay perspective as it is used: with the mouse and with keys, on cases and recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from engine.debug.records import ThresholdCheck
from inspector.cli import run
from inspector.replay.cases.case_file import CaseFile, load_case
from inspector.replay.detect import is_case
from inspector.replay.reports.report import load_report
from inspector.ui import formats
from inspector.ui.main_window import MainWindow
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.ui.replay_cases import CAPACITY, CURRENT, ROUND, TRIGGER, made_up_case, write_case
from tests.ui.replay_page import OpenCase, drag, limits, replay_of, settle, slider_of

Key, Modifier, LEFT = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton.LeftButton

MONEY = ("summary_cost", "net_cost")


def table(page: ReplayPerspective) -> list[list[str]]:
    """Return the comparison as it is written: name, baseline, candidate, change."""
    model = page.comparison.table
    rows = [row for row in range(model.row_count()) if model.rows[row].kind is None]
    return [[model.cell(row, column).text for column in range(4)] for row in rows]


def told_metrics(comparison: dict[str, Any]) -> list[list[str]]:
    """Return the metrics that `compare --json` prints, as the window writes numbers."""
    offline = ["~" if "extractive" in comparison["summaries"][side] else "" for side in "ab"]
    rows = []
    for metric in comparison["metrics"]:
        delta = metric["delta"]
        arrow = "" if not delta else "▲ " if delta > 0 else "▼ "
        figures = [
            sign + figure(metric, metric[side]) for sign, side in zip(offline, "ab", strict=True)
        ]
        rows.append([*figures, arrow + change(metric, delta)])
    return rows


def figure(metric: dict[str, Any], value: float) -> str:
    if metric["name"] == "retention":
        return f"{100 * value:.1f} %"
    return f"USD {value:,.4f}" if metric["name"] in MONEY else formats.number(value)


def change(metric: dict[str, Any], delta: float) -> str:
    sign = "+" if delta > 0 else ""
    told = {"retention": f"{100 * delta:.1f} pt", **dict.fromkeys(MONEY, f"{delta:,.4f}")}
    written = told.get(metric["name"])
    return (
        formats.signed(delta) if written is None else (sign + written).replace("-", formats.MINUS)
    )


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Run a command in this process and return what it prints."""
    capsys.readouterr()
    assert run([str(argument) for argument in arguments]) in (0, 1)
    return capsys.readouterr().out


def compare_by_command(
    capsys: pytest.CaptureFixture[str], folder: Path, case: Path, *edits: str
) -> dict[str, Any]:
    """Return what the command line says of a case with edited settings."""
    command(capsys, "replay", case, "-o", folder / "a.json")
    command(capsys, "replay", case, *edits, "-o", folder / "b.json")
    printed = command(capsys, "compare", folder / "a.json", folder / "b.json", "--json")
    comparison: dict[str, Any] = json.loads(printed)
    return comparison


def save_to(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))


class Story:
    """A recorded workspace is replayed with one threshold moved, and moved back."""

    def __init__(
        self,
        window: MainWindow,
        qtbot: QtBot,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.window, self.qtbot, self.folder = window, qtbot, folder
        self.monkeypatch, self.capsys = monkeypatch, capsys
        self.page = replay_of(window)

    def open(self, workspace: Path) -> None:
        with self.qtbot.waitSignal(self.window.document.opened):
            self.window.open([str(workspace)])
        QTest.keyClick(self.window, Key.Key_2, Modifier.ControlModifier)
        assert self.page.isVisible()
        self.qtbot.waitUntil(lambda: self.page.bench.state == "ready")
        settle(self.page, self.qtbot)
        at_rest = table(self.page)
        assert [row[1] for row in at_rest] == [row[2] for row in at_rest]
        assert self.page.comparison.table.COLUMNS[1].title == "recorded"
        assert "decides as recorded" in self.page.assumptions.sentence.text()

    def export(self, workspace: Path) -> Path:
        """Export the case in the window and by command; return the latter's."""
        save_to(self.monkeypatch, self.folder / "case.json")
        with self.qtbot.waitSignal(self.page.commands.export.saved):
            self.window.actions_["export_case"].trigger()
        by_command = self.folder / "by-command.json"
        trace = self.page.bench.recording
        assert trace is not None
        meant = ("--session", trace.session_id, "--context", trace.context_id)
        command(self.capsys, "export", workspace, *meant, "-o", by_command)
        assert (self.folder / "case.json").read_bytes() == by_command.read_bytes()
        assert load_case(by_command).case == self.page.bench.settings.case
        return by_command

    def move_and_move_back(self, owner: str, goal: int, case: Path) -> None:
        page, qtbot = self.page, self.qtbot
        at_rest, slider = table(page), slider_of(page, owner)
        start = slider.value()
        drag(slider, goal)
        settle(page, qtbot)
        edit = f"{owner}.{TRIGGER}={goal / 100}"
        expected = compare_by_command(self.capsys, self.folder, case, "--set", edit)
        assert [row[1:] for row in table(page)] == told_metrics(expected)
        assert expected["decisions"]
        result = page.bench.result
        assert result is not None
        shown = result.comparison.model_dump(mode="json")
        counted = {metric["name"] for metric in shown["metrics"]}
        expected["metrics"] = [m for m in expected["metrics"] if m["name"] in counted]
        for part in ("metrics", "decisions", "steps", "summaries"):
            assert shown[part] == expected[part]
        assert int(result.differing.sum()) == len(expected["decisions"])
        step = expected["first_divergence"]["step"]
        assert f"first divergence: step {step}" in page.chart.read_out.text()
        drag(slider, start)
        settle(page, qtbot)
        assert table(page) == at_rest
        assert page.bench.settings.edits == 0
        assert "no divergence" in page.chart.read_out.text()


@pytest.fixture
def story(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Story:
    return Story(window, qtbot, tmp_path, monkeypatch, capsys)


def test_a_recorded_run_is_replayed_and_compared_as_by_command(shared: Path, story: Story) -> None:
    workspace = shared / "dumps" / "d_full_chain" / "workspace"
    story.open(workspace)
    told = story.page.assumptions.sentence.text()
    assert "over 181 steps" in told
    assert "ends at step 181 of 197" in told
    shown, base = story.page.assumptions.gaps.gaps, story.page.bench.settings.base
    assert base is not None
    assert sorted(step or 0 for _, steps in shown for step in steps) == sorted(
        gap.step or 0 for gap in base.gaps
    )
    assert len(shown) < len(base.gaps)
    case = story.export(workspace)
    story.move_and_move_back("DialogueCompressor", 62, case)


@pytest.mark.parametrize(
    ("goal", "capacity"), [(55, None), (91, None), (80, 6_000)], ids=["lower", "higher", "capacity"]
)
def test_the_figures_are_those_of_the_command_line(
    replay: OpenCase,
    qtbot: QtBot,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    goal: int,
    capacity: int | None,
) -> None:
    page = replay()
    edits = ["--set", f"{CURRENT}.{TRIGGER}={goal / 100}"]
    drag(slider_of(page, CURRENT), goal)
    if capacity is not None:
        drag(page.chain.capacity.slider, capacity // 100)
        edits += ["--capacity", str(capacity)]
    settle(page, qtbot)
    expected = compare_by_command(capsys, tmp_path, tmp_path / "case.json", *edits)
    assert [row[1:] for row in table(page)] == told_metrics(expected)
    assert expected["decisions"]


def test_the_report_is_the_one_of_the_command_line(
    replay: OpenCase,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = replay()
    drag(slider_of(page, ROUND), 60)
    settle(page, qtbot)
    save_to(monkeypatch, tmp_path / "report.json")
    with qtbot.waitSignal(page.commands.export.saved):
        window.actions_["export_report"].trigger()
    report = load_report(tmp_path / "report.json")
    assert report is not None
    command(
        capsys,
        *("replay", tmp_path / "case.json", "--set", f"{ROUND}.{TRIGGER}=0.6"),
        *("-o", tmp_path / "other.json"),
    )
    assert command(
        capsys, "compare", tmp_path / "report.json", tmp_path / "other.json", "--json"
    ).count('"delta": 0') == len(table(page))
    assert "saved" in window.legend.text()


def test_a_case_file_opens_the_perspective_and_can_be_dropped(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_case(made_up_case(), tmp_path / "案例.json")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, button, none = Qt.DropAction.CopyAction, LEFT, Modifier.NoModifier
    window.dragEnterEvent(QDragEnterEvent(QPoint(5, 5), copy, data, button, none))
    window.dropEvent(QDropEvent(QPointF(5, 5), copy, data, button, none))
    page = replay_of(window)
    assert page.isVisible()
    qtbot.waitUntil(lambda: page.bench.state == "ready")
    assert "case 案例.json" in window.legend.text()
    assert window.counts.text() == "nothing recorded is changed"
    assert [card.findChild(QWidget) is not None for card in page.chain.cards] == [True, True]
    assert page.chain.edits.text() == "as stated"


def test_a_case_file_says_what_it_was_made_of(replay: OpenCase) -> None:
    page = replay(origin={"session_id": "会话", "last_step": 41})
    told = page.assumptions.sentence.text()
    assert "comes from a file" in told
    assert "made of session 会话" in told
    assert "ends at step 41" in told


def test_only_cases_are_taken_for_cases(tmp_path: Path) -> None:
    case = write_case(made_up_case(), tmp_path / "case.json")
    report = tmp_path / "report.json"
    report.write_text('{"context_max": 3, "steps": [], "case": "no"}', encoding="utf-8")
    torn = tmp_path / "torn.json"
    torn.write_bytes(case.read_bytes()[:900])
    assert is_case(case)
    assert is_case(torn)
    assert not is_case(report)
    assert not is_case(tmp_path)
    assert not is_case(tmp_path / "missing.json")


def test_a_torn_case_says_what_is_wrong(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "torn.json"
    path.write_bytes(write_case(made_up_case(), path).read_bytes()[:900])
    window.open([str(path)])
    page = replay_of(window)
    qtbot.waitUntil(lambda: page.bench.state == "refused")
    assert page.note.isVisible()
    assert "torn.json cannot be replayed" in page.note.note.text()
    assert "is not JSON" in page.note.note.text()


def test_a_recording_without_messages_says_what_to_switch_on(
    shared: Path, window: MainWindow, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(window.document.opened):
        window.open([str(shared / "dumps" / "k_no_compressible_span" / "workspace")])
    QTest.keyClick(window, Key.Key_R, Modifier.ControlModifier)
    page = replay_of(window)
    assert page.isVisible()
    qtbot.waitUntil(lambda: page.bench.state == "refused")
    assert "Switch compression dumps on" in page.note.note.text()
    assert not window.actions_["export_case"].isEnabled()


def test_nothing_to_replay_says_what_to_open(window: MainWindow) -> None:
    QTest.keyClick(window, Key.Key_2, Modifier.ControlModifier)
    page = replay_of(window)
    assert page.note.isVisible()
    assert "Nothing to replay yet" in page.note.note.text()
    assert not window.actions_["replay"].isEnabled()


def test_an_edit_is_told_and_taken_back_with_one_click(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    settle(page, qtbot)
    before = table(page)
    row = page.chain.row(CURRENT, TRIGGER)
    assert row.provenance.text() == "stated"
    assert not row.provenance.isEnabled()
    assert row.tokens.text() == "3,200"
    drag(slider_of(page, CURRENT), 50)
    assert row.provenance.text() == "↺ edited"
    assert row.tokens.text() == "2,000"
    assert page.chain.edits.text() == "1 edited"
    assert limits(page) == {CURRENT: 2_000, ROUND: 3_200}
    settle(page, qtbot)
    assert table(page) != before
    QTest.mouseClick(row.provenance, LEFT)
    assert row.provenance.text() == "stated"
    assert slider_of(page, CURRENT).value() == 80
    settle(page, qtbot)
    assert table(page) == before


def test_everything_is_set_back_at_once(replay: OpenCase, window: MainWindow, qtbot: QtBot) -> None:
    page = replay()
    settle(page, qtbot)
    before = table(page)
    reset = next(b for b in page.findChildren(QPushButton) if b.text() == "Reset all")
    assert not reset.isEnabled()
    drag(slider_of(page, CURRENT), 50)
    drag(slider_of(page, ROUND), 30)
    drag(page.chain.capacity.slider, 30)
    assert page.chain.edits.text() == "3 edited"
    assert "3 edited" in window.legend.text()
    settle(page, qtbot)
    QTest.mouseClick(reset, LEFT)
    assert page.bench.settings.edits == 0
    assert page.bench.settings.capacity == CAPACITY
    settle(page, qtbot)
    assert table(page) == before
    assert not reset.isEnabled()


def test_of_many_moves_the_last_one_is_shown(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    slider = slider_of(page, CURRENT)
    for goal in (30, 70, 20, 66, 51):
        drag(slider, goal)
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    assert dict(result.case.processors)[CURRENT][TRIGGER] == 0.51
    assert page.bench.settings.case == result.case


def test_keys_move_a_slider(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    slider = slider_of(page, CURRENT)
    slider.setFocus()
    QTest.keyClick(slider, Key.Key_Left)
    QTest.keyClick(slider, Key.Key_PageDown)
    assert page.chain.row(CURRENT, TRIGGER).editor.read() == 0.74
    settle(page, qtbot)


def test_an_invalid_value_is_told_in_place_and_nothing_is_lost(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay()
    shown = page.bench.result
    row = page.chain.row(CURRENT, TRIGGER)
    field = row.editor.input
    field.setFocus()
    QTest.keyClick(field, Key.Key_A, Modifier.ControlModifier)
    QTest.keyClicks(field, "1.5")
    qtbot.waitUntil(row.error.isVisible)
    assert "less than 1" in row.error.text()
    assert page.bench.result is shown
    assert field.property("text") == "1.5" or row.editor.read() == 1.5
    QTest.keyClick(field, Key.Key_A, Modifier.ControlModifier)
    QTest.keyClicks(field, "0.5")
    qtbot.waitUntil(lambda: page.bench.settings.edits == 1 and not page.bench.settings.errors)
    assert not row.error.isVisible()
    settle(page, qtbot)
    assert page.bench.result is not shown


def test_letters_typed_into_a_field_are_no_commands(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    field = page.chain.row(CURRENT, "model").editor.input
    place = page.selection.place
    field.setFocus()
    QTest.keyClick(field, Key.Key_End)
    QTest.keyClicks(field, "np")
    qtbot.waitUntil(lambda: page.bench.settings.edits == 1)
    assert page.chain.row(CURRENT, "model").editor.read() == "defaultnp"
    assert page.selection.place == place
    settle(page, qtbot)


def test_no_model_makes_a_processor_inert(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    row = page.chain.row(CURRENT, "model")
    card = page.chain.cards[0]
    assert card.state.text() == ""
    nothing = row.editor._nothing
    assert nothing is not None
    QTest.mouseClick(nothing, LEFT, pos=QPoint(6, nothing.height() // 2))
    assert card.state.text() == "no model"
    assert not row.editor.input.isEnabled()
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    decisions = [result.trace.decision(row) for row in range(len(result.trace.decisions))]
    assert [d.reason for d in decisions if d.processor == CURRENT] == ["no_model"]
    assert any(pair.b < 0 for pair in result.aligned)
    QTest.mouseClick(row.provenance, LEFT)
    assert card.state.text() == ""
    assert row.editor.input.isEnabled()


def test_a_whole_number_is_edited_by_key(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    row = page.chain.row(ROUND, "keep_recent_messages")
    field = row.editor.input
    field.setFocus()
    for _ in range(9):
        QTest.keyClick(field, Key.Key_Down)
    assert row.editor.read() == 0
    QTest.keyClick(field, Key.Key_Up)
    assert page.bench.settings.edits == 1
    assert row.editor.read() == 1
    settle(page, qtbot)


def test_the_list_can_hold_only_what_differs(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    page.bar.setCurrentIndex(1)
    drag(slider_of(page, CURRENT), 50)
    settle(page, qtbot)
    result, model = page.bench.result, page.decisions.table
    assert result is not None
    differing = int(result.differing.sum())
    assert 0 < differing < model.row_count() == len(result.aligned)
    box = page.decisions.only_differing
    QTest.mouseClick(box, LEFT, pos=QPoint(6, box.height() // 2))
    assert model.row_count() == differing
    assert window.actions_["only_differing"].isChecked()
    assert model.cell(0, 1).mark is not None
    assert page.selection.place == result.aligned[page.selection.rows[0]].place
    window.actions_["only_differing"].trigger()
    assert model.row_count() == len(result.aligned)


def test_keys_step_through_the_decisions_and_show_their_gates(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay()
    page.bar.setCurrentIndex(1)
    drag(slider_of(page, CURRENT), 50)
    settle(page, qtbot)
    first = page.selection.row
    assert first is not None
    QTest.keyClick(window, Key.Key_N)
    assert page.selection.row == first + 1
    assert page.decisions.view.current_row() == first + 1
    QTest.keyClick(window, Key.Key_P)
    QTest.keyClick(window, Key.Key_N, Modifier.ShiftModifier)
    place = page.selection.place
    assert place is not None
    assert f"step {place.step}" in page.decisions.gates.head.text()
    assert page.decisions.gates.table.row_count() == 7
    assert "baseline:" in page.decisions.gates.reasons[0].text()
    assert "candidate:" in page.decisions.gates.reasons[1].text()


def test_what_was_picked_stays_while_the_slider_moves(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    page.bar.setCurrentIndex(1)
    view = page.decisions.view
    row = 20
    view.scrollTo(view.model().index(row, 0))
    QTest.mouseClick(
        view.viewport(), LEFT, pos=view.visualRect(view.model().index(row, 2)).center()
    )
    place = page.selection.place
    assert place is not None
    for goal in (40, 60):
        drag(slider_of(page, CURRENT), goal)
        settle(page, qtbot)
        assert page.selection.place == place


def test_a_click_in_the_chart_selects_the_step(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    chart = page.chart.chart
    assert chart is not None
    viewport = chart.plot.viewport()
    box = chart.plot.getViewBox().sceneBoundingRect()
    QTest.mouseClick(viewport, LEFT, pos=QPoint(round(box.center().x()), round(box.center().y())))
    qtbot.waitUntil(lambda: page.selection.place is not None and page.selection.place.step > 15)
    place = page.selection.place
    assert place is not None
    chart.step_hovered.emit(place.step)
    told = page.chart.read_out.text()
    assert f"step {place.step}" in told
    assert "baseline" in told
    assert "candidate" in told


def test_names_of_limits_that_lie_close_do_not_cover_each_other(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay()
    chart = page.chart.chart
    assert chart is not None
    drag(slider_of(page, ROUND), 78)
    settle(page, qtbot)
    assert not chart.limits.name_area(0).intersects(chart.limits.name_area(1))


def line_of(page: ReplayPerspective, owner: str) -> QPoint:
    """Return a point of the chart on a processor's threshold, away from all names."""
    chart = page.chart.chart
    assert chart is not None
    box = chart.plot.getViewBox().sceneBoundingRect()
    level = chart.y_of(limits(page)[owner])
    return QPoint(round(box.left() + 0.9 * box.width()), round(level))


def pull(page: ReplayPerspective, owner: str, start: QPoint, tokens: int) -> None:
    """Take hold of a threshold at a point of the chart and drag it to a level."""
    chart = page.chart.chart
    assert chart is not None
    viewport = chart.plot.viewport()
    goal = start.y() + round(chart.y_of(tokens) - chart.y_of(limits(page)[owner]))
    QTest.mousePress(viewport, LEFT, pos=start)
    step = 1 if goal > start.y() else -1
    for y in range(start.y(), goal + step, step):
        QTest.mouseMove(viewport, QPoint(start.x(), y))
        QTest.qWait(1)
    QTest.mouseRelease(viewport, LEFT, pos=QPoint(start.x(), goal))


def test_a_threshold_line_is_dragged_and_its_slider_follows(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    drag(slider_of(page, ROUND), 60)
    settle(page, qtbot)
    pull(page, ROUND, line_of(page, ROUND), 1_600)
    assert slider_of(page, ROUND).value() == pytest.approx(40, abs=1)
    assert slider_of(page, CURRENT).value() == 80
    value = page.chain.row(ROUND, TRIGGER).editor.read()
    assert value == slider_of(page, ROUND).value() / 100
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    assert dict(result.case.processors)[ROUND][TRIGGER] == value


def test_a_minimal_loop_s_line_stands_where_the_conversation_reaches_it(
    replay: OpenCase, qtbot: QtBot
) -> None:
    page = replay(processors=[("ObservationMasking", {"soft_ratio": 0.3})])
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    records = (record for step in result.trace.run.steps for record in step.records)
    hits = [isinstance(record, ThresholdCheck) and record.hit for record in records]
    steps = result.trace.steps
    first = hits.index(True)
    line = limits(page)["ObservationMasking"]
    assert steps.total[first - 1] <= line <= steps.total[first]
    pull(page, "ObservationMasking", line_of(page, "ObservationMasking"), 3 * line // 2)
    value = page.chain.row("ObservationMasking", "soft_ratio").editor.read()
    assert value == pytest.approx(0.45, abs=0.02)
    settle(page, qtbot)


def test_lines_on_each_other_are_told_apart_by_their_names(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    chart = page.chart.chart
    assert chart is not None
    assert limits(page) == {CURRENT: 3_200, ROUND: 3_200}
    qtbot.waitUntil(lambda: chart.limits.at(chart.limits.name_area(1).center()) == 1)
    pull(page, ROUND, chart.limits.name_area(1).center().toPoint(), 2_400)
    assert slider_of(page, ROUND).value() == pytest.approx(60, abs=2)
    assert slider_of(page, CURRENT).value() == 80


def test_keys_move_a_threshold_line(replay: OpenCase, window: MainWindow, qtbot: QtBot) -> None:
    page = replay()
    QTest.keyClick(window, Key.Key_T)
    QTest.keyClick(window, Key.Key_Down, Modifier.AltModifier)
    QTest.keyClick(window, Key.Key_Down, Modifier.AltModifier)
    assert limits(page) == {CURRENT: 3_120, ROUND: 3_200}
    QTest.keyClick(window, Key.Key_T)
    chart = page.chart.chart
    assert chart is not None
    chart.setFocus()
    QTest.keyClick(chart, Key.Key_PageDown)
    QTest.keyClick(chart, Key.Key_Up)
    assert limits(page) == {CURRENT: 3_120, ROUND: 3_040}
    settle(page, qtbot)


def test_replaying_can_be_stopped_and_taken_up_again(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay(rounds=120)
    shown = page.bench.result
    drag(slider_of(page, CURRENT), 30)
    assert window.actions_["stop_replay"].isEnabled()
    window.actions_["stop_replay"].trigger()
    assert page.bench.progress is None
    assert page.bench.result is shown
    assert "not of these settings" in page.chart.title.text()
    QTest.keyClick(window, Key.Key_R, Modifier.ControlModifier)
    settle(page, qtbot)
    assert page.bench.result is not shown
    assert "replayed in" in page.chart.title.text()


def test_a_window_closes_while_it_replays(replay: OpenCase, window: MainWindow) -> None:
    page = replay(rounds=120)
    drag(slider_of(page, CURRENT), 30)
    window.close()
    assert not page._desk.engine.busy()


def test_a_file_that_cannot_be_written_is_told(
    replay: OpenCase,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = replay()
    save_to(monkeypatch, tmp_path / "no" / "such" / "folder.json")
    window.actions_["export_case"].trigger()
    qtbot.waitUntil(lambda: page.findChild(QMessageBox) is not None)
    box = page.findChild(QMessageBox)
    assert box is not None
    assert "could not be written" in box.text()
    box.close()


def test_an_exported_case_loads_as_it_was(
    replay: OpenCase,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = replay()
    drag(slider_of(page, CURRENT), 50)
    save_to(monkeypatch, tmp_path / "saved.json")
    with qtbot.waitSignal(page.commands.export.saved):
        window.actions_["export_case"].trigger()
    assert load_case(tmp_path / "saved.json") == CaseFile.model_validate(made_up_case())
    settle(page, qtbot)


def test_a_workspace_turns_back_to_inspect_and_the_case_stays(
    replay: OpenCase, window: MainWindow, qtbot: QtBot, shared: Path
) -> None:
    page = replay()
    with qtbot.waitSignal(window.document.opened):
        window.open([str(shared / "dumps" / "j_rate_429_then_ok" / "workspace")])
    assert window.inspect.isVisible()
    QTest.keyClick(window, Key.Key_2, Modifier.ControlModifier)
    assert page.bench.name == "case.json"
    QTest.keyClick(window, Key.Key_R, Modifier.ControlModifier)
    qtbot.waitUntil(lambda: page.bench.state == "ready")
    assert page.bench.recording is window.selection.trace


def test_every_list_is_a_sound_model(
    replay: OpenCase, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    page = replay(assumed={f"{CURRENT}.{TRIGGER}": 0.8}, gaps=[{"step": 3, "what": "缺少消息"}])
    drag(slider_of(page, CURRENT), 50)
    settle(page, qtbot)
    for model in (
        page.comparison.table,
        page.decisions.table,
        page.decisions.gates.table,
        page.compressions.table,
        page.assumptions.assumed,
        page.assumptions.gaps,
    ):
        assert model.rowCount() > 0
        qtmodeltester.check(model)  # type: ignore[no-untyped-call]


def test_every_part_that_takes_the_keyboard_has_a_name(
    replay: OpenCase,
) -> None:
    page = replay()
    for at in range(page.bar.count()):
        page.bar.setCurrentIndex(at)
        for widget in page.findChildren(QWidget):
            if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                inner = widget.objectName().startswith("qt_")
                named = widget.accessibleName() or widget.property("text")
                assert inner or named, widget


def test_the_layout_is_remembered(replay: OpenCase, window: MainWindow) -> None:
    page = replay()
    page._columns.setSizes([500, 780])
    page.save_layout(window._settings)
    page.reset_layout()
    assert page._columns.sizes()[0] < 450
    page.restore_layout(window._settings)
    assert page._columns.sizes()[0] == 500

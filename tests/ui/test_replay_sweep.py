"""The Sweep tab: axes typed, rows as the command line makes them, a click loads the settings."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from inspector.cli import run
from inspector.replay.cases.case import CaseError
from inspector.replay.sweeps import cluster
from inspector.replay.sweeps.grid import Combination
from inspector.replay.sweeps.job import Answer
from inspector.ui.main_window import MainWindow
from inspector.ui.models.replay.settings.setup import FieldKey
from inspector.ui.models.replay.sweep import OtherCase
from inspector.ui.panels.replay.perspective import ReplayPerspective
from inspector.ui.panels.replay.sweep.options import SweepOptions
from tests.patience import PATIENCE
from tests.swept import Here, small_case
from tests.ui.replay_cases import CURRENT, ROUND, TRIGGER, made_up_case, write_case
from tests.ui.replay_page import OpenCase, replay_of, settle

LEFT = Qt.MouseButton.LeftButton
FIRST, SECOND = f"{CURRENT}.{TRIGGER}", f"{ROUND}.keep_recent_messages"


def sweep(page: ReplayPerspective, qtbot: QtBot, *axes: tuple[str, str]) -> None:
    """Name the axes, run, and wait for the end."""
    for editor, (name, values) in zip(page.sweep_tab.axes, axes, strict=False):
        editor.choose(name, values)
    page.sweep_tab.start()
    qtbot.waitUntil(lambda: not page.sweep.running)


def offered(options: SweepOptions) -> dict[str, QAction]:
    """Return what the menu of the cases offers."""
    options._menu.aboutToShow.emit()
    return {action.text(): action for action in options._menu.actions()}


def test_the_rows_are_those_of_the_command_line_and_a_click_loads_the_best(
    replay: OpenCase, qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = replay()
    page.bar.setCurrentIndex(list(page.tabs).index("Sweep"))
    axes = ((FIRST, "0.5:0.8:0.3"), (SECOND, "2,4"))
    sweep(page, qtbot, *axes)
    swept = page.sweep.swept
    assert swept is not None
    assert page.sweep_tab.fault.text() == ""
    vary = [word for name, values in axes for word in ("--vary", f"{name}={values}")]
    capsys.readouterr()
    assert run(["sweep", str(tmp_path / "case.json"), *vary, "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    own = swept.result.model_dump(mode="json")
    for row in [*expected["rows"], *own["rows"]]:
        del row["case"], row["digest"]
    assert own["rows"] == expected["rows"]
    assert own["pareto"] == expected["pareto"]

    scatter = page.sweep_tab.pictures.scatter
    best = next(at for at, row in enumerate(swept.rows) if row.cheapest)
    QTest.mouseClick(scatter, LEFT, pos=scatter.place_of(best).toPoint())
    settle(page, qtbot)
    result = page.bench.result
    assert result is not None
    chosen = {
        f"{name}.{field}": value
        for name, settings in result.case.processors
        for field, value in settings.items()
    }
    for name, value in swept.rows[best].settings.items():
        default = {FIRST: 0.8, SECOND: 4}[name]
        assert chosen.get(name, default) == value
    judged = page.judge.result
    assert judged is not None
    assert judged.candidate.figures["net_cost"] == swept.rows[best].figures.net_cost
    assert judged.candidate.figures["retention"] == swept.rows[best].figures.retention


@pytest.mark.usefixtures("here")
def test_values_are_offered_around_what_is_set(replay: OpenCase) -> None:
    editor = replay().sweep_tab.axes[0]
    for name, offered in (
        (FIRST, "0.5:0.9:0.1"),
        (f"{CURRENT}.min_target_context_ratio", "0.05:0.3:0.05"),
        (SECOND, "0:8:2"),
    ):
        editor.setting.setCurrentIndex(editor.setting.findData(name))
        assert editor.values.text() == offered


def test_two_settings_make_a_map_and_a_cell_loads_them(replay: OpenCase, qtbot: QtBot) -> None:
    page = replay()
    page.bar.setCurrentIndex(list(page.tabs).index("Sweep"))
    sweep(page, qtbot, (FIRST, "0.5,0.8"), (SECOND, "2,4"))
    tab = page.sweep_tab
    tab.pictures.choice.setCurrentText("map: peak")
    assert tab.pictures.map.isVisible()
    cell = tab.pictures.map.rect_of((0, 1))
    QTest.mouseClick(tab.pictures.map, LEFT, pos=cell.center().toPoint())
    assert page.bench.settings.field(FieldKey(CURRENT, TRIGGER)).value == 0.5
    assert page.bench.settings.field(FieldKey(ROUND, "keep_recent_messages")).value == 4
    settle(page, qtbot)


@pytest.mark.usefixtures("here")
def test_other_cases_are_swept_along_and_a_sample_is_that_of_the_command_line(
    replay: OpenCase,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = replay(20)
    options, tab = page.sweep_tab.options, page.sweep_tab
    other = write_case(made_up_case(30), tmp_path / "other.json")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(other)] * 2, ""))
    options.add_cases()
    assert options.cases == [OtherCase(str(other))]
    options.sample.setValue(2)
    sweep(page, qtbot, (FIRST, "0.4:0.8:0.1"))
    swept = page.sweep.swept
    assert swept is not None
    assert tab.fault.text() == ""
    cases = [str(tmp_path / "case.json"), str(other)]
    assert run(["sweep", *cases, "--vary", f"{FIRST}=0.4:0.8:0.1", "--sample", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    shown = [row.figures.model_dump(exclude={"case"}) for row in swept.rows]
    assert shown == [{key: row[key] for key in row if key != "case"} for row in rows]
    assert [row.labels[0] for row in swept.rows] == ["made-up"] * 2 + [str(other)] * 2
    assert not swept.mapped
    tab.view.clicked.emit(tab.table.index(3, 0))
    assert (
        page.bench.settings.field(FieldKey(CURRENT, TRIGGER)).value == swept.rows[3].settings[FIRST]
    )
    settle(page, qtbot)


@pytest.mark.usefixtures("here")
def test_the_other_sessions_that_are_open_are_swept_along(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with qtbot.waitSignal(window.document.opened):
        window.open_sample()
    window.actions_["replay"].trigger()
    page = replay_of(window)
    qtbot.waitUntil(lambda: page.bench.state == "ready")
    options = page.sweep_tab.options

    def refuse(_: object) -> None:
        raise CaseError("no dump holds its messages")

    with monkeypatch.context() as patched:
        patched.setattr("inspector.ui.panels.replay.sweep.options.export_case", refuse)
        offered(options)["Add 1 open session"].trigger()
        qtbot.waitUntil(lambda: "1 session cannot be swept" in page.sweep_tab.fault.text())
    offered(options)["Add 1 open session"].trigger()
    qtbot.waitUntil(lambda: len(options.cases) == 1)
    name = options.cases[0].name
    assert f"Leave out {name}" in offered(options)
    assert not offered(options)["Add 0 open sessions"].isEnabled()
    sweep(page, qtbot, ("DialogueCompressor.trigger_context_ratio", "0.6"))
    swept = page.sweep.swept
    assert swept is not None
    assert [row.conversation for row in swept.rows][1:] == [name]


@pytest.mark.usefixtures("here")
def test_what_cannot_be_swept_says_why(
    replay: OpenCase,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = replay()
    options = page.sweep_tab.options
    bare = write_case(made_up_case(20, processors=[]), tmp_path / "bare.json")
    options.cases = [OtherCase(str(bare))]
    sweep(page, qtbot, (FIRST, "0.5"))
    assert page.sweep.swept is not None
    assert f"{CURRENT} is not in the chain" in page.sweep_tab.fault.text()
    options.cases = []
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.05)
    options.scheduler.setText("tcp://127.0.0.1:9")
    sweep(page, qtbot, (FIRST, "0.5"))
    assert "no Dask scheduler answers there" in page.sweep_tab.fault.text()
    options.scheduler.clear()
    page.sweep_tab.axes[0].choose(FIRST, "0.5:0.9")
    window.actions_["sweep"].trigger()
    assert "neither start:stop:step nor log" in page.sweep_tab.fault.text()
    assert not page.sweep.running
    sweep(page, qtbot, (FIRST, "0.5,7"))
    swept = page.sweep.swept
    assert swept is not None
    assert len(swept.rows) == 1
    assert "less than 1" in page.sweep_tab.fault.text()


def test_a_stopped_sweep_keeps_its_rows_and_goes_on(
    replay: OpenCase, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    class Held(Here):
        def submit(self, case: int, edits: Combination) -> Future[Answer]:
            assert len(self.sent) < 9 or stopped.wait(PATIENCE)
            return super().submit(case, edits)

    monkeypatch.setattr("inspector.ui.models.replay.sweep.LocalWorkers", Held)
    page = replay()
    for editor, values in zip(page.sweep_tab.axes, ("0.3:0.9:0.02", ""), strict=True):
        editor.choose(FIRST if values else "—", values)
    page.sweep_tab.start()
    qtbot.waitUntil(lambda: page.sweep.swept is not None and bool(page.sweep.swept.rows))
    page.sweep.stop()
    stopped.set()
    qtbot.waitUntil(lambda: not page.sweep.running)
    swept = page.sweep.swept
    assert swept is not None
    done = len(swept.rows)
    assert 0 < done < 31
    page.sweep_tab.start()
    qtbot.waitUntil(lambda: not page.sweep.running)
    assert page.sweep.swept is not None
    assert len(page.sweep.swept.rows) == 31


@pytest.mark.usefixtures("here")
def test_the_study_runs_with_nothing_open_and_stays_when_a_case_is(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "inspector.ui.models.replay.sweep.bundled_conversations", lambda: {"small": small_case()}
    )
    page = replay_of(window)
    assert page.bar.tabText(page.bar.currentIndex()) == "Comparison"
    window.actions_["study"].trigger()
    qtbot.waitUntil(lambda: not page.sweep.running)
    tab = page.sweep_tab
    assert tab.view.isVisible()
    assert not page.chain.isVisible()
    assert {row.labels[1] for row in tab.table.rows} == {"none", "masking", "summary", "layered"}
    layered = next(at for at, row in enumerate(tab.table.rows) if row.labels[1] == "layered")
    tab.view.activated.emit(tab.table.index(layered, 0))
    assert "Open a session or a case" in tab.fault.text()

    window.open([str(write_case(made_up_case(), tmp_path / "case.json"))])
    qtbot.waitUntil(lambda: page.bench.state == "ready")
    assert page.chain.isVisible()
    page.bench.settings.edit(FieldKey(CURRENT, TRIGGER), 0.3)
    tab.view.activated.emit(tab.table.index(layered, 0))
    chain = tab.table.rows[layered].chain
    assert chain is not None
    assert page.bench.settings.links == chain
    assert not page.bench.settings.setup.edits
    assert tab.fault.text() == ""
    settle(page, qtbot)

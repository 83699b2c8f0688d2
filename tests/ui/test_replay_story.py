"""The whole story: a recorded run is tuned, branched, swept; the best settings are taken home."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from engine.resources import resource_path
from inspector.cli import run
from inspector.replay.recovery.export import export_case
from inspector.replay.settings.edits import edited, parse_edit
from inspector.replay.settings.take_home import python_settings
from inspector.ui.main_window import MainWindow
from inspector.ui.panels.replay.dialogs.branch import BranchDialog
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.ui.replay_cases import CAPACITY, CURRENT, TRIGGER, made_up_case, write_case
from tests.ui.replay_page import limits, replay_of, settle

DIALOGUE = "DialogueCompressor"
Key, Modifier, LEFT = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton.LeftButton


class Story:
    """One user, one session."""

    def __init__(self, window: MainWindow, qtbot: QtBot, folder: Path) -> None:
        self.window, self.qtbot, self.folder = window, qtbot, folder
        self.page: ReplayPerspective = replay_of(window)

    def open(self, workspace: Path) -> None:
        with self.qtbot.waitSignal(self.window.document.opened):
            self.window.open([str(workspace)])
        QTest.keyClick(self.window, Key.Key_R, Modifier.ControlModifier)
        self.qtbot.waitUntil(lambda: self.page.bench.state == "ready")
        settle(self.page, self.qtbot)

    def drag_a_line(self, owner: str, ratio: float) -> float:
        """Pull a threshold by its line; return where it came to rest."""
        page, chart = self.page, self.page.chart.chart
        assert chart is not None
        names = list(page.bench.settings.thresholds())
        QTest.keyClick(self.window, Key.Key_T)
        for _ in range(names.index(owner)):
            QTest.keyClick(self.window, Key.Key_T)
        at = names.index(owner)
        limit_lines = chart.limits
        self.qtbot.waitUntil(lambda: limit_lines.at(limit_lines.name_area(at).center()) == at)
        start = limit_lines.name_area(at).center().toPoint()
        now = limits(page)[owner]
        goal = start.y() + round(chart.y_of(ratio * page.bench.settings.capacity) - chart.y_of(now))
        viewport = chart.plot.viewport()
        QTest.mousePress(viewport, LEFT, pos=start)
        step = 1 if goal > start.y() else -1
        for y in range(start.y(), goal + step, step):
            QTest.mouseMove(viewport, QPoint(start.x(), y))
            QTest.qWait(1)
        QTest.mouseRelease(viewport, LEFT, pos=QPoint(start.x(), goal))
        settle(page, self.qtbot)
        value: float = page.chain.row(owner, TRIGGER).editor.read()
        assert value == pytest.approx(ratio, abs=0.02)
        return value

    def open_chat(self, rounds: int) -> Path:
        """Open a chat as it goes to a model, and give it a small window."""
        path = self.folder / "chat.json"
        body = {"model": "gpt-4o", "messages": made_up_case(rounds).case.messages}
        path.write_text(json.dumps(body, ensure_ascii=False), encoding="utf-8")
        self.window.open([str(path)])
        self.qtbot.waitUntil(lambda: self.page.bench.state == "ready")
        self.page.bench.settings.edit_capacity(CAPACITY)
        settle(self.page, self.qtbot)
        return path

    def compare(
        self, capsys: pytest.CaptureFixture[str], owner: str, ratio: float, chat: Path | None = None
    ) -> None:
        """The window says what the command line says."""
        page = self.page
        case, edits = chat or self.folder / "case.json", ["--set", f"{owner}.{TRIGGER}={ratio}"]
        if page.bench.recording is not None:
            write_case(export_case(page.bench.recording), case)
        else:
            edits += ["--capacity", str(CAPACITY)]
        for name, words in (("a", []), ("b", edits)):
            output = str(self.folder / f"{name}.json")
            assert run(["replay", str(case), *words, "-o", output]) == 0
        capsys.readouterr()
        run(["compare", str(self.folder / "a.json"), str(self.folder / "b.json"), "--json"])
        expected = json.loads(capsys.readouterr().out)
        model = page.comparison.table
        shown = {row.measure.name: (row.a, row.b) for row in model.rows if row.kind is None}
        assert list(shown.values()) == [(m["a"], m["b"]) for m in expected["metrics"]]
        assert page.comparison.lost.table.total > 0

    def branch(self) -> None:
        page = self.page
        result = page.bench.result
        assert result is not None
        divergence = result.comparison.first_divergence
        assert divergence is not None
        page.selection.select_step(divergence.step)
        QTest.keyClick(self.window, Key.Key_B)
        dialog = page.findChild(BranchDialog)
        assert dialog is not None
        dialog.view.show_row(1)
        dialog.drop.click()
        dialog.accept()
        settle(page, self.qtbot)
        assert [(kept.id, kept.parent) for kept in page.runs.runs] == [
            ("run 1", None),
            ("run 2", "run 1"),
        ]
        page.runs.load(page.runs.runs[0])
        settle(page, self.qtbot)

    def sweep_and_take_the_best(self, *axes: tuple[str, str]) -> None:
        page = self.page
        page.bar.setCurrentIndex(list(page.tabs).index("Sweep"))
        for editor, (name, values) in zip(page.sweep_tab.axes, axes, strict=True):
            editor.choose(name, values)
        page.sweep_tab.start()
        self.qtbot.waitUntil(lambda: not page.sweep.running)
        swept = page.sweep.swept
        assert swept is not None
        assert len(swept.rows) == 4
        best = min(
            (row.figures.net_cost or 0.0, at) for at, row in enumerate(swept.rows) if row.cheapest
        )[1]
        scatter = page.sweep_tab.pictures.scatter
        QTest.mouseClick(scatter, LEFT, pos=scatter.place_of(best).toPoint())
        settle(page, self.qtbot)
        base = page.bench.settings.base
        assert base is not None
        settings = swept.rows[best].settings
        edits = [parse_edit(f"{name}={json.dumps(value)}") for name, value in settings.items()]
        capacity = page.bench.settings.setup.capacity
        self.window.actions_["copy_python"].trigger()
        told = QGuiApplication.clipboard().text()
        assert told == python_settings(edited(base, edits, capacity))


@pytest.fixture
def story(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Story:
    return Story(window, qtbot, tmp_path)


@pytest.mark.usefixtures("here")
def test_the_story_on_the_sample(story: Story, capsys: pytest.CaptureFixture[str]) -> None:
    story.open(resource_path("sample/workspace"))
    ratio = story.drag_a_line(DIALOGUE, 0.45)
    story.compare(capsys, DIALOGUE, ratio)
    story.branch()
    story.sweep_and_take_the_best(
        (f"{DIALOGUE}.{TRIGGER}", "0.5,0.6"), (f"{CURRENT}.keep_recent_messages", "4,6")
    )


def test_the_story_on_a_chat_without_a_recording(
    story: Story, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = story.open_chat(40)
    ratio = story.drag_a_line(CURRENT, 0.5)
    story.compare(capsys, CURRENT, ratio, chat)
    story.branch()
    story.sweep_and_take_the_best(
        (f"{CURRENT}.{TRIGGER}", "0.5,0.7"), (f"{CURRENT}.keep_recent_messages", "0,4")
    )

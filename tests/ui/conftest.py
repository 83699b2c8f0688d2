"""A window on made-up or recorded input, with settings of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.sources.problem import Problem
from inspector.sources.scan import Source
from inspector.trace.live import Growth
from inspector.trace.opened import Opened
from inspector.ui import theme
from inspector.ui.main_window import MainWindow
from inspector.ui.models import document
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.patience import PATIENCE
from tests.swept import Here
from tests.ui.fake_trace import FakeTrace
from tests.ui.replay_cases import made_up_case, write_case
from tests.ui.replay_page import OpenCase, replay_of

Show = Callable[..., MainWindow]
"""Opens a window on made-up contexts."""


@pytest.fixture(scope="session", autouse=True)
def _dressed(qapp: QApplication) -> None:
    theme.apply(qapp)


class PatientBot(QtBot):
    """Waits for as long as a slow machine may need."""

    waitExposed = partialmethod(QtBot.waitExposed, timeout=round(PATIENCE * 1_000))
    waitSignal = partialmethod(QtBot.waitSignal, timeout=round(PATIENCE * 1_000))
    waitUntil = partialmethod(QtBot.waitUntil, timeout=round(PATIENCE * 1_000))


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings) -> Iterator[MainWindow]:
    """An empty window that has been painted once, its chart loaded."""
    made = MainWindow(settings)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    with qtbot.waitExposed(made):
        made.show()
    qtbot.waitUntil(lambda: made.inspect.timeline.chart is not None)
    yield made
    made.close_anyway()


@pytest.fixture
def show(qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    def open_made_up(*traces: FakeTrace, problems: Sequence[Problem] = ()) -> MainWindow:
        source = Source("a/CurrentRoundCompressor.jsonl", "context_debug", 120, str(tmp_path), 9)
        source.problems = list(problems)
        content = Opened((source,), traces)  # type: ignore[arg-type]
        growth = Growth(content, complete=True, behind=0, watched=True)

        def follow(_: Sequence[str], cancelled: Callable[[], bool]) -> Iterator[Growth]:
            yield growth
            while not cancelled():
                time.sleep(0.01)

        monkeypatch.setattr(document, "follow", follow)
        with qtbot.waitSignal(window.document.opened):
            window.open([str(tmp_path)])
        return window

    return open_made_up


@pytest.fixture
def replay(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> OpenCase:
    """Opens a made-up case in the window and waits until its baseline has run."""

    def open_case(rounds: int = 40, **more: Any) -> ReplayPerspective:
        path = write_case(made_up_case(rounds, **more), tmp_path / "case.json")
        window.open([str(path)])
        page = replay_of(window)
        qtbot.waitUntil(lambda: page.bench.state == "ready")
        return page

    return open_case


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweep without processes, in the window and on the command line."""
    for place in ("ui.models.replay.sweep", "commands.sweep_run"):
        monkeypatch.setattr(f"inspector.{place}.LocalWorkers", Here)

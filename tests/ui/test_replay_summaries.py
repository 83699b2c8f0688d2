"""A real model writes summaries: its cost is said before, its answers are kept, faults are told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from inspector.replay.project import open_project, save_project
from inspector.replay.summaries.answers import Answers
from inspector.ui.main_window import MainWindow
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.panels.replay.dialogs.ask_model import AskModelDialog
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.model_server import ModelServer, answering, failing, serving, silent, talking
from tests.ui.replay_cases import CURRENT, TRIGGER
from tests.ui.replay_page import OpenCase, drag, replay_of, settle, slider_of

NAME = "gpt-4o-mini"
KEY = "sk-never-kept-0123456789"
SUMMARY = "The user wants the failing tests fixed; src/window_1.py is off by one. " * 3


def dialog_of(page: ReplayPerspective, window: MainWindow, qtbot: QtBot) -> AskModelDialog:
    """Open the dialog and wait until the calls are counted."""
    window.actions_["ask_model"].trigger()
    dialog = page.findChildren(AskModelDialog)[-1]
    qtbot.waitUntil(lambda: "Counting" not in dialog.cost.text())
    return dialog


def ask(dialog: AskModelDialog, server: ModelServer) -> None:
    dialog.model.setText(NAME)
    dialog.url.setText(server.url)
    dialog.key.setText(KEY)
    dialog.asking.click()


def summaries(bench: ReplayBench) -> dict[str, int]:
    assert bench.result is not None
    return bench.result.trace.report.summaries


def test_calls_and_cost_are_told_and_the_answers_are_kept(
    replay: OpenCase, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    page = replay(30)
    settle(page, qtbot)
    offline = summaries(page.bench)["extractive"]
    with serving(answering(SUMMARY)) as server:
        dialog = dialog_of(page, window, qtbot)
        dialog.model.setText("a-model-without-a-price")
        assert "as the table lacks a-model-without-a-price" in dialog.cost.text()
        dialog.model.setText(NAME)
        assert f"About {offline} call" in dialog.cost.text()
        assert "USD 0.0" in dialog.cost.text()
        assert f"at the prices of {NAME}" in dialog.cost.text()
        ask(dialog, server)
        settle(page, qtbot)
        sent = len(server.requests)
        assert server.keys == [f"Bearer {KEY}"] * sent
        assert summaries(page.bench) == {NAME: sent}
        assert page.chain.engine.writer.text() == NAME
        window.actions_["keep_run"].trigger()

        page.bench.settings.edit_summary_model(None)
        settle(page, qtbot)
        assert summaries(page.bench) == {"extractive": offline}
        page.runs.load(page.runs.runs[0])
        settle(page, qtbot)
        assert summaries(page.bench) == {NAME: sent}
        assert "Nobody need be asked" in dialog_of(page, window, qtbot).cost.text()
        assert len(server.requests) == sent

    project = page.runs.project()
    assert project is not None
    path = tmp_path / "p.json"
    save_project(project, path)
    assert KEY not in path.read_text(encoding="utf-8")
    assert len(open_project(path).answers) == sent
    figures = dict(page.runs.runs[0].figures)
    window.open([str(path)])
    qtbot.waitUntil(lambda: page.bench.state == "ready" and bool(page.runs.runs))
    page.runs.load(page.runs.runs[0])
    settle(page, qtbot)
    assert summaries(page.bench) == {NAME: sent}
    assert dict(page.runs.runs[0].figures) == figures


FAULTS = (
    (talking(b"<html>Welcome</html>", "text/html"), "no chat completion"),
    (failing(401, f"Incorrect API key provided: {KEY}"), "Incorrect API key provided: [key]"),
)


def test_an_endpoint_that_lies_is_told_and_what_it_answered_stays(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay(30)
    settle(page, qtbot)
    for reply, told in FAULTS:
        page.bench.answers = Answers()
        with serving(answering(SUMMARY), reply) as server:
            ask(dialog_of(page, window, qtbot), server)
            qtbot.waitUntil(lambda: bool(page.bench.failure))
            settle(page, qtbot)
            assert len(server.requests) == 2
        title = page.chart.title.text()
        assert f"{NAME} was asked in vain" in title
        assert told in title
        assert KEY not in title
        assert summaries(page.bench)[NAME] == 1
    drag(slider_of(page, CURRENT), 70)
    settle(page, qtbot)
    assert not page.bench.failure


def test_an_endpoint_that_hangs_is_told(replay: OpenCase, window: MainWindow, qtbot: QtBot) -> None:
    page = replay(30, timeout=0.1)
    settle(page, qtbot)
    with serving(silent) as server:
        ask(dialog_of(page, window, qtbot), server)
        qtbot.waitUntil(lambda: bool(page.bench.failure))
        settle(page, qtbot)
    title = page.chart.title.text()
    assert f"{NAME} was asked in vain" in title
    assert "Request timed out" in title
    assert NAME not in summaries(page.bench)


def test_asking_is_stopped_while_the_window_stays_live(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay(30)
    settle(page, qtbot)
    with serving(silent) as server:
        ask(dialog_of(page, window, qtbot), server)
        qtbot.waitUntil(server.asked.is_set)
        qtbot.waitUntil(lambda: f"asking {NAME}, call 1" in page.chart.title.text())
        assert window.actions_["stop_replay"].isEnabled()
        window.actions_["stop_replay"].trigger()
        assert page.bench.progress is None
        drag(slider_of(page, CURRENT), 60)
        page.bench.settings.edit_summary_model(None)
        settle(page, qtbot)
        assert page.chain.row(CURRENT, TRIGGER).editor.read() == 0.6
    assert set(summaries(page.bench)) == {"extractive"}


def test_an_endpoint_that_is_none_is_not_asked(
    replay: OpenCase, window: MainWindow, qtbot: QtBot
) -> None:
    page = replay(30)
    settle(page, qtbot)
    dialog = dialog_of(page, window, qtbot)
    dialog.model.setText(NAME)
    for url, told in (
        ("localhost:8000/v1", "http://"),
        ("http://[::1/v1", "no address"),
        (f"https://me:{KEY}@host/v1", "its own field"),
    ):
        dialog.url.setText(url)
        assert told in dialog.error.text()
        assert KEY not in dialog.about.text()
        assert not dialog.asking.isEnabled()


def test_a_key_goes_into_the_keyring_only_if_wished_and_the_endpoint_is_remembered(
    replay: OpenCase, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, str] = {}

    class Keyring:
        get_password: Callable[..., str | None] = staticmethod(lambda _, name: kept.get(name))

        @staticmethod
        def set_password(_: str, name: str, key: str) -> None:
            kept[name] = key

    monkeypatch.setitem(sys.modules, "keyring", Keyring)
    page = replay(30)
    settle(page, qtbot)
    with serving(answering(SUMMARY)) as server:
        dialog = dialog_of(page, window, qtbot)
        dialog.key.setText(KEY)
        dialog.kept.setChecked(True)
        with qtbot.waitSignal(page.commands.done):
            ask(dialog, server)
        settle(page, qtbot)
        assert kept == {server.url: KEY}
        page.bench.answers = Answers()
        page.bench.settings.edit_summary_model(None)
        settle(page, qtbot)
        again = dialog_of(page, window, qtbot)
        assert (again.model.text(), again.url.text()) == (NAME, server.url)
        again.asking.click()
        settle(page, qtbot)
        assert set(server.keys) == {f"Bearer {KEY}"}
    assert KEY not in repr(replay_of(window).commands._asked)

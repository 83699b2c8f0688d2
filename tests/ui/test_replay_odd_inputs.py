"""Odd conversations are replayed as they are, and what is odd about them is said."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from inspector.ui.panels.replay.perspective import ReplayPerspective
from tests.ui.replay_cases import tool_round
from tests.ui.replay_page import replay_of, settle

USER = {"role": "user", "content": "Go"}
ROUNDS = [message for number in range(30) for message in tool_round(number)]


def open_chat(
    window: MainWindow, qtbot: QtBot, folder: Path, messages: list[dict[str, Any]]
) -> ReplayPerspective:
    path = folder / f"chat-{len(messages)}.json"
    path.write_text(json.dumps({"model": "gpt-4o", "messages": messages}), encoding="utf-8")
    window.open([str(path)])
    page = replay_of(window)
    qtbot.waitUntil(lambda: page.bench.state == "ready")
    return page


def test_what_is_odd_is_said_and_the_rest_goes_on(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    call, result = tool_round(99)
    for messages, told in (
        ([USER], "is one message"),
        (ROUNDS, "No message is a user's"),
        ([USER, *ROUNDS, call, USER], "1 tool call has no result"),
        ([USER, result, *ROUNDS], "1 tool result has no call"),
    ):
        page = open_chat(window, qtbot, tmp_path, messages)
        page.bench.settings.edit_capacity(2_000)
        settle(page, qtbot)
        assert told in page.comparison.notes.text()
        assert told in page.assumptions.sentence.text()
        steps = page.bench.result.comparison.steps if page.bench.result is not None else None
        assert steps is not None
        assert steps.compared >= 1


def test_a_window_with_20_000_messages_stays_live(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    said = {"role": "assistant", "content": "It is off by one. " * 10}
    messages = [USER, said] * 10_000
    path = tmp_path / "case.json"
    case = {"messages": messages, "mode": "bulk", "processors": [["RoundLevelCompressor", {}]]}
    path.write_text(json.dumps({"case": case}), encoding="utf-8")
    turns, began = [0], time.process_time()
    timer = QTimer()
    timer.timeout.connect(lambda: turns.append(turns.pop() + 1))
    timer.start(20)
    window.open([str(path)])
    page = replay_of(window)
    qtbot.waitUntil(lambda: page.bench.state == "ready")
    page.bench.settings.edit_capacity(50_000)
    qtbot.waitUntil(lambda: page.bench.progress is None and not page.bench.stale)
    assert turns[0] > time.process_time() - began  # once a second of work, whatever the machine
    result = page.bench.result
    assert result is not None
    assert result.trace.run.steps[-1].added == len(messages)
    page.bench.settings.reset()

"""What the engine leaves besides records, in the window: rules, offloads, archives, notes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from inspector.ui.panels.detail.before_after import BeforeAfterTab, WindowTab
from inspector.ui.panels.detail.gates import GatesTab
from inspector.ui.panels.detail.notes import NotesTab
from inspector.ui.panels.detail.offloads import OffloadsTab
from inspector.ui.panels.detail.recall import RecallTab
from inspector.ui.panels.detail.rule import RuleTab
from inspector.ui.panels.detail.tab import DetailTab
from inspector.ui.widgets.text_view import TextView
from tests.copies import copied
from tests.debug_files import DebugFolder, check, record
from tests.offload_files import large, original, stored, tried, write_log, write_offload

Tab = TypeVar("Tab", bound=DetailTab[Any])
Open = Callable[[Path], MainWindow]
OFFLOADER = "MessageSummaryOffloader"


@pytest.fixture
def opened(window: MainWindow, qtbot: QtBot) -> Open:
    def open_path(path: Path) -> MainWindow:
        with qtbot.waitSignal(window.document.opened):
            window.open([str(path)])
        return window

    return open_path


@pytest.fixture
def tree(shared: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies a recorded workspace, to be changed."""

    def copy(name: str) -> Path:
        return copied(shared / "dumps" / name / "workspace", tmp_path / name / "workspace")

    return copy


def select(window: MainWindow, qtbot: QtBot, processor: str, outcome: str) -> None:
    """Select the first decision of a processor that ended in an outcome."""
    trace = window.selection.trace
    assert trace is not None
    columns = trace.decisions
    mine = columns.processor == columns.processors.index(processor)
    ended = columns.outcome == columns.outcomes.index(outcome)
    window.selection.select(int(np.flatnonzero(mine & ended)[0]))
    qtbot.waitUntil(lambda: not window.inspect.detail.is_reading())


def turn_to(window: MainWindow, qtbot: QtBot, kind: type[Tab]) -> Tab:
    """Click on a tab and wait for what it shows."""
    detail = window.inspect.detail
    at = next(at for at, tab in enumerate(detail.tabs) if isinstance(tab, kind))
    assert detail.bar.isTabVisible(at)
    QTest.mouseClick(detail.bar, Qt.MouseButton.LeftButton, pos=detail.bar.tabRect(at).center())
    qtbot.waitUntil(lambda: not window.worker.busy())
    tab = detail.current_tab()
    assert isinstance(tab, kind)
    return tab


def click_text(view: TextView, text: str) -> None:
    cursor = view.document().find(text)
    assert not cursor.isNull(), f"{text} is not there"
    view.setTextCursor(cursor)
    view.ensureCursorVisible()
    cursor.setPosition((cursor.selectionStart() + cursor.selectionEnd()) // 2)
    place = view.cursorRect(cursor).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def follow(window: MainWindow, qtbot: QtBot, view: TextView, text: str) -> str:
    """Click on a marker; return what is then said."""
    click_text(view, text)
    payload = window.inspect.below.payload
    assert payload.isVisible()
    qtbot.waitUntil(lambda: not window.worker.busy())
    return payload.head.text() + "\n" + payload.text.text()


def test_a_rule_stands_beside_its_original(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "e_offloader_rules" / "workspace")
    select(window, qtbot, OFFLOADER, "offloaded")
    tab = turn_to(window, qtbot, RuleTab)
    assert tab.head.text().startswith("shortened by the rule for logs · 39,958 → 5,991 characters")
    assert len(tab.original.text.text()) == 39_958
    assert tab.result.text.text().startswith("[LOG compressed: format=generic, kept=95/544")
    facts = {name: value for name, value, _ in tab.facts.facts}
    assert facts["total lines"] == "544"
    assert facts["omitted lines"] == "449"
    gates = turn_to(window, qtbot, GatesTab)
    assert "The rule for logs shortened it from 39,958 to 5,991" in gates.sentence.text()


def test_every_handle_of_the_session_is_listed(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "e_offloader_rules" / "workspace")
    select(window, qtbot, OFFLOADER, "offloaded")
    tab = turn_to(window, qtbot, OffloadsTab)
    assert tab.head.text() == "19 markers · 19 resolved"
    assert "answers call_e_0000" in tab.reader.reader.text()
    place = tab.reader.view.visualRect(tab.stored.index(3, 1)).center()
    QTest.mouseClick(tab.reader.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: "answers call_e_0003" in tab.reader.reader.text())


def test_what_came_back_in_vain_is_told(opened: Open, qtbot: QtBot, tmp_path: Path) -> None:
    """An original is offloaded, reloaded by the model, and offloaded again."""
    folder = DebugFolder(tmp_path / "ws")
    first, again = "0123456789abcdef" * 2, "fedcba9876543210" * 2
    arguments = json.dumps({"offload_handle": first})
    reload = {"name": "reload_original_context_messages", "arguments": arguments}
    asks = {"role": "assistant", "content": "", "tool_calls": [{"id": "r1", "function": reload}]}
    for at, messages in enumerate(([original("c1")], [asks, original("r1")])):
        request = record("pre_call", "llm_request", at + 0.5, messages=messages)
        folder.write([check("DialogueCompressor", at, 5), request])
    out = [large("c1"), tried("c1"), stored("c1", first)]
    write_log(folder, [*out, large("r1"), tried("r1"), stored("r1", again)])
    for handle, call_id in ((first, "c1"), (again, "r1")):
        write_offload(folder.session / "offload", handle, call_id)
    window = opened(folder.root)
    select(window, qtbot, OFFLOADER, "offloaded")
    tab = turn_to(window, qtbot, OffloadsTab)
    assert tab.head.text().endswith("taken out of the window again.")
    asked = tab.stored.cell(0, 3)
    assert (asked.text, asked.mark and asked.mark.told) == ("step 2", "taken out again")
    assert "asked for at step 2 by r1" in tab.reader.reader.text()
    assert f"as original {again}" in tab.reader.reader.text()
    trace = window.selection.trace
    assert trace is not None
    rows = range(len(trace.decisions))
    window.selection.select(next(row for row in rows if trace.decision(row).reload_of))
    gates = turn_to(window, qtbot, GatesTab)
    assert gates.sentence.text().startswith("The model had just asked to have this back.")
    assert {name: value for name, value, _ in gates.facts.facts}["brought back"].endswith(first)


def test_a_deleted_payload_is_a_dangling_marker(
    opened: Open, qtbot: QtBot, tree: Callable[[str], Path]
) -> None:
    workspace = tree("n_deep_agent_preset")
    for file in workspace.rglob("offload/*.json"):
        file.unlink()
    window = opened(workspace)
    select(window, qtbot, OFFLOADER, "offloaded")
    tab = turn_to(window, qtbot, OffloadsTab)
    assert tab.head.text() == "4 markers · 4 dangling"
    assert "It is gone" in tab.reader.reader.text()
    change = turn_to(window, qtbot, BeforeAfterTab)
    change.reader.start_at(0)
    said = follow(window, qtbot, change.reader.reader, "[[OFFLOAD: handle=")
    assert said.startswith("dangling")
    assert "would be at " in said
    assert not window.inspect.below.payload.ask.isVisible()
    QTest.mouseClick(window.inspect.below.payload.back, Qt.MouseButton.LeftButton)
    assert change.isVisible()


def test_a_failed_write_leaves_zero_bytes(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "l_lone_surrogate" / "workspace")
    select(window, qtbot, OFFLOADER, "cut")
    tab = turn_to(window, qtbot, OffloadsTab)
    assert "1 zero bytes" in tab.head.text()
    assert "the original is lost" in tab.reader.reader.text()
    assert turn_to(window, qtbot, RuleTab).note().startswith("The texts are not in the files")
    gates = turn_to(window, qtbot, GatesTab)
    assert "could not be written" in gates.sentence.text()


def test_a_marker_in_a_text_leads_to_its_original(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "n_deep_agent_preset" / "workspace")
    select(window, qtbot, OFFLOADER, "offloaded")
    change = turn_to(window, qtbot, BeforeAfterTab)
    view = change.reader.reader
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert view.textCursor().selectedText().startswith("[[OFFLOAD: handle=")
    QTest.keyClick(view, Qt.Key.Key_Return)
    payload = window.inspect.below.payload
    qtbot.waitUntil(lambda: "answers call_005_2" in payload.text.text())
    assert payload.head.text() == "resolved"
    QTest.keyClick(payload.text, Qt.Key.Key_Backspace)
    assert change.isVisible()
    assert view.hasFocus()


@pytest.fixture
def leading_out(tree: Callable[[str], Path], tmp_path: Path) -> tuple[Path, Path]:
    """A workspace with a marker that leads out of it, and where it leads."""
    workspace, target = tree("n_deep_agent_preset"), tmp_path / "elsewhere" / "secret.json"
    target.parent.mkdir()
    target.write_text(json.dumps({"messages": [{"role": "user", "content": "<b>top</b> secret"}]}))
    marker = f"[[OFFLOAD: handle={'f' * 32}, type=filesystem, path={target}]]"
    folder = next(workspace.rglob("offload"))
    file = next(folder.glob("*.json"))
    stored = json.loads(file.read_text(encoding="utf-8"))
    stored["messages"][0]["content"] = f"see {marker}"
    file.write_text(json.dumps(stored), encoding="utf-8")
    return workspace, target


def test_a_marker_that_leads_out_is_followed_only_when_asked(
    opened: Open, qtbot: QtBot, leading_out: tuple[Path, Path]
) -> None:
    workspace, target = leading_out
    window = opened(workspace)
    select(window, qtbot, OFFLOADER, "offloaded")
    tab = turn_to(window, qtbot, OffloadsTab)
    row = next(
        row for row in range(tab.stored.row_count()) if "ffff" in _read_row(tab, row, qtbot, window)
    )
    assert row >= 0
    said = follow(window, qtbot, tab.reader.reader, "[[OFFLOAD: handle=ffff")
    payload = window.inspect.below.payload
    assert said.startswith("outside")
    assert f"would be at {target}" in said
    assert "secret</b>" not in said
    assert "top" not in said
    QTest.mouseClick(payload.ask, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "<b>top</b> secret" in payload.text.toPlainText())
    assert not payload.ask.isVisible()


def _read_row(tab: OffloadsTab, row: int, qtbot: QtBot, window: MainWindow) -> str:
    tab.reader.view.show_row(row)
    qtbot.waitUntil(lambda: not window.worker.busy())
    return tab.reader.reader.text()


def test_an_archive_shows_turns_and_chunks(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "g_recall" / "workspace")
    select(window, qtbot, "DialogueCompressor", "compressed")
    tab = turn_to(window, qtbot, RecallTab)
    assert "32 of 37 messages · 4 turns · 4 chunks" in tab.head.text()
    assert tab.reader.reader.text().startswith("Query\n\nTurn 0:")
    tab.reader.view.show_row(1)
    assert "chunks/turn_000_chunk_000" in tab.reader.reader.text()
    change = turn_to(window, qtbot, BeforeAfterTab)
    said = follow(window, qtbot, change.reader.reader, "[[COMPRESSION_RECALL: id=")
    assert said.startswith("resolved")
    assert "Turn 3: please look at the response module" in said


def test_notes_are_told_by_what_changed(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "h_session_memory_direct" / "workspace")
    select(window, qtbot, "SessionMemoryCompressor", "materialised")
    tab = turn_to(window, qtbot, NotesTab)
    assert tab.versions.row_count() == 5
    assert tab.versions.cell(0, 1).text == "template"
    assert "Compared with version 1." in tab.reader.reader.text()  # those that were used here
    tab.reader.view.show_row(4)
    assert "Compared with version 4." in tab.reader.reader.text()
    assert "\n+ - update 15:" in tab.reader.reader.text()
    gates = turn_to(window, qtbot, GatesTab)
    assert "the session notes took the place of older messages" in gates.sentence.text()


def test_a_request_stands_beside_the_one_before(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "h_session_memory_direct" / "workspace")
    select(window, qtbot, "SessionMemory", "update_started")
    tab = turn_to(window, qtbot, WindowTab)
    fates = [row.fate for row in tab.rows.rows]
    assert set(fates) == {"kept", "added"}
    assert fates[-1] == "added"
    assert tab.reader.reader.text().startswith("assistant · message 20")


def test_a_tab_comes_back_with_the_next_decision_that_has_it(
    opened: Open, qtbot: QtBot, shared: Path
) -> None:
    window = opened(shared / "dumps" / "n_deep_agent_preset" / "workspace")
    select(window, qtbot, OFFLOADER, "offloaded")
    rule = turn_to(window, qtbot, RuleTab)
    bar = window.inspect.detail.bar
    last = bar.count() - 1
    assert bar.tabRect(last).right() < bar.width()
    select(window, qtbot, "CurrentRoundCompressor", "compressed")
    assert isinstance(window.inspect.detail.current_tab(), GatesTab)
    qtbot.waitUntil(lambda: bar.tabRect(last).right() < bar.width())
    select(window, qtbot, OFFLOADER, "offloaded")
    assert window.inspect.detail.current_tab() is rule
    assert bar.tabRect(last).left() > bar.tabRect(0).right()
    assert rule.isVisible()


def test_a_file_of_the_tree_is_shown(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "l_lone_surrogate" / "workspace")
    sources, file = window.inspect.sources, window.inspect.below.file
    kinds = {node.label: node.aside for _, node in sources.model.indexes() if node.kind == "kind"}
    assert kinds == {
        "compressor records": "3",
        "offloader records": "7",
        "offloaded messages": "2",
        "rule dumps": "2",
    }
    index = next(i for i, n in sources.model.indexes() if n.label == "CurrentRoundCompressor.jsonl")
    sources.tree.setExpanded(index.parent(), True)
    sources.tree.scrollTo(index)
    place = sources.tree.visualRect(index).center()
    QTest.mouseClick(sources.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert file.isVisible()
    assert file.head.text().startswith("compressor records · ")
    assert "3 records" in file.head.text()
    qtbot.waitUntil(lambda: '"event": "threshold_check"' in file.text.toPlainText())
    QTest.mouseClick(file.back, Qt.MouseButton.LeftButton)
    assert window.inspect.detail.isVisible()


def test_a_file_that_went_away_says_so(
    opened: Open, qtbot: QtBot, tree: Callable[[str], Path]
) -> None:
    workspace = tree("f_message_offloader")
    window = opened(workspace)
    content = window.document.content
    assert content is not None
    shutil.rmtree(workspace / "context")
    window.inspect.sources.tree.choose(content.sources[0])
    qtbot.waitUntil(lambda: "cannot be read" in window.inspect.below.file.text.text())


def test_a_folder_of_offloads_only_says_which_switch_was_off(
    opened: Open, qtbot: QtBot, shared: Path
) -> None:
    window = opened(shared / "dumps" / "f_message_offloader" / "workspace")
    timeline, missing = window.inspect.timeline, window.inspect.below.missing
    said = [label.text() for label in timeline.findChildren(QLabel) if label.isVisible()]
    assert any(text.startswith("Only offloaded originals are here.") for text in said)
    button = next(b for b in timeline.findChildren(QPushButton) if "recorded" in b.text())
    qtbot.waitUntil(button.isVisible)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert missing.isVisible()
    assert "enable_debug_dump=True" in missing.text.text()
    QTest.mouseClick(missing.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("ContextEngineConfig(enable_context_debug=True")
    assert all(line in missing.text.text() for line in copied.splitlines())


def test_a_folder_without_files_of_the_engine_says_so(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "<b>readme.txt").write_text("nothing", encoding="utf-8")
    note = opened(tmp_path).inspect.welcome.note
    assert note.isVisible()
    assert "No debug files?" in note.text()
    assert "no files of the context engine" in note.text()
    copy = next(b for b in note.findChildren(QPushButton) if b.text() == "Copy these lines")
    QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert "enable_compression_dump=True" in QGuiApplication.clipboard().text()


def test_a_conversation_of_another_agent_is_called_one(opened: Open, shared: Path) -> None:
    note = opened(
        shared / "samples" / "claude_code" / "compact_boundary.jsonl"
    ).inspect.welcome.note
    assert note.text().startswith("Nothing that the context engine wrote")
    assert "Found: Claude Code conversations." in note.text()


def test_a_silent_compressor_leads_to_its_switch(opened: Open, qtbot: QtBot, shared: Path) -> None:
    window = opened(shared / "dumps" / "l_lone_surrogate" / "workspace")
    select(window, qtbot, "DialogueCompressor", "undecided")
    gates = turn_to(window, qtbot, GatesTab)
    QTest.mouseClick(gates.switches, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    said = window.inspect.below.missing.text.text()
    assert said.startswith("DialogueCompressor left no record in this context")
    assert "DialogueCompressorConfig(enable_compression_dump=True" in said
    select(window, qtbot, "CurrentRoundCompressor", "declined")
    assert not gates.switches.isVisible()

"""Pictures of every panel and tab, taken by the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from inspector.ui.main_window import MainWindow
from inspector.ui.shots import posed

PICTURES = (
    "gates",
    "before-after",
    "rule",
    "offloads",
    "window",
    "records",
    "missing-records",
    "file",
)


def shoot(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from inspector.cli import main; main()"
    command = [sys.executable, "-c", code, "shots", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_tab_of_a_recorded_run_in_both_themes(shared: Path, tmp_path: Path) -> None:
    workspace = str(shared / "dumps" / "f_message_offloader" / "workspace")
    ended = shoot(workspace, "-o", str(tmp_path), "--size", "900x700")
    assert (ended.returncode, ended.stderr) == (0, "")
    names = {path.name for path in tmp_path.glob("inspect-*")}
    assert names == {
        f"inspect-{name}-{theme}-900x700.png" for name in PICTURES for theme in ("light", "dark")
    }
    pictures = {
        QImage(str(path)).pixelColor(450, 12).lightness() > 128 for path in tmp_path.iterdir()
    }
    assert pictures == {True, False}
    assert QImage(str(tmp_path / "inspect-gates-dark-900x700.png")).width() == 900


def test_a_tab_is_shown_on_a_decision_of_whatever_context_fills_it(
    window: MainWindow, qtbot: QtBot, shared: Path
) -> None:
    names = ("j_rate_429_then_ok", "g_recall", "h_session_memory_direct")
    with qtbot.waitSignal(window.document.opened):
        window.open([str(shared / "dumps" / name / "workspace") for name in names])
    window.perspectives = [window.inspect]
    detail = window.inspect.detail
    filled = {name: detail.current_tab().is_filled() for name in posed(window)}
    tabs = {f"inspect-{tab.title.lower().replace(' / ', '-')}" for tab in detail.tabs}
    assert {name for name in tabs if filled.get(name)} == tabs


def test_an_empty_window_is_a_picture_too(tmp_path: Path) -> None:
    ended = shoot("-o", str(tmp_path), "--theme", "light", "--size", "900x700", "--size", "640x480")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert {path.name for path in tmp_path.glob("inspect-*")} == {
        "inspect-welcome-light-900x700.png",
        "inspect-welcome-light-640x480.png",
    }


def test_what_is_not_there_is_refused_in_one_line(tmp_path: Path) -> None:
    for arguments in (["no/such/place"], ["--size", "big"]):
        ended = shoot(*arguments, "-o", str(tmp_path))
        assert ended.returncode == 2
        assert len(ended.stderr.splitlines()) == 1


def test_qt_that_cannot_be_loaded_is_told_in_one_line(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['PySide6.QtWidgets'] = None; "
        "from inspector.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "shots", "-o", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "Qt cannot be loaded" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1

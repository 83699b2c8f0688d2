"""Without a display the program says so in one line, and Qt's abort is never seen."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from inspector.ui import display

BARE = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "")}
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="a display is asked for on Linux only"
)


def run(**environment: str) -> subprocess.CompletedProcess[str]:
    code = "from inspector.ui.app import run_window; raise SystemExit(run_window([], False))"
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env=BARE | environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({}, "neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ({"DISPLAY": ":987"}, "the display :987 does not answer"),
        ({"WAYLAND_DISPLAY": "wayland-987"}, "wayland"),
        ({"QT_QPA_PLATFORM": "nonsense"}, "no platform called nonsense"),
        ({"QT_QPA_PLATFORM": "xcb"}, "the display (none) does not answer"),
        ({"QT_QPA_PLATFORM": "nonsense;xcb", "DISPLAY": ":987"}, "nonsense"),
    ],
)
def test_one_line_says_what_is_missing(environment: dict[str, str], reason: str) -> None:
    ended = run(**environment)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert len(ended.stderr.splitlines()) == 1
    assert reason in ended.stderr
    assert "inspect, decisions" in ended.stderr.lower()


def test_a_missing_library_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: str) -> None:
        raise OSError("libxcb-cursor.so.0: cannot open shared object file: No such file")

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    fault = display.missing_display({"DISPLAY": ":0"}, "linux")
    assert fault is not None
    assert "libxcb-cursor.so.0 is missing" in fault


def test_qt_that_cannot_be_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PySide6.QtWidgets", None)
    fault = display.missing_display({"DISPLAY": ":0"}, "linux")
    assert fault is not None
    assert "Qt cannot be loaded" in fault


def test_offscreen_needs_no_display() -> None:
    assert display.missing_display({"QT_QPA_PLATFORM": "offscreen"}, "linux") is None


def test_nothing_is_asked_elsewhere() -> None:
    assert display.missing_display({}, "darwin") is None

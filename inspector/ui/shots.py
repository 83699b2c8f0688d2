"""Pictures of every panel and tab, rendered offscreen."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, product
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.ui.display import fault_of_libraries

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings, Qt

    from inspector.ui.main_window import MainWindow
    from inspector.ui.panels.perspective import Picture

SIZES = ((1280, 800), (1920, 1080))
THEMES = ("light", "dark")
_LONGEST = 60_000
"""Milliseconds that an input may take to be read."""
_CATCH_UP = 700
"""Milliseconds after which every panel has drawn what was read last."""
_SETTLE = 40
"""Milliseconds left for layout and paint before a picture is taken."""


def take_shots(
    paths: Sequence[str],
    demo: bool,
    folder: Path,
    themes: Iterable[str] = THEMES,
    sizes: Iterable[tuple[int, int]] = SIZES,
    told: Callable[[Path], None] = lambda _: None,
) -> int:
    """Take a picture of every panel and tab on an input.

    Args:
        paths: What to open; may be empty.
        demo: Open the sample instead.
        folder: Where the pictures go, as `panel-tab-theme-size.png`.
        themes: `light`, `dark`.
        sizes: Widths and heights of the window, in pixels.
        told: Called with each picture that was written.

    Returns:
        The exit code: 0, 1 when Qt gave a warning, 2 when the input or Qt could not be read.
    """
    fault = fault_of_libraries()
    if fault is not None:
        sys.stderr.write(f"No picture can be taken: {fault}.\n")
        return 2
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QSettings

    from inspector.ui.main_window import MainWindow

    warnings, failures = _noted_warnings(), list[str]()
    _dress_application()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        settings = QSettings(str(Path(scratch) / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(settings)
        window.document.open_failed.connect(failures.append)
        window.show()
        _settle()
        if demo:
            window.open_sample()
        elif paths:
            window.open(paths)
        _wait(lambda: not window.document.reading)
        _wait(lambda: False, _CATCH_UP)
        for path in _photograph(window, settings, folder, [*product(themes, sizes)]):
            told(path)
        window.close()
    for text in [*failures, *warnings]:
        sys.stderr.write(text + "\n")
    return 2 if failures else 1 if warnings else 0


def _noted_warnings() -> list[str]:
    """Return a list that takes up what Qt warns of from now on."""
    from PySide6.QtCore import qInstallMessageHandler

    warnings: list[str] = []
    qInstallMessageHandler(
        lambda kind, _, text: warnings.append(text) if _is_warning(kind, text) else None
    )
    return warnings


def _dress_application() -> None:
    """Dress the application that runs, or begin one."""
    from PySide6.QtWidgets import QApplication

    from inspector.ui import theme

    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    theme.apply(app)


def _is_warning(kind: object, text: str) -> bool:
    from PySide6.QtCore import QtMsgType

    noisy = kind in (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)
    return noisy and not text.startswith("This plugin does not support ")


def _scheme(name: str) -> Qt.ColorScheme:
    from PySide6.QtCore import Qt

    return Qt.ColorScheme.Dark if name == "dark" else Qt.ColorScheme.Light


def _photograph(
    window: MainWindow, settings: QSettings, folder: Path, looks: list[tuple[str, tuple[int, int]]]
) -> Iterator[Path]:
    """Take the pictures, in every theme and size, and yield their files."""
    from inspector.ui import theme

    dressed = ""
    for name in posed(window):
        for scheme, (width, height) in looks:
            if scheme != dressed:
                theme.dress(_scheme(scheme))
                dressed = scheme
            window.resize(width, height)
            _settle()
            window.perspective.restore_layout(settings)
            _settle()
            path = folder / f"{name}-{scheme}-{width}x{height}.png"
            window.grab().save(str(path))
            yield path
        looks.reverse()  # dressing takes long, so the next picture begins as this one ends


def posed(window: MainWindow) -> Iterator[str]:
    """Bring about one state of the window after the other, and yield what each is called."""
    for at, perspective in enumerate(window.perspectives):
        window.show_perspective(at)
        _settle()
        for name, attempts in groupby(perspective.pictures(), lambda picture: picture.name):
            _pose_best(attempts)
            yield f"{perspective.title.lower()}-{name}"


def _pose_best(attempts: Iterable[Picture]) -> None:
    """Bring about the picture that is worth most; the first of those worth as much."""
    from inspector.ui.panels.perspective import BEST

    best, worth = None, -1
    for picture in attempts:
        picture.pose()
        _wait(picture.ready)
        if picture.worth() > worth:
            best, worth = picture, picture.worth()
        if worth >= BEST:
            return
    if best is not None:
        best.pose()
        _wait(best.ready)


def _settle() -> None:
    """Let layout, queued signals and paint happen."""
    _wait(lambda: False, _SETTLE)


def _wait(condition: Callable[[], bool], longest: int = _LONGEST) -> None:
    from PySide6.QtCore import QElapsedTimer, QEventLoop, QTimer

    clock = QElapsedTimer()
    clock.start()
    while not condition() and clock.elapsed() < longest:
        loop = QEventLoop()
        QTimer.singleShot(5, loop.quit)
        loop.exec()

"""Starts the window."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from inspector.ui.display import missing_display

_HEARING = 200
"""Milliseconds within which an interrupt is heard."""


def run_window(paths: Sequence[str], demo: bool) -> int:
    """Open the window and stay until it is closed.

    Args:
        paths: What to open, one input together; may be empty.
        demo: Open the sample instead.

    Returns:
        The exit code: 0; 2 where no window can be shown, after one line on stderr that says why;
        130 where an interrupt from the terminal closed it.
    """
    fault = missing_display()
    if fault is not None:
        sys.stderr.write(fault + "\n")
        return 2
    from PySide6.QtCore import QSettings, QTimer
    from PySide6.QtWidgets import QApplication

    from inspector.ui import theme
    from inspector.ui.main_window import MainWindow

    app = QApplication(sys.argv[:1])
    app.setApplicationName("Context Inspector")
    app.setOrganizationName("context-inspector")
    theme.apply(app)
    window = MainWindow(QSettings())
    interrupts = []

    def interrupt(number: int, _frame: object) -> None:
        interrupts.append(number)
        QTimer.singleShot(0, window.close_anyway)  # not in the middle of whatever runs

    signal.signal(signal.SIGINT, interrupt)
    hearing = QTimer(app)  # Qt waits in C, where Python hears no signal
    hearing.timeout.connect(lambda: None)
    hearing.start(_HEARING)
    window.show()
    if demo:
        window.open_sample()
    elif paths:
        window.open(paths)
    code = app.exec()
    return 130 if interrupts else code

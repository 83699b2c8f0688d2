"""Starts the window."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from inspector.ui.display import missing_display


def run_window(paths: Sequence[str], demo: bool) -> int:
    """Open the window and stay until it is closed.

    Args:
        paths: What to open, one input together; may be empty.
        demo: Open the sample instead.

    Returns:
        The exit code: 0, or 2 where no window can be shown, after one line on stderr that says why.
    """
    fault = missing_display()
    if fault is not None:
        sys.stderr.write(fault + "\n")
        return 2
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QApplication

    from inspector.ui import theme
    from inspector.ui.main_window import MainWindow

    app = QApplication(sys.argv[:1])
    app.setApplicationName("Context Inspector")
    app.setOrganizationName("context-inspector")
    theme.apply(app)
    window = MainWindow(QSettings())
    window.show()
    if demo:
        window.open_sample()
    elif paths:
        window.open(paths)
    return app.exec()

"""What is shown of a problem: which file, where in it, what is wrong, and what was lost by it."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.sources.problem import Problem
from inspector.ui import formats
from inspector.ui.models.text_runs import Run
from inspector.ui.widgets.text_view import TextView


class ProblemPanel(QWidget):
    """One problem in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = TextView("Problem")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 0, 0, 0)
        layout.addWidget(self.text)

    def show_problem(self, problem: Problem) -> None:
        """Show a problem."""
        line = "" if problem.line is None else f"line     {problem.line:,}\n"
        self.text.show_runs(
            (
                Run(formats.one_line(problem.reason, 1_000) + "\n\n", "heading"),
                Run(f"file     {problem.path}\noffset   {problem.offset:,} bytes\n{line}"),
                Run("\nEvery other record of this file has been read.\n", "muted"),
            )
        )

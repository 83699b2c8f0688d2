"""What else a sweep can be told: further cases, a sample, a cluster to run on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QMenu, QWidget

from inspector.ui import formats, theme
from inspector.ui.widgets.fields.number_field import CountField
from inspector.ui.widgets.push_button import menu_button

_MOST = 1_000_000
_ADDRESS_WIDTH = 220


class SweepOptions(QWidget):
    """One line; what it says when untouched is the case on the bench, all of it, here."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cases: list[Path] = []
        """Files of cases besides the one on the bench."""
        self.sample = CountField("Combinations to run", 0)
        self.scheduler = QLineEdit()
        self._menu = QMenu(self)
        self._button = menu_button("", self._menu)
        self._build()
        self._menu.aboutToShow.connect(self._list_cases)
        self._tell_cases()

    def sample_size(self) -> int | None:
        """Return how many combinations to run; all when None."""
        return self.sample.count() or None

    def address(self) -> str:
        """Return the scheduler's address; empty: this machine."""
        return self.scheduler.text().strip()

    def add_cases(self) -> None:
        """Ask for files of cases or chats, and sweep them along."""
        paths, _ = QFileDialog.getOpenFileNames(self, "Add cases", "", "JSON (*.json)")
        for path in map(Path, paths):
            if path not in self.cases:
                self.cases.append(path)
        self._tell_cases()

    def _build(self) -> None:
        self.sample.setRange(0, _MOST)
        self.sample.setSpecialValueText("all")
        self.sample.setToolTip("Run so many combinations only, the same each time")
        self.scheduler.setPlaceholderText("this machine")
        self.scheduler.setAccessibleName("Address of a Dask scheduler")
        self.scheduler.setToolTip("Run on an existing Dask cluster: tcp://host:port")
        self.scheduler.setFont(theme.content_font())
        self.scheduler.setProperty("quiet", True)
        self.scheduler.setMaximumWidth(_ADDRESS_WIDTH)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID)
        layout.addWidget(self._button)
        for name, field in (("combinations", self.sample), ("run on", self.scheduler)):
            label = QLabel(name)
            label.setForegroundRole(self.palette().ColorRole.PlaceholderText)
            layout.addSpacing(theme.GRID)
            layout.addWidget(label)
            layout.addWidget(field)
        layout.addStretch(1)

    def _list_cases(self) -> None:
        self._menu.clear()
        self._menu.addAction("Add cases…").triggered.connect(self.add_cases)
        if self.cases:
            self._menu.addSeparator()
        for path in self.cases:
            action = self._menu.addAction(f"Leave out {formats.one_line(path.name)}")
            action.triggered.connect(partial(self._leave_out, path))

    def _leave_out(self, path: Path) -> None:
        self.cases.remove(path)
        self._tell_cases()

    def _tell_cases(self) -> None:
        told = "this case" if not self.cases else f"this case and {len(self.cases):,} more"
        self._button.setText(f"{told} ▾")
        self._button.setAccessibleName(f"Cases to sweep: {told}")
        self._button.setToolTip("\n".join(str(path) for path in self.cases))

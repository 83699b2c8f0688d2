"""What the engine is told besides the capacity: the agent's model, and what counts tokens."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from engine.tokens.selection import CounterName
from inspector.ui import formats, theme
from inspector.ui.models.marks import BASIS_MARKS
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.panels.replay.field import TYPING
from inspector.ui.widgets.choice_box import ChoiceBox
from inspector.ui.widgets.provenance_button import ProvenanceButton

_WIDTH = 150
_NO_MODEL = "not named"


class ReplayEngineRows(QWidget):
    """Two rows like those of the cards."""

    def __init__(self, bench: ReplayBench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.model = QLineEdit()
        self.counter = ChoiceBox("What counts tokens", get_args(CounterName))
        self.model_provenance, self.counter_provenance = ProvenanceButton(), ProvenanceButton()
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING)
        self._build()
        self._typing.timeout.connect(lambda: bench.edit_model(self.model.text().strip()))
        self.model.textEdited.connect(lambda: self._typing.start())
        self.counter.textActivated.connect(bench.edit_counter)
        self.model_provenance.clicked.connect(lambda: bench.edit_model(self._base_model()))
        self.counter_provenance.clicked.connect(lambda: bench.edit_counter(self._base_counter()))

    def show_engine(self) -> None:
        """Show model and counter as they stand on the bench."""
        setup = self._bench.setup
        if not self._typing.isActive():
            self.model.setText(self._base_model() if setup.model is None else setup.model)
        self.counter.setCurrentText(setup.counter or self._base_counter())
        for button, edited, base in (
            (self.model_provenance, setup.model is not None, self._base_model() or _NO_MODEL),
            (self.counter_provenance, setup.counter is not None, self._base_counter()),
        ):
            if edited:
                button.offer("edited", f"Back to {formats.one_line(base)}")
            elif base == _NO_MODEL:
                button.say(_NO_MODEL, None)
            else:
                told = self._bench.told_provenance("recorded")
                button.say(told, BASIS_MARKS["recorded"])

    def _base_model(self) -> str:
        base = self._bench.base
        return (base.engine_config().model_name or "") if base is not None else ""

    def _base_counter(self) -> CounterName:
        base = self._bench.base
        return base.token_counter if base is not None else "string"

    def _build(self) -> None:
        self.model.setAccessibleName("The agent's model")
        self.model.setPlaceholderText(_NO_MODEL)
        self.model.setProperty("quiet", True)
        self.model.setFont(theme.content_font())
        self.model.setAlignment(Qt.AlignmentFlag.AlignRight)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 0)
        layout.setSpacing(3)
        for title, about, provenance, editor in (
            (
                "model",
                "Gives the capacity where none is set, and the prices",
                self.model_provenance,
                self.model,
            ),
            ("counter", "What counts tokens", self.counter_provenance, self.counter),
        ):
            editor.setFixedWidth(_WIDTH)
            name = QLabel(title)
            name.setToolTip(about)
            line = QHBoxLayout()
            line.setSpacing(theme.GRID)
            line.addWidget(name)
            line.addWidget(provenance)
            line.addStretch(1)
            line.addWidget(editor)
            layout.addLayout(line)

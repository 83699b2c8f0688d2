"""What the engine is told besides the capacity: the model, what counts tokens, who summarises."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from engine.tokens.selection import CounterName
from inspector.ui import formats, theme
from inspector.ui.models.marks import BASIS_MARKS
from inspector.ui.models.replay.settings.case_settings import CaseSettings
from inspector.ui.panels.replay.chain.setting_row import SettingRow
from inspector.ui.widgets.fields.choice_box import ChoiceBox
from inspector.ui.widgets.push_button import push_button

_WIDTH = 150
_NO_MODEL = "not named"
_OFFLINE = "extractive"


class ReplayEngineRows(QWidget):
    """Three rows like those of the cards."""

    def __init__(
        self, settings: CaseSettings, ask_model: QAction, parent: QWidget | None = None
    ) -> None:
        """Lay out the rows.

        Args:
            settings: What is edited.
            ask_model: Asks a model for summaries.
            parent: What the rows stand in.
        """
        super().__init__(parent)
        self._settings = settings
        self.model = QLineEdit()
        self.counter = ChoiceBox("What counts tokens", get_args(CounterName))
        self.writer = push_button(ask_model, _OFFLINE)
        self.model_row = SettingRow(
            "model", "Gives the capacity where none is set, and the prices", self.model
        )
        self.counter_row = SettingRow("counter", "What counts tokens", self.counter)
        self.writer_row = SettingRow(
            "summaries", "Who writes those that nobody recorded", self.writer
        )
        self._build()
        self.model_row.typing.timeout.connect(
            lambda: settings.edit_model(self.model.text().strip())
        )
        self.model.textEdited.connect(lambda: self.model_row.typing.start())
        self.counter.textActivated.connect(settings.edit_counter)
        for row, back in (
            (self.model_row, lambda: settings.edit_model(self._base_model())),
            (self.counter_row, lambda: settings.edit_counter(self._base_counter())),
            (self.writer_row, lambda: settings.edit_summary_model(None)),
        ):
            row.provenance.clicked.connect(back)

    def show_engine(self) -> None:
        """Show everything as it stands on the bench."""
        setup, recorded = self._settings.setup, self._settings.told_provenance("recorded")
        if not self.model_row.typing.isActive():
            self.model.setText(self._base_model() if setup.model is None else setup.model)
        self.counter.setCurrentText(setup.counter or self._base_counter())
        self.writer.setText(formats.one_line(setup.summary_model or _OFFLINE))
        self.writer.setAccessibleName(f"Summaries by {self.writer.text()}: ask a model")
        named = self._base_model()
        for row, edited, base, told in (
            (self.model_row, setup.model, named or _NO_MODEL, recorded if named else ""),
            (self.counter_row, setup.counter, self._base_counter(), recorded),
            (self.writer_row, setup.summary_model, _OFFLINE, "default"),
        ):
            if edited is not None:
                row.provenance.offer("edited", f"Back to {formats.one_line(base)}")
            else:
                mark = BASIS_MARKS["recorded"] if told == recorded else None
                row.provenance.say(told, mark)

    def _base_model(self) -> str:
        base = self._settings.base
        return (base.engine_config().model_name or "") if base is not None else ""

    def _base_counter(self) -> CounterName:
        base = self._settings.base
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
        for editor in (self.model, self.counter, self.writer):
            editor.setFixedWidth(_WIDTH)
        for row in (self.model_row, self.counter_row, self.writer_row):
            layout.addWidget(row)

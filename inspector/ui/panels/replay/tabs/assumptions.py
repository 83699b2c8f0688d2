"""The Assumptions tab: what was guessed, what is missing, and where the evidence ends."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from inspector.replay.cases.case import Case
from inspector.ui import formats, theme
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.tables.assumption_list import AssumedListModel, GapListModel
from inspector.ui.widgets.row_view import RowView
from inspector.ui.widgets.splitter import ThinSplitter


class ReplayAssumptionsTab(QWidget):
    """A sentence, the assumed settings, the gaps."""

    def __init__(self, bench: ReplayBench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bench = bench
        self.sentence = QLabel()
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.assumed = AssumedListModel(self)
        self.gaps = GapListModel(self)
        split = ThinSplitter(Qt.Orientation.Horizontal)
        split.addWidget(RowView(self.assumed, "Assumed settings"))
        split.addWidget(RowView(self.gaps, "What the recording does not hold"))
        split.setSizes([440, 560])
        head = QHBoxLayout()
        head.setContentsMargins(12, theme.GRID, 12, theme.GRID)
        head.addWidget(self.sentence)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(split, 1)
        bench.state_changed.connect(self._show)

    def _show(self) -> None:
        bench = self._bench
        ready = bench.state == "ready"
        self.assumed.show_cards(bench.settings.base_cards if ready else ())
        self.gaps.show_case(bench.case_file.case if ready and bench.case_file else None)
        self.sentence.setText(" ".join([*_told(bench), *bench.oddities]) if ready else "")


def _told(bench: ReplayBench) -> list[str]:
    """Return how far the case can be trusted."""
    assert bench.case_file is not None
    case, check, recording = bench.case_file.case, bench.check, bench.recording
    if check is None or recording is None:
        return _told_of_file(case)
    said = []
    steps = formats.plural(check.steps.compared, "step")
    if check.first_divergence is None:
        said.append(f"With these settings the engine decides as recorded, over {steps}.")
    else:
        differing = formats.plural(len(check.decisions), "decision")
        said.append(
            f"With these settings {differing} of {steps} came out otherwise than recorded, the "
            f"first at step {check.first_divergence.step:,}: compare with care."
        )
    last = case.origin.last_step if case.origin is not None else None
    recorded = len(recording.steps.number)
    if last is not None and last < recorded:
        said.append(f"The evidence ends at step {last:,} of {recorded:,}.")
    elif last is not None:
        said.append("There is evidence for every step.")
    return said


def _told_of_file(case: Case) -> list[str]:
    said = ["This case comes from a file; it is replayed as it states."]
    origin = case.origin
    if origin is not None and origin.session_id:
        said.append(f"It was made of session {formats.one_line(origin.session_id)}.")
    if origin is not None and origin.last_step is not None:
        said.append(f"The evidence ends at step {origin.last_step:,}.")
    return said

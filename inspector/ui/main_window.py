"""The window: menus, toolbar, status bar, and the perspectives between them.

It connects what belongs to the whole window (opening, stepping, colours, layout) and leaves
everything else to the perspectives. A new perspective is one file in `panels` and one entry in
`PERSPECTIVES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import PurePath

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QMainWindow,
    QMessageBox,
    QProgressBar,
    QStackedWidget,
    QToolBar,
)

from engine.resources import resource_path
from inspector import __version__
from inspector.ui import theme
from inspector.ui.actions import Actions
from inspector.ui.models.document import Document
from inspector.ui.models.follow import Follow
from inspector.ui.models.recent_paths import RecentPaths
from inspector.ui.models.row_table import Cell
from inspector.ui.models.selection import EVERYTHING, Selection
from inspector.ui.panels.inspect.perspective import InspectPerspective
from inspector.ui.panels.keys import KeysDialog
from inspector.ui.panels.perspective import Desk, Perspective
from inspector.ui.panels.replay.perspective import ReplayPerspective
from inspector.ui.tasks.engine_host import EngineHost
from inspector.ui.tasks.garbage import GarbageCollector
from inspector.ui.tasks.worker import Worker
from inspector.ui.widgets.cell_line import CellLine
from inspector.ui.widgets.confirmation import confirm
from inspector.ui.widgets.segmented import Segmented

OTHER_PERSPECTIVES: tuple[Callable[[Desk], Perspective], ...] = (ReplayPerspective,)
"""The perspectives beside Inspect, in the order of the switch; a new one is registered here."""

_STEPPING = (
    "next",
    "previous",
    "next_fired",
    "previous_fired",
    "next_tab",
    "previous_tab",
    "zoom_out",
)
_GEOMETRY = "window/geometry"
_FIRST_SIZE = (1440, 900)
_SCHEMES = {
    "scheme_system": Qt.ColorScheme.Unknown,
    "scheme_light": Qt.ColorScheme.Light,
    "scheme_dark": Qt.ColorScheme.Dark,
}


class MainWindow(QMainWindow):
    """One window on one input."""

    def __init__(self, settings: QSettings) -> None:
        """Build the window.

        Args:
            settings: Where layout and recent paths are remembered.
        """
        super().__init__()
        self._settings = settings
        self._recent = RecentPaths(settings)
        self._started = False
        self._loses = False
        """Whether it closes even where something is not saved."""
        self.worker = Worker("sources", self)
        self.engine = EngineHost(self)
        self._garbage = GarbageCollector(self._is_busy, self)
        self.tail = Worker("tail", self)
        self.document = Document(self.tail, self)
        self.selection = Selection(self)
        self.follow = Follow(self.selection, self)
        self.actions_ = Actions(self)
        self.actions_.build(self.menuBar())
        desk = Desk(
            self.document, self.selection, self.follow, self.worker, self.engine, self.actions_
        )
        self.inspect = InspectPerspective(desk)
        self.perspectives: list[Perspective] = [
            self.inspect,
            *(make(desk) for make in OTHER_PERSPECTIVES),
        ]
        self.pages = QStackedWidget()
        self._switch = QActionGroup(self)
        self.legend = CellLine()
        self.counts = CellLine(right=True)
        self._busy = QProgressBar()
        self._build()
        self._connect()
        self._restore()
        self._tell_state()

    def open(self, paths: Sequence[str]) -> None:
        """Read paths in place of what is open, or give them to the perspective they belong to."""
        for at, perspective in enumerate(self.perspectives):
            if perspective.take(paths):
                self._recent.add(tuple(paths))
                self.show_perspective(at)
                return
        self.show_perspective(0)
        self.document.open(paths)

    def open_sample(self) -> None:
        """Read the sample that ships with the program."""
        try:
            sample = resource_path("sample/workspace")
        except FileNotFoundError as error:
            self.document.open_failed.emit(str(error))
            return
        self.open([str(sample)])

    def close_anyway(self) -> None:
        """Close, whatever is lost."""
        self._loses = True
        self.close()

    @property
    def perspective(self) -> Perspective:
        """The perspective that is shown."""
        return self.perspectives[self.pages.currentIndex()]

    def show_perspective(self, at: int) -> None:
        """Turn to a perspective by its place."""
        self.pages.setCurrentIndex(at)
        self._switch.actions()[at].setChecked(True)
        self._tell_state()

    def _is_busy(self) -> bool:
        return self.worker.busy() or self.engine.busy() or bool(self.document.reading)

    def _build(self) -> None:
        self.setWindowTitle("Context Inspector")
        self.setAcceptDrops(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setCentralWidget(self.pages)
        segmented = Segmented("Perspective")
        for perspective in self.perspectives:
            segmented.add(self._add_page(perspective))
        self._build_toolbar(segmented)
        self._build_status_bar()
        self.show_perspective(0)

    def _add_page(self, perspective: Perspective) -> QAction:
        """Add a perspective, and return the action that turns to it."""
        turn = partial(self.show_perspective, self.pages.addWidget(perspective))
        action = QAction(perspective.title, self)
        action.setCheckable(True)
        action.setShortcut(QKeySequence(perspective.key))
        action.triggered.connect(turn)
        self._switch.addAction(action)
        self.actions_.add("&View", action)
        perspective.status_changed.connect(self._tell_state)
        perspective.wanted.connect(turn)
        return action

    def _build_toolbar(self, segmented: Segmented) -> None:
        bar = QToolBar("Toolbar")
        bar.setObjectName("toolbar")
        bar.setMovable(False)
        name = QLabel("Context Inspector")
        name.setFont(theme.emphasised(theme.interface_font()))
        bar.addWidget(name)
        bar.addWidget(segmented)
        for action, text in (
            ("previous", "◀ P"),
            ("next", "N ▶"),
            ("follow", "● Follow"),
            ("replay", "▶ Replay this session"),
        ):
            self.actions_[action].setIconText(text)
            bar.addAction(self.actions_[action])
        self.addToolBar(bar)

    def _build_status_bar(self) -> None:
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        bar.setContentsMargins(10, 0, 10, 0)
        bar.addWidget(self.legend, 1)
        self._busy.setRange(0, 0)
        self._busy.setFixedWidth(120)
        self._busy.setTextVisible(False)
        self._busy.setAccessibleName("Reading")
        self._busy.hide()
        bar.addPermanentWidget(self._busy)
        bar.addPermanentWidget(self.counts, 1)

    def _connect(self) -> None:
        for name, slot in self._slots():
            self.actions_[name].triggered.connect(slot)
        self.actions_.menu("recent").aboutToShow.connect(self._list_recent)
        document = self.document
        document.replaced.connect(self._show_content)
        document.grew.connect(self._renew)
        document.opened.connect(self._choose_telling)
        document.open_failed.connect(self._tell_failure)
        for signal in (
            self.follow.changed,
            document.reading_changed,
            self.selection.history_changed,
        ):
            signal.connect(self._tell_state)

    def _slots(self) -> Iterator[tuple[str, Callable[..., object]]]:
        """Yield what the whole window does, by the name of the action."""
        document, selection = self.document, self.selection
        yield "open_folder", self._ask_folder
        yield "open_file", self._ask_files
        yield "open_sample", self.open_sample
        yield "reload", lambda: document.open(document.paths)
        yield "stop", document.cancel
        yield "quit", self.close
        yield "next", lambda: self.perspective.step(1)
        yield "previous", lambda: self.perspective.step(-1)
        yield "next_fired", lambda: self.perspective.step(1, fired_only=True)
        yield "previous_fired", lambda: self.perspective.step(-1, fired_only=True)
        yield "next_tab", lambda: self.perspective.turn_tab(1)
        yield "previous_tab", lambda: self.perspective.turn_tab(-1)
        yield "zoom_out", lambda: self.perspective.zoom_out()
        yield "back", selection.go_back
        yield "forward", selection.go_forward
        yield "follow", self.follow.turn
        yield "keys", self._tell_keys
        yield "about", self._tell_about
        for scheme in _SCHEMES:
            yield scheme, partial(self._choose_scheme, scheme)

    def _restore(self) -> None:
        geometry = self._settings.value(_GEOMETRY)
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            self.resize(*_FIRST_SIZE)
        scheme = str(self._settings.value("scheme", "scheme_system"))
        self.actions_[scheme if scheme in _SCHEMES else "scheme_system"].setChecked(True)

    def _show_content(self) -> None:
        content = self.document.content
        assert content is not None
        self._recent.add(self.document.paths)
        self.setWindowTitle(f"{PurePath(self.document.paths[0]).name} — Context Inspector")
        self.selection.reset(content.traces[0] if content.traces else None)

    def _renew(self) -> None:
        content = self.document.content
        assert content is not None
        self.selection.renew(content.traces)
        self.follow.catch_up()
        self._tell_state()

    def _choose_telling(self) -> None:
        """Look at the telling decision of the whole, unless the user looks at one already."""
        if not self.follow.on and self.selection.row_is_untouched():
            self.selection.select_telling()

    def _tell_state(self) -> None:
        """Enable what can be done, and fill the status bar."""
        for names, can in self._abilities():
            for name in names:
                self.actions_[name].setEnabled(can)
        self.actions_["follow"].setChecked(self.follow.moves)
        self.actions_["follow"].setIconText("‖ Follow" if self.follow.pause else "● Follow")
        reading = ", ".join(self.document.reading)
        self._busy.setVisible(bool(reading))
        left, right = self.perspective.status()
        self.legend.show_cells(left)
        self.counts.show_cells([Cell(f"reading {reading}", "muted")] if reading else right)

    def _abilities(self) -> Iterator[tuple[tuple[str, ...], bool]]:
        """Yield actions and whether they can be done now."""
        document, selection = self.document, self.selection
        inspecting = self.perspective is self.inspect
        yield _STEPPING, self.perspective.can_step()
        yield ("only_fired",), inspecting and selection.trace is not None
        yield ("zoom_filter",), inspecting and selection.filter.steps is not None
        yield ("show_all",), inspecting and selection.filter != EVERYTHING
        yield ("back",), inspecting and selection.can_go_back()
        yield ("forward",), inspecting and selection.can_go_forward()
        yield ("reload",), document.content is not None
        yield ("follow",), document.live
        yield ("stop",), bool(document.reading)

    def _tell_failure(self, reason: str) -> None:
        """Say it where it cannot be missed while the last good state stays on the screen."""
        if self.document.content is not None and self.document.content.traces:
            self._tell("This could not be opened", reason, icon=QMessageBox.Icon.Warning)

    def _ask_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Open a workspace or debug directory")
        if folder:
            self.open([folder])

    def _ask_files(self) -> None:
        files, _ = QFileDialog.getOpenFileNames(
            self, "Open files", "", "Records (*.jsonl *.json);;All files (*)"
        )
        if files:
            self.open(files)

    def _list_recent(self) -> None:
        menu = self.actions_.menu("recent")
        menu.clear()
        for paths in self._recent.inputs():
            action = menu.addAction(", ".join(paths).replace("&", "&&"))
            action.triggered.connect(partial(self.open, paths))
        if menu.isEmpty():
            menu.addAction("Nothing yet").setEnabled(False)
            return
        menu.addSeparator()
        menu.addAction("Clear List").triggered.connect(self._recent.clear)

    def _choose_scheme(self, name: str) -> None:
        self._settings.setValue("scheme", name)
        theme.choose(_SCHEMES[name])

    def _tell_keys(self) -> None:
        KeysDialog(list(self.actions_.told()), self).open()

    def _tell_about(self) -> None:
        name = f"Context Inspector {__version__}"
        self._tell(name, name, _ABOUT)

    def _tell(
        self,
        title: str,
        text: str,
        more: str = "",
        icon: QMessageBox.Icon = QMessageBox.Icon.NoIcon,
    ) -> None:
        box = QMessageBox(icon, title, "", parent=self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(text)
        box.setInformativeText(more)
        box.open()

    def _start(self) -> None:
        for perspective in self.perspectives:
            perspective.start()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.open(paths)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._started:
            return
        self._started = True
        for perspective in self.perspectives:
            perspective.restore_layout(self._settings)
        QTimer.singleShot(0, self._start)

    def closeEvent(self, event: QCloseEvent) -> None:
        unsaved = next(filter(None, (page.unsaved() for page in self.perspectives)), "")
        if unsaved and not self._loses:
            event.ignore()
            confirm(unsaved, "Save them first to keep them.", "Close", self.close_anyway, self)
            return
        self._settings.setValue(_GEOMETRY, self.saveGeometry())
        for perspective in self.perspectives:
            perspective.save_layout(self._settings)
            perspective.close_down()
        self._settings.sync()  # where they are kept may go with the window
        self.tail.close()
        self.worker.close()
        self.engine.close()
        self._garbage.close()
        super().closeEvent(event)


_ABOUT = "Shows why an agent's context was compressed, or was not, what was lost, and what it cost."

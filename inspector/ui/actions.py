"""Everything that can be done, with its menu and its key: one table.

The main window and the perspectives connect to an action by its name; nobody makes an action
elsewhere, so the menus and the list of keys are complete. Letters without a modifier are off inside
text fields, as Qt gives the field precedence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

SEPARATOR = "—"


@dataclass(frozen=True)
class ActionSpec:
    """An action before it is made."""

    name: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    tip: str = ""
    group: str = ""
    """Actions of a group are checkable and exclude one another."""
    checkable: bool = False


SPECS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "open_folder",
        "&File",
        "Open &Folder…",
        ("Ctrl+O",),
        "Open a workspace or a debug directory",
    ),
    ActionSpec("open_file", "&File", "&Open File…", ("Ctrl+Shift+O",), "Open one or several files"),
    ActionSpec(
        "open_sample", "&File", "Open &Sample", (), "Open the sample that ships with the program"
    ),
    ActionSpec("recent", "&File", "Open &Recent"),
    ActionSpec("reload", "&File", "Re&load", ("F5",), "Read the open paths again"),
    ActionSpec(
        "stop", "&File", "S&top Reading", ("Ctrl+.",), "Give up reading; what was open stays"
    ),
    ActionSpec(SEPARATOR, "&File", ""),
    ActionSpec(
        "export_case", "&File", "&Export Case…", ("Ctrl+S",), "Save the case as made, without edits"
    ),
    ActionSpec(
        "export_report",
        "&File",
        "Export Repor&t…",
        ("Ctrl+Shift+S",),
        "Save what the replay with these settings came to",
    ),
    ActionSpec(
        "save_chain", "&File", "Save C&hain…", (), "Save the chain as set, for --chain of replay"
    ),
    ActionSpec(
        "save_project", "&File", "Save &Project…", ("Ctrl+Alt+S",), "The case and its kept runs"
    ),
    ActionSpec(SEPARATOR, "&File", ""),
    ActionSpec("quit", "&File", "&Quit", ("Ctrl+Q",)),
    ActionSpec("next", "&Go", "&Next Decision", ("N",), "The next listed decision in time"),
    ActionSpec(
        "previous", "&Go", "&Previous Decision", ("P",), "The listed decision before this one"
    ),
    ActionSpec(
        "next_fired",
        "&Go",
        "Next That &Fired",
        ("Shift+N",),
        "The next decision that did something",
    ),
    ActionSpec(
        "previous_fired",
        "&Go",
        "Previous That F&ired",
        ("Shift+P",),
        "The one before that did something",
    ),
    ActionSpec(
        "follow",
        "&Go",
        "&Follow",
        ("F",),
        "Look at the newest decision while more is written; pauses when you look elsewhere",
        "",
        True,
    ),
    ActionSpec(SEPARATOR, "&Go", ""),
    ActionSpec("back", "&Go", "&Back", ("Alt+Left",), "To the filter and context before this one"),
    ActionSpec("forward", "&Go", "For&ward", ("Alt+Right",), "Undo going back"),
    ActionSpec(SEPARATOR, "&Go", ""),
    ActionSpec("next_tab", "&Go", "Next &Tab", ("Ctrl+PgDown",), "The next view of the decision"),
    ActionSpec("previous_tab", "&Go", "Pre&vious Tab", ("Ctrl+PgUp",), "The view before this one"),
    ActionSpec(
        "replay",
        "&Replay",
        "&Replay This Session",
        ("Ctrl+R",),
        "Run the engine over the selected session, with settings that can be changed",
    ),
    ActionSpec("run_whole", "&Replay", "Run to the En&d", ("F8",), "Run every step, or go on"),
    ActionSpec("run_step", "&Replay", "One &Step", ("F10",), "Run one step and wait"),
    ActionSpec(
        "run_acted",
        "&Replay",
        "To the Next That &Acts",
        ("Shift+F10",),
        "Run until a processor did something, and wait",
    ),
    ActionSpec("run_compressed", "&Replay", "To the Next C&ompression", (), ""),
    ActionSpec("run_gave_up", "&Replay", "To the Next That Ga&ve Up", (), ""),
    ActionSpec(
        "run_declined",
        "&Replay",
        "To the Next Over Its Threshold That Decl&ines",
        (),
        "",
    ),
    ActionSpec("pause_replay", "&Replay", "Pa&use", ("F9",), "Wait behind the step it is at"),
    ActionSpec(
        "stop_replay",
        "&Replay",
        "&Stop Replaying",
        ("Ctrl+Shift+.",),
        "Give up the replay; what was shown last stays",
    ),
    ActionSpec(SEPARATOR, "&Replay", ""),
    ActionSpec(
        "undo", "&Replay", "&Undo", ("Ctrl+Z",), "Set everything as it was before the last change"
    ),
    ActionSpec(
        "redo", "&Replay", "Red&o", ("Ctrl+Shift+Z", "Ctrl+Y"), "Take the last undoing back"
    ),
    ActionSpec(
        "reset_settings",
        "&Replay",
        "Reset &All Settings",
        ("Ctrl+Shift+R",),
        "Back to the settings that the case has",
    ),
    ActionSpec(
        "pick_threshold",
        "&Replay",
        "Pick the Next &Threshold",
        ("T",),
        "Take hold of the next threshold line of the chart; Up and Down move it there",
    ),
    ActionSpec("raise_threshold", "&Replay", "R&aise It", ("Alt+Up",), "One hundredth higher"),
    ActionSpec("lower_threshold", "&Replay", "&Lower It", ("Alt+Down",), "One hundredth lower"),
    ActionSpec(SEPARATOR, "&Replay", ""),
    ActionSpec(
        "only_differing",
        "&Replay",
        "Only What &Differs",
        ("Ctrl+D",),
        "List decisions that came out differently",
        "",
        True,
    ),
    ActionSpec(SEPARATOR, "&Replay", ""),
    ActionSpec(
        "branch",
        "&Replay",
        "&Branch Here…",
        ("B",),
        "Edit or drop a message at this step, or change settings from here on",
    ),
    ActionSpec("keep_run", "&Replay", "&Keep the Candidate", ("K",), "List it among the runs"),
    ActionSpec(
        "compare_run", "&Replay", "Co&mpare with the Selected Run", (), "Instead of the case itself"
    ),
    ActionSpec(SEPARATOR, "&Replay", ""),
    ActionSpec(
        "ask_model",
        "&Replay",
        "Ask a Model for Su&mmaries…",
        (),
        "For those that nobody recorded; says before what it costs, and keeps the answers",
    ),
    ActionSpec(
        "canaries",
        "&Replay",
        "Plant Canar&ies",
        (),
        "Put items into the messages that occur nowhere else, and see which are kept",
        "",
        True,
    ),
    ActionSpec(SEPARATOR, "&Replay", ""),
    ActionSpec(
        "sweep",
        "&Replay",
        "S&weep",
        ("Ctrl+Return",),
        "Run every combination of the settings named in the Sweep tab, on all cores",
    ),
    ActionSpec("stop_sweep", "&Replay", "Stop S&weeping", (), "Keeps the rows that are done"),
    ActionSpec(
        "study",
        "&Replay",
        "Run the St&udy: Masking or Summary?",
        (),
        "No compaction, masking, summary and a layered chain, on conversations that ship",
    ),
    ActionSpec(SEPARATOR, "&Replay", ""),
    ActionSpec(
        "copy_python",
        "&Replay",
        "Copy Settings as &Python",
        ("Ctrl+Shift+C",),
        "For an agent of openJiuwen: ContextEngineConfig and the rail's processors",
    ),
    ActionSpec(
        "copy_command", "&Replay", "Copy Command Li&ne", (), "The command that replays the same"
    ),
    ActionSpec(
        "copy_settings",
        "&Replay",
        "Copy &Effective Settings",
        (),
        "All settings in force, each with where it comes from",
    ),
    ActionSpec(SEPARATOR, "&Replay", ""),
    ActionSpec(
        "cost_model",
        "&Replay",
        "How the &Cost Is Modelled",
        (),
        "The formula of the net cost, its assumptions and the price table",
    ),
    ActionSpec(
        "only_fired", "&View", "Only What &Fired", ("Ctrl+E",), "List what did something", "", True
    ),
    ActionSpec("show_all", "&View", "Show &All Decisions", ("Esc",), "Clear the filter"),
    ActionSpec(
        "zoom_filter", "&View", "&Zoom to Filter", ("Z",), "Bring the marked steps into sight"
    ),
    ActionSpec("zoom_out", "&View", "Show All &Steps", ("Shift+Z",), "Bring all steps into sight"),
    ActionSpec(
        "missing_records",
        "&View",
        "What Was &Not Recorded",
        ("Ctrl+M",),
        "Which debug switches were off, and the settings that switch them on",
    ),
    ActionSpec(SEPARATOR, "&View", ""),
    ActionSpec("scheme_system", "&View", "Colours of the S&ystem", (), "", "scheme"),
    ActionSpec("scheme_light", "&View", "&Light Colours", (), "", "scheme"),
    ActionSpec("scheme_dark", "&View", "&Dark Colours", (), "", "scheme"),
    ActionSpec(SEPARATOR, "&View", ""),
    ActionSpec("reset_layout", "&View", "&Reset Layout", (), "Put every part back in its place"),
    ActionSpec("keys", "&Help", "&Keys", ("F1",), "What can be done, and with which key"),
    ActionSpec("about", "&Help", "&About Context Inspector"),
)
"""All actions in the order of their menus; a new one is registered here."""


class Actions:
    """The actions of one window, by name."""

    def __init__(self, window: QWidget) -> None:
        self._menus: dict[str, QMenu] = {}
        self._actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._window = window

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def build(self, bar: QMenuBar) -> None:
        """Make the menus and the actions in them."""
        for spec in SPECS:
            if spec.menu not in self._menus:
                self._menus[spec.menu] = bar.addMenu(spec.menu)
                self._menus[spec.menu].setToolTipsVisible(True)
            menu = self._menus[spec.menu]
            if spec.name == SEPARATOR:
                menu.addSeparator()
            elif spec.name == "recent":
                self._menus[spec.name] = menu.addMenu(spec.text)
            else:
                self._actions[spec.name] = self._make(spec)
                menu.addAction(self._actions[spec.name])

    def add(self, menu: str, action: QAction) -> None:
        """Put an action of Qt's own making into a menu, such as the one that shows a dock."""
        self._menus[menu].addAction(action)

    def menu(self, title: str) -> QMenu:
        """Return a menu by its title, or the one of recent paths by its name."""
        return self._menus[title]

    def told(self) -> Iterator[tuple[str, str]]:
        """Yield text and keys of every action that has a key."""
        for menu in self._menus.values():
            for action in menu.actions():
                keys = [
                    key.toString(QKeySequence.SequenceFormat.NativeText)
                    for key in action.shortcuts()
                ]
                if keys:
                    yield action.text().replace("&", "").rstrip("…"), ", ".join(keys)

    def _make(self, spec: ActionSpec) -> QAction:
        action = QAction(spec.text, self._window)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        action.setCheckable(spec.checkable or bool(spec.group))
        tip = spec.tip or spec.text.replace("&", "").rstrip("…")
        action.setToolTip(f"{tip} ({', '.join(spec.keys)})" if spec.keys else tip)
        if spec.group:
            group = self._groups.setdefault(spec.group, QActionGroup(self._window))
            group.addAction(action)
        return action

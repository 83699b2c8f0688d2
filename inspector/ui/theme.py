"""Colours and fonts: one light and one dark set, chosen by the palette that is in force.

Painting code asks `colours(widget.palette())`, so there is no state to keep in step when the system
changes its scheme. Zone and outcome colours are those of the design; none of them is ever the only
sign of what it means.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from inspector.ui.models.marks import Tone

ROW = 22
"""Height of a row, in pixels."""
GRID = 8
"""Unit of distance, in pixels."""


@dataclass(frozen=True)
class Colours:
    """One set of colours, as hexadecimal names."""

    dark: bool
    surface: str
    raised: str
    line: str
    grid: str
    text: str
    muted: str
    faint: str
    selection: str
    hover: str
    accent: str
    prefix: str
    compress: str
    tail: str
    summary: str
    failure: str
    better: str
    added: str
    added_part: str
    removed: str
    removed_part: str
    on_zone: str
    """Letter on a filled zone colour."""

    def tone(self, tone: Tone) -> QColor:
        """Return a foreground colour by its name; not to be changed."""
        return _colour(getattr(self, tone))


DARK = Colours(
    dark=True,
    surface="#262a31",
    raised="#2d323a",
    line="#3a414c",
    grid="#30363f",
    text="#e3e6ea",
    muted="#9aa3af",
    faint="#78828e",
    selection="#2f4a6d",
    hover="#2e343d",
    accent="#5aa9e6",
    prefix="#7b9fd4",
    compress="#e8a33d",
    tail="#57b38a",
    summary="#b48ade",
    failure="#ec6a6e",
    better="#57b38a",
    added="#243d35",
    added_part="#2f6650",
    removed="#46292f",
    removed_part="#7a3a42",
    on_zone="#1b1e23",
)

LIGHT = Colours(
    dark=False,
    surface="#ffffff",
    raised="#f0f2f5",
    line="#d9dde3",
    grid="#e8ebef",
    text="#1f2430",
    muted="#5d6776",
    faint="#7f8896",
    selection="#d7e7fb",
    hover="#f3f5f8",
    accent="#1f6fb8",
    prefix="#5b7db1",
    compress="#c9791a",
    tail="#2f8f68",
    summary="#8456b8",
    failure="#c43d40",
    better="#2a805d",
    added="#def3e8",
    added_part="#a9dfc4",
    removed="#fbe3e4",
    removed_part="#f3b8bb",
    on_zone="#ffffff",
)


@cache
def _colour(name: str) -> QColor:
    return QColor(name)


def colours(palette: QPalette) -> Colours:
    """Return the set that belongs to a palette."""
    return DARK if palette.color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


def apply(app: QApplication) -> None:
    """Dress the application as the system asks, now and whenever it changes its scheme."""
    app.setStyle(QStyleFactory.create("Fusion"))
    app.setFont(interface_font())
    app.styleHints().colorSchemeChanged.connect(dress)
    dress(app.styleHints().colorScheme())


def choose(scheme: Qt.ColorScheme) -> None:
    """Hold on to a scheme; `Unknown` follows the system again."""
    hints = QGuiApplication.styleHints()
    hints.setColorScheme(scheme)
    dress(hints.colorScheme() if scheme == Qt.ColorScheme.Unknown else scheme)


def dress(scheme: Qt.ColorScheme) -> None:
    """Put palette and style sheet of a scheme on; what is not dark is light."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    chosen = DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    app.setPalette(_palette(chosen))
    app.setStyleSheet(_style_sheet(chosen))


def _palette(chosen: Colours) -> QPalette:
    role = QPalette.ColorRole
    names = {
        role.Window: chosen.surface,
        role.Base: chosen.surface,
        role.AlternateBase: chosen.raised,
        role.Button: chosen.raised,
        role.ToolTipBase: chosen.raised,
        role.WindowText: chosen.text,
        role.Text: chosen.text,
        role.ButtonText: chosen.text,
        role.ToolTipText: chosen.text,
        role.BrightText: chosen.failure,
        role.PlaceholderText: chosen.muted,
        role.Highlight: chosen.selection,
        role.HighlightedText: chosen.text,
        role.Accent: chosen.accent,
        role.Link: chosen.accent,
        role.LinkVisited: chosen.summary,
        role.Light: chosen.raised,
        role.Midlight: chosen.raised,
        role.Mid: chosen.line,
        role.Dark: chosen.line,
        role.Shadow: chosen.line,
    }
    palette = QPalette()
    for key, name in names.items():
        palette.setColor(key, QColor(name))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(chosen.faint))
    return palette


def _style_sheet(chosen: Colours) -> str:
    names = {field.name: getattr(chosen, field.name) for field in fields(chosen)}
    return _STYLE.substitute(names, small=small_font().pointSizeF())


def _system_font(kind: QFontDatabase.SystemFont) -> QFont:
    """Return a system font, with faces for Chinese and emoji behind its own."""
    font = QFontDatabase.systemFont(kind)
    font.setFamilies([QFontInfo(font).family(), "Noto Sans CJK SC", "Noto Color Emoji"])
    return font


@cache
def interface_font() -> QFont:
    """Return the system's font, with figures of equal width."""
    font = _system_font(QFontDatabase.SystemFont.GeneralFont)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


@cache
def content_font() -> QFont:
    """Return the fixed-width font of content and figures, as large as the interface font."""
    font = _system_font(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(interface_font().pointSizeF())
    return font


@cache
def small_font() -> QFont:
    """Return the font of captions and column titles."""
    font = QFont(interface_font())
    font.setPointSizeF(font.pointSizeF() * 0.9)
    return font


def emphasised(font: QFont) -> QFont:
    """Return a font in its heavier weight."""
    heavy = QFont(font)
    heavy.setWeight(QFont.Weight.DemiBold)
    return heavy


_STYLE = Template(
    """
QMainWindow, QDialog { background: $surface; }
QMainWindow::separator:vertical { width: 5px; background: qlineargradient(x1:0, y1:0, x2:1, y2:0,
    stop:0 $surface, stop:0.79 $surface, stop:0.8 $line, stop:1 $line); }
QMainWindow::separator:horizontal { height: 5px; background: qlineargradient(x1:0, y1:0, x2:0, y2:1,
    stop:0 $surface, stop:0.39 $surface, stop:0.4 $line, stop:0.6 $line, stop:0.61 $surface,
    stop:1 $surface); }
QMenuBar { background: $surface; padding: 2px 4px; }
QMenuBar::item { padding: 4px 8px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: $raised; }
QMenu { background: $surface; border: 1px solid $line; padding: 4px 0; }
QMenu::item { padding: 4px 24px 4px 24px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $line; margin: 4px 0; }
QToolBar { background: $surface; border: 0; border-bottom: 1px solid $line; spacing: 8px;
    padding: 3px 12px 5px 12px; }
QToolBar QToolButton, QPushButton { background: transparent; border: 1px solid $line;
    border-radius: 6px; padding: 3px 11px; }
QToolBar QToolButton:hover, QPushButton:hover { background: $hover; }
QToolBar QToolButton:checked { background: $selection; border-color: $selection; }
QToolBar QToolButton:focus, QPushButton:focus { border-color: $accent; }
QToolBar QToolButton:disabled, QPushButton:disabled { color: $faint; }
QToolBar QToolButton[segment="first"] { border-top-right-radius: 0; border-bottom-right-radius: 0; }
QToolBar QToolButton[segment="middle"] { border-radius: 0; border-left: 0; }
QToolBar QToolButton[segment="last"] { border-left: 0; border-top-left-radius: 0;
    border-bottom-left-radius: 0; }
QPushButton:default { background: $selection; border-color: $selection; }
QLabel#lines { background: $raised; border-radius: 6px; }
QStatusBar { background: $surface; border-top: 1px solid $line; }
QStatusBar::item { border: 0; }
*[quiet="true"] { background: transparent; border: 1px solid transparent; border-radius: 4px;
    padding: 0 3px; min-height: 18px; selection-background-color: $selection; }
QAbstractSpinBox[quiet="true"]::up-button, QAbstractSpinBox[quiet="true"]::down-button {
    width: 0; border: 0; }
*[quiet="true"]:hover { border-color: $line; }
*[quiet="true"]:focus { border-color: $accent; background: $surface; }
*[quiet="true"][edited="true"] { color: $accent; }
*[quiet="true"]:disabled { color: $faint; }
*[quiet="true"][invalid="true"] { border-color: $failure; }
QCheckBox { spacing: 6px; }
QCheckBox::indicator { width: 11px; height: 11px; border: 1px solid $faint; border-radius: 3px; }
QCheckBox::indicator:hover, QCheckBox:focus::indicator { border-color: $accent; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; }
QTabBar { background: $surface; }
QTabBar::tab { background: transparent; border: 0; border-bottom: 2px solid transparent;
    color: $muted; padding: 6px 8px 5px 8px; margin-right: 8px; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:disabled { color: $faint; }
QTabBar::tab:focus { color: $accent; }
QTabBar::scroller { width: 40px; }
QTabBar QToolButton { background: $surface; border: 0; }
QTabBar QToolButton:hover { background: $hover; }
QHeaderView { background: $surface; }
QHeaderView::section { background: $surface; border: 0; border-bottom: 1px solid $line;
    padding: 4px 8px; color: $muted; font-weight: 600; font-size: ${small}pt; }
QAbstractScrollArea { background: $surface; border: 0; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QTreeView { show-decoration-selected: 1; }
QTreeView::item { height: 22px; }
QTreeView::branch:selected { background: $selection; }
QScrollBar { background: transparent; border: 0; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $line; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: transparent; }
QProgressBar { border: 0; background: $raised; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 3px; }
"""
)

"""PySide6 and the interpreter agree about `None`.

PySide6 6.12 drops one reference to `None` in every painter call that returns nothing. On Python
3.11, where `None` is counted like any object, a window dies of that within seconds.
"""

import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter, QPixmap
from pytestqt.qtbot import QtBot


def test_a_thousand_painter_calls_keep_the_references_to_none(qtbot: QtBot) -> None:
    image = QImage(16, 16, QImage.Format.Format_ARGB32_Premultiplied)
    pixmap = QPixmap(4, 4)
    painter = QPainter(image)
    before = sys.getrefcount(None)
    for _ in range(250):
        painter.fillRect(0, 0, 4, 4, Qt.GlobalColor.black)
        painter.drawRect(0, 0, 4, 4)
        painter.drawLine(0, 0, 4, 4)
        painter.drawPixmap(0, 0, pixmap)
    after = sys.getrefcount(None)
    painter.end()
    assert abs(after - before) < 10

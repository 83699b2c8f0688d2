"""What the net cost rests on: the formula, its assumptions, and the price table."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from inspector.insight import cost
from inspector.insight.prices import OWN_PRICES, PricesError, load_prices
from inspector.ui import formats, theme
from inspector.ui.models.text_runs import Run
from inspector.ui.widgets.text_view import TextView

_SIZE = (760, 660)
_MARKUP = re.compile("[`*]")


class CostModelDialog(QDialog):
    """The text that the formula itself is documented with, and where the prices come from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("How the cost is modelled")
        self.text = TextView("How the cost is modelled")
        self.text.show_runs(_runs())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.GRID, theme.GRID, theme.GRID, theme.GRID)
        layout.addWidget(self.text)
        layout.addWidget(buttons)
        self.resize(*_SIZE)


def _runs() -> tuple[Run, ...]:
    told = _MARKUP.sub("", cost.__doc__ or "")
    title, _, text = told.partition("\n")
    return (Run(f"{title}\n", "heading"), Run(f"{text}\n"), *_told_prices())


def _told_prices() -> tuple[Run, ...]:
    try:
        table = load_prices()
    except PricesError as error:
        return (Run("Prices\n", "heading"), Run(formats.visible(str(error))))
    own = (
        f"A table of your own, named by {OWN_PRICES}, wins over the one that ships; "
        f"a model that neither knows is priced as {table.default}.\n"
    )
    head = f"{len(table.models):,} models, put together on {table.date}, in {table.currency}.\n"
    return (Run("Prices\n", "heading"), Run(f"\n{head}{own}"))

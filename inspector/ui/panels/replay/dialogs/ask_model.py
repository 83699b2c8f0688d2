"""Asks which model writes the summaries that nobody recorded, and says what that costs before."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from engine.summarizers.openai import OpenAIModel, environment_key, environment_url
from engine.summarizers.recorded import DEFAULT_TIMEOUT
from inspector.insight.prices import PricesError, PriceTable, load_prices
from inspector.insight.sent_requests import SentRequest
from inspector.replay.summaries.cost_of_asking import cost_of_asking
from inspector.replay.summaries.model_key import endpoint, key_for
from inspector.ui import formats, theme
from inspector.ui.models.replay.bench import ReplayBench
from inspector.ui.models.replay.tables.comparison_table import money
from inspector.ui.widgets.fields.fault_label import FaultLabel

_WIDTH = 560


class AskModelDialog(QDialog):
    """Model, endpoint, key, and a line with calls and cost.

    A key that is typed serves this once, unless it is to be kept; it is handed on and forgotten.
    """

    def __init__(
        self,
        bench: ReplayBench,
        model: str,
        url: str,
        keep: Callable[[str, str], None],
        parent: QWidget | None = None,
    ) -> None:
        """Begin with what was asked last.

        Args:
            bench: What is asked for.
            model: Name of the model.
            url: Its endpoint; that of the environment if empty.
            keep: Keeps the key of an endpoint.
            parent: The window it belongs to.
        """
        super().__init__(parent)
        self.setWindowTitle("Ask a model for summaries")
        self._bench = bench
        self._keep = keep
        self._calls: tuple[SentRequest, ...] | None = None
        self._prices: PriceTable | None = None
        self._unpriced = ""
        """Why there is no price table."""
        self.model, self.url, self.key = QLineEdit(model), QLineEdit(), QLineEdit()
        self.kept = QCheckBox("Keep it in the system's keyring")
        self.cost, self.about, self.error = QLabel(), QLabel(), FaultLabel()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.asking = self.buttons.addButton("Ask", QDialogButtonBox.ButtonRole.AcceptRole)
        self.url.setText(endpoint(url or environment_url()))
        self._build()
        self.model.textChanged.connect(self._tell)
        self.url.textChanged.connect(self._tell)
        self.key.textChanged.connect(self._tell)
        self.buttons.accepted.connect(self._ask)
        self.buttons.rejected.connect(self.reject)
        try:
            self._prices = load_prices()
        except PricesError as error:
            self._unpriced = str(error)
        self._tell()
        self.finished.connect(bench.stop_counting)
        bench.count_calls(self._take_calls)

    def _build(self) -> None:
        self.setMinimumWidth(_WIDTH)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.cost.setFont(theme.emphasised(theme.interface_font()))
        self.about.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        for label in (self.cost, self.about):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, field in (("Model", self.model), ("Endpoint", self.url), ("Key", self.key)):
            field.setFont(theme.content_font())
            field.setAccessibleName(name)
            form.addRow(name, field)
        form.addRow("", self.kept)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*[2 * theme.GRID] * 4)
        layout.setSpacing(2 * theme.GRID)
        layout.addLayout(form)
        for widget in (self.cost, self.about, self.error, self.buttons):
            layout.addWidget(widget)

    def _take_calls(self, calls: tuple[SentRequest, ...]) -> None:
        self._calls = calls
        self._tell()

    def _tell(self) -> None:
        calls, fault = self._calls, _fault_of(self.url.text())
        own = self.url.text() == environment_url() and environment_key()
        self.key.setPlaceholderText(
            "that of the environment" if own else "the one in the keyring, if one is kept there"
        )
        self.kept.setEnabled(bool(self.key.text()))
        self.cost.setText(self._told_cost(calls))
        where = endpoint(self.url.text()) if not fault else "it"
        self.about.setText(
            f"Parts of the conversation are sent to {where}. A call may take "
            f"{self._timeout:g} s and can be stopped; each answer is kept as it comes, goes into "
            "the project when that is saved, and is never asked for again."
        )
        self.error.tell(fault)
        ready = bool(calls) and not fault and bool(self.model.text().strip())
        self.asking.setEnabled(ready)

    def _told_cost(self, calls: tuple[SentRequest, ...] | None) -> str:
        if calls is None:
            return "Counting the calls…"
        if not calls:
            return "Nobody need be asked: every summary was recorded or answered before."
        name = self.model.text().strip()
        told = f"About {formats.plural(len(calls), 'call')}"
        if self._prices is None:
            return formats.visible(f"{told}, of unknown cost: {self._unpriced}")
        if not name:
            return f"{told}."
        cost = cost_of_asking(calls, self._prices, name)
        return formats.visible(
            f"{told}, {cost.tokens.sent:,} tokens to read and {cost.tokens.output:,} to write: "
            f"about {money(cost.net_cost, cost.currency)} at the prices of {cost.priced_as}, "
            f"as of {self._prices.date}."
        )

    @property
    def _timeout(self) -> float:
        """Seconds that a call may take."""
        base = self._bench.settings.base
        return (base.timeout if base is not None else None) or DEFAULT_TIMEOUT

    def _ask(self) -> None:
        name, url, typed = self.model.text().strip(), self.url.text().strip(), self.key.text()
        self.key.clear()
        if typed and self.kept.isChecked():
            self._keep(url, typed)
        model = OpenAIModel(
            name, base_url=url, api_key=lambda: typed or key_for(url), timeout=self._timeout
        )
        self.accept()
        self._bench.ask(name, model)


def _fault_of(url: str) -> str:
    """Return what is wrong with an endpoint; empty where nothing is."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"This is no address: {error}."
    if parts.scheme not in ("http", "https") or not host:
        return "An endpoint is written http://… or https://…, up to and with /v1."
    if parts.username is not None or parts.password is not None or parts.query:
        return "A key belongs into its own field, not into the address."
    return ""

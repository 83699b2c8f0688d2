"""One pass over one tool result: its lines, its files, and what they say together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from inspector.sources.documents.offload_file import OffloadFileHead
from inspector.sources.documents.rule_dump import RuleDumpHead
from inspector.sources.lines.offload_log import OFFLOADED, OFFLOADER, RULE, RULED, OffloadEntry
from inspector.sources.message_keys import message_key
from inspector.trace.decision import Method
from inspector.trace.evidence.outcomes import StatedEnd
from inspector.trace.rows import Verdict
from inspector.trace.windows.formulas import RESULT_FORMULAS

_UNDECIDED = Verdict("undecided", None, "inferred")


@dataclass
class OffloadPass:
    """One pass over one tool result."""

    positions: list[int] = field(default_factory=list)
    """Its lines, by position in `OffloadRecords`."""
    entries: list[OffloadEntry] = field(default_factory=list)
    file: OffloadFileHead | None = None
    rule_dump: RuleDumpHead | None = None
    verdict: Verdict = _UNDECIDED
    stated: StatedEnd | None = None
    """The writer's own statement, where it makes one."""
    after: float = -math.inf
    """Bounds in epoch seconds where no rule dates it; `before` likewise."""
    before: float = math.inf
    reload_of: str | None = None
    """Handle of the original that the result brought back, only for it to be taken out again."""

    def has(self, *events: str) -> bool:
        """Return whether the pass has a line of one of these kinds."""
        return any(entry.event in events for entry in self.entries)

    def told(self, name: str, *events: str) -> Any:
        """Return what its first line (of these kinds) that says something of this name says."""
        lines = (entry for entry in self.entries if not events or entry.event in events)
        values = (getattr(entry, name) for entry in lines)
        return next((value for value in values if value is not None), None)

    @property
    def processor(self) -> str:
        """Who did it."""
        return self.file.processor if self.file is not None and not self.entries else OFFLOADER

    @property
    def ttl(self) -> bool:
        """It is the pass of a window request after a pause."""
        dump = self.rule_dump
        return (self.told("pass_name") or (dump.pass_name if dump else None)) == "ttl"

    @property
    def call_id(self) -> str | None:
        """The tool call whose result it is about."""
        others = (self.rule_dump, self.file)
        known = (other.call_id for other in others if other is not None)
        return self.told("call_id") or next((call for call in known if call), None)

    @property
    def handle(self) -> str | None:
        """Handle of the original that it stored; None where it stored none."""
        return self.told("handle") or (self.file.handle if self.file else None)

    @property
    def rule(self) -> str | None:
        """Kind of content whose rule shortened the result; None where none did."""
        if self.rule_dump is not None and self.rule_dump.rule is not None:
            return self.rule_dump.rule
        rule: str | None = self.told("rule", RULED, OFFLOADED)
        return rule

    @property
    def tried(self) -> bool:
        """A rule was tried."""
        return self.has(RULE) or self.ruled

    @property
    def ruled(self) -> bool:
        """A rule shortened the result."""
        return self.has(RULED) or self.rule is not None

    @property
    def chars(self) -> int | None:
        """Characters of the text as it came."""
        chars: int | None = self.told("chars")
        return self.rule_dump.original_chars if chars is None and self.rule_dump else chars

    @property
    def ruled_chars(self) -> int | None:
        """Characters of what a rule made of it."""
        chars: int | None = self.told("result_chars", RULED)
        return self.rule_dump.result_chars if chars is None and self.rule_dump else chars

    @property
    def before_tokens(self) -> int | None:
        """Tokens of the result as it came."""
        tokens: int | None = self.told("tokens")
        return self.stated.before if tokens is None and self.stated is not None else tokens

    @property
    def after_tokens(self) -> int | None:
        """Tokens of what took the result's place, by the formula that counted the result."""
        if self.stated is not None and self.stated.after is not None:
            return self.stated.after
        method, left = self.method, self._chars_left
        return None if method is None or left is None else RESULT_FORMULAS[method](left)

    @property
    def method(self) -> Method | None:
        """How its tokens were counted; None where no formula explains them."""
        before, chars = self.told("tokens"), self.chars
        if before is None or chars is None:
            return None
        return next((name for name, f in RESULT_FORMULAS.items() if f(chars) == before), None)

    @property
    def _chars_left(self) -> int | None:
        left: int | None = None
        if self.verdict.outcome == "offloaded":
            left = self.told("result_chars", OFFLOADED)
        elif self.verdict.outcome == "cut":
            left = self.told("max_chars")
        return left

    @property
    def time(self) -> float:
        """Epoch seconds at which it ended, or a rule did its work; NaN where neither is told."""
        return self.ruled_at if self.stated is None else self.stated.record.timestamp

    @property
    def ruled_at(self) -> float:
        """Epoch seconds at which a rule did its work; NaN where none did."""
        time = self.told("ruled_at", RULED, OFFLOADED)
        if time is None and self.rule_dump is not None:
            time = self.rule_dump.time
        return math.nan if time is None or not math.isfinite(time) else float(time)

    @property
    def message(self) -> int:
        """Number of the tool result (`message_keys`); 0 where it is not known."""
        message_id = self.told("message_id") or (self.file.message_id if self.file else None)
        return message_key(message_id, None, None, None) or 0

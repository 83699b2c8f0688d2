"""What an offloader did to one tool result in a replay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.processors.offloaders.marker import cut
from engine.wording import Wording
from inspector.replay.reports.decisions.told import Surroundings, ToldDecision
from inspector.sources.lines.offload_log import CHECK, RULE, RULED
from inspector.trace.decision import Decision, Outcome, Tokens
from inspector.trace.detail import RuleView, WindowDiff
from inspector.trace.offloads.gates import OffloadFacts, offload_gates
from inspector.trace.offloads.verdicts import SMALL
from inspector.trace.stated import change_told

_PHASES = {"add": "add_messages", "ttl": "get_context_window"}


@dataclass
class OffloadDecision(ToldDecision):
    """One pass over one tool result."""

    @property
    def change(self) -> WindowDiff | None:
        """The result as it came beside what took its place."""
        end, original = self.stated, self._told("original_content")
        if end is None or original is None:
            return None
        return change_told(end, [self._chat(original)], [self._chat(self._stand_in or original)])

    @property
    def rule(self) -> RuleView | None:
        """What a rule made of the result; None where none did."""
        original, result = self._told("original_content"), self._told("compressed_content")
        kind = self._metadata("rule_compression_type")
        if original is None or result is None or kind is None:
            return None
        return RuleView(
            rule=kind,
            original=original,
            result=result,
            details=self._metadata("rule_compression_details") or {},
            cut=result not in (self._stand_in or result),
        )

    @property
    def is_small(self) -> bool:
        """The tool result was not large enough."""
        return self._has(CHECK)

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        if self.end is not None:
            return self.end.outcome
        return "declined" if self.is_small else "undecided"

    @property
    def reason(self) -> str | None:
        """Why it stayed as it was; or the rule that shortened it."""
        if self.is_small:
            return SMALL
        rule = self._metadata("rule_compression_type")
        if self.outcome == "offloaded" and rule:
            return f"rule:{rule}"
        return self.end.reason if self.end else None

    @property
    def size(self) -> int | None:
        """Tokens of the tool result as it came."""
        told = self._told("content_tokens")
        return self.end.before_tokens if told is None and self.end else told

    @property
    def threshold(self) -> int | None:
        """Tokens above which it is large."""
        threshold: int | None = self._told("threshold_tokens")
        return threshold

    @property
    def call_id(self) -> str | None:
        """The tool call whose result it is."""
        call_id: str | None = self._told("tool_call_id")
        return call_id or super().call_id

    @property
    def phase(self) -> str:
        """Whether it came in, or was gone through again after a pause."""
        return _PHASES.get(self._told("pass_name"), "") or super().phase

    def decision(self, surroundings: Surroundings) -> Decision:
        """Return it with its gates."""
        facts = OffloadFacts(
            outcome=self.outcome,
            reason=self.reason,
            ttl=self.phase == _PHASES["ttl"],
            measured=self.size is not None,
            tokens=self.size,
            threshold=self.threshold,
            tried=self._has(RULE),
            ruled=self._has(RULED),
            chars=self._told("content_chars"),
            result_chars=len(text) if (text := self._told("compressed_content")) else None,
        )
        tokens = Tokens(
            threshold=self.threshold,
            before=self.size,
            after=self.end.after_tokens if self.end else None,
            method=None if self.is_small else surroundings.method,
        )
        return Decision(
            **self._place(surroundings), gates=self._gates(offload_gates(facts)), tokens=tokens
        )

    def _has(self, event: str) -> bool:
        return any(record.get("event") == event for record in self.records)

    def _told(self, name: str) -> Any:
        """Return what the first record that says something of this name says."""
        values = (record.get(name) for record in self.records)
        return next((value for value in values if value is not None), None)

    @property
    def _stand_in(self) -> str | None:
        """What took the result's place; the engine cuts it after its last record."""
        most = self._told("max_chars")
        text: str | None = self._told("offloaded_content")
        details = self._metadata("rule_compression_details") or {}
        if text is None or not self._has(RULED) or details.get("should_offload_original"):
            return text
        return cut(text, most, Wording.default().offload) if len(text) > most else text

    def _chat(self, text: str) -> dict[str, Any]:
        metadata = self.records[0].get("message_metadata", {})
        return {"role": "tool", "content": text, "tool_call_id": self.call_id, "metadata": metadata}

    def _metadata(self, name: str) -> Any:
        """Return what the message's metadata came to say in the pass."""
        told = (record.get("message_metadata", {}).get(name) for record in self.records[1:])
        return next((value for value in told if value is not None), None)

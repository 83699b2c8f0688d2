"""Counts the parts of a window, and brings them to the provider's total."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.messages import Message
from engine.tokens.counters import TokenCounter
from engine.usage.report import CATEGORIES, Category, PromptSection, Source
from engine.window import ContextWindow

CATEGORY_KEY = "_context_usage_category"
CARRIER_KEY = "_context_usage_carrier"
FRAGMENTS_KEY = "_context_usage_fragments"
"""Metadata keys by which an agent says what a message is for."""

KEPT_MEASUREMENTS = 512
DROPPED_AT_ONCE = 128

FALLBACK = "_fallback"


@dataclass(frozen=True)
class Measured:
    """A part and its tokens."""

    name: str
    category: Category
    tokens: int
    carrier: str
    text: str
    """What was counted; its digest makes the part's stable id."""
    source: Source = "measured"


class Measurements:
    """Counts of texts, each made once; the oldest are let go of.

    Messages and tools remember their own counts, so only bare texts are kept here.
    """

    def __init__(self, counter: TokenCounter) -> None:
        """Count with this counter."""
        self.counter = counter
        self.reused = 0
        self.recomputed = 0
        self._known: OrderedDict[str, int] = OrderedDict()

    def count(self, text: str) -> int:
        """Return the tokens of a text."""
        known = self._known.get(text)
        if known is not None:
            self.reused += 1
            return known
        self.recomputed += 1
        tokens = self._known[text] = self.counter.count(text)
        if len(self._known) > KEPT_MEASUREMENTS:
            for _ in range(DROPPED_AT_ONCE):
                self._known.popitem(last=False)
        return tokens


def measured_parts(
    window: ContextWindow, sections: Sequence[PromptSection] | None, measurements: Measurements
) -> list[Measured]:
    """Return the parts of a window in the order in which they are sent.

    Args:
        window: what is sent.
        sections: what the system prompt is made of; its messages as a whole when None.
        measurements: who counts.
    """
    counter = measurements.counter
    parts = list(_prompt_parts(window, sections, measurements))
    tools = json.dumps([tool.model_dump() for tool in window.tools])
    parts.append(Measured("tools", "tools", counter.count_tools(window.tools), "tools", tools))
    plain: list[Message] = []
    for position, message in enumerate(window.context_messages):
        labelled = _labelled_parts(message, position, counter)
        parts += labelled
        if not labelled:
            plain.append(message)
    text = json.dumps([message.to_chat() for message in plain])
    tokens = counter.count_messages(plain)
    parts.append(Measured("messages", "messages", tokens, "messages", text))
    return parts


def reconciled(
    parts: Sequence[Measured], total: int, measurement_source: str
) -> tuple[list[Measured], Source]:
    """Return the parts with tokens that sum up to the provider's total where they can.

    A counter that only estimates is wrong everywhere alike: all parts are scaled, and what rounding
    leaves over goes to the largest remainders. A tokenizer is right about texts: the difference is
    put on the messages, which never become less than nothing.
    """
    local = sum(part.tokens for part in parts)
    if measurement_source.endswith(FALLBACK):
        scaled = scaled_to([part.tokens for part in parts], total)
        source: Source = "provider_usage_proportional"
        return [_with(p, n, source) for p, n in zip(parts, scaled, strict=True)], source
    source = "provider_usage_residual"
    rest = total - (local - sum(p.tokens for p in parts if p.name == "messages"))
    return [_with(p, max(rest, 0), source) if p.name == "messages" else p for p in parts], source


def scaled_to(figures: Sequence[int], total: int) -> list[int]:
    """Return figures in the same proportions that sum up to a total, by largest remainder."""
    before = sum(figures)
    if before == 0:
        return list(figures)
    shares = [figure * total / before for figure in figures]
    scaled = [int(share) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda i: scaled[i] - shares[i])
    for i in by_remainder[: total - sum(scaled)]:
        scaled[i] += 1
    return scaled


def _prompt_parts(
    window: ContextWindow, sections: Sequence[PromptSection] | None, measurements: Measurements
) -> Sequence[Measured]:
    if sections is None:
        text = "".join(message.text for message in window.system_messages)
        tokens = measurements.counter.count_messages(window.system_messages)
        return [
            Measured("system_prompt", "system_prompt", tokens, "system", text),
            Measured("skills", "skills", 0, "system", "", "not_reported"),
        ]
    return [
        Measured(
            name=f"{section.category}:{order}",
            category="system_prompt" if section.category == "memory" else section.category,
            tokens=measurements.count(section.text),
            carrier=section.carrier,
            text=section.text,
        )
        for order, section in enumerate(sections)
    ]


def _labelled_parts(message: Message, position: int, counter: TokenCounter) -> list[Measured]:
    """Return the parts of a message that the agent has labelled; none where it has not."""
    fragments = message.metadata.get(FRAGMENTS_KEY)
    category = _category(message.metadata.get(CATEGORY_KEY))
    carrier = str(message.metadata.get(CARRIER_KEY) or message.role)
    tokens = counter.count_messages([message])
    if isinstance(fragments, list) and fragments:
        texts = [_fragment_text(fragment) for fragment in fragments]
        shares = _proportional([len(text) for text in texts], tokens)
        return [
            Measured(f"message:{position}:{i}", _fragment_category(fragment), share, carrier, text)
            for i, (fragment, text, share) in enumerate(zip(fragments, texts, shares, strict=True))
        ]
    if category is None:
        return []
    return [Measured(f"message:{position}", category, tokens, carrier, message.text)]


def _proportional(lengths: Sequence[int], tokens: int) -> list[int]:
    """Split tokens in proportion to lengths; the last one takes what is left."""
    whole = sum(lengths)
    shares = [tokens * length // whole if whole else 0 for length in lengths[:-1]]
    return [*shares, tokens - sum(shares)]


def _fragment_text(fragment: Any) -> str:
    text = fragment.get("text") if isinstance(fragment, Mapping) else fragment
    return text if isinstance(text, str) else ""


def _fragment_category(fragment: Any) -> Category:
    name = fragment.get("category") if isinstance(fragment, Mapping) else None
    return _category(name) or "messages"


def _category(name: Any) -> Category | None:
    if name == "memory":
        return "system_prompt"
    return next((category for category in CATEGORIES if category == name), None)


def _with(part: Measured, tokens: int, source: Source) -> Measured:
    return Measured(part.name, part.category, tokens, part.carrier, part.text, source)

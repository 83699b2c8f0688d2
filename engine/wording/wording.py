"""All fixed texts together, and how other ones are laid over the project's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Self

from pydantic import Field

from engine.resources import resource_path
from engine.wording.snapshot import BlockKind
from engine.wording.template import Texts, fill
from engine.wording.texts import (
    BlockWording,
    BudgetedSummaryWording,
    LegacyWording,
    MemoryBlocks,
    OffloadWording,
    PreserveInstruction,
    RecoveredContext,
    ReinjectionLines,
    RuleNotices,
    SessionBlock,
    SessionMemoryWording,
    ToolLoopWording,
    Truncations,
)


class Wording(Texts):
    """All fixed texts of the engine."""

    memory_blocks: MemoryBlocks
    memory_block_template: str
    recall_line: str
    """Stands behind a summary whose messages were archived; holds `{memory_id}`."""
    preserve_instruction_suffix: PreserveInstruction
    recovered: RecoveredContext = Field(validation_alias="recovered_context")
    truncation: Truncations
    reinjection_lines: ReinjectionLines
    session_block: SessionBlock
    session_memory: SessionMemoryWording
    budgeted_summary: BudgetedSummaryWording
    tool_loop: ToolLoopWording
    offload: OffloadWording
    rule_compression_notices: RuleNotices
    legacy: LegacyWording

    @classmethod
    def default(cls) -> Self:
        """Return the project's own texts."""
        return cls.from_data()

    @classmethod
    def from_data(cls, *layers: Mapping[str, Any]) -> Self:
        """Lay texts over the project's own.

        Args:
            *layers: Objects in the schema of `wording.json`, the one that wins first (command line,
                then case). Each may be partial, down to a single text; unknown keys are ignored.

        Raises:
            pydantic.ValidationError: A text has the wrong type; the error names its place.
        """
        merged: Any = _own_texts()
        for layer in reversed(layers):
            merged = _overlaid(merged, layer)
        return cls.model_validate(merged)

    def block(self, kind: BlockKind) -> BlockWording:
        """Return the texts of one kind of memory block."""
        block: BlockWording = getattr(self.memory_blocks, kind)
        return block

    def memory_block(self, kind: BlockKind, summary: str, memory_id: str | None = None) -> str:
        """Return the content of a memory block's message.

        Args:
            kind: Which block.
            summary: The model's summary, already taken out of its tags.
            memory_id: Id of the archive of the replaced messages, if there is one.
        """
        block = self.block(kind)
        return fill(
            self.memory_block_template,
            open=block.open,
            meaning=block.meaning,
            conflict_policy=block.conflict_policy,
            summary=summary,
            recall_line="" if memory_id is None else fill(self.recall_line, memory_id=memory_id),
            close=block.close,
        )

    def session_memory_block(self, notes: str, anchor: str, memory_id: str | None = None) -> str:
        """Return the content of the message that carries session notes.

        Args:
            notes: The notes' text.
            anchor: Id of the last message that they cover.
            memory_id: Id of the archive of those messages, if there is one.
        """
        block = fill(self.session_block.template, anchor=anchor, notes=notes)
        if memory_id is None:
            return block
        marker = fill(self.session_block.recall_marker, memory_id=memory_id)
        head, close, after = block.rpartition(self.session_block.close)
        return head + marker + close + after

    def preserve_instruction(self, text: str) -> str:
        """Return what is added to a prompt so that `text` is kept; empty for a blank text."""
        stripped = text.strip()
        suffix = self.preserve_instruction_suffix.text
        return fill(suffix, instruction=stripped) if stripped else ""

    def recovered_context(self, sections: Sequence[tuple[str, str]]) -> str:
        """Return the content of a recovered-context message.

        Args:
            sections: Name and text of each section, in order; at least one.
        """
        template = self.recovered.template
        start, end = self.recovered.section_span()
        written = self.recovered.section_separator.join(
            fill(template[start:end], builder=name, text=text) for name, text in sections
        )
        return template[:start] + written + template[end:]

    def state_header(self, label: str) -> str:
        """Return the header that a builder labelled `label` puts before its text."""
        return fill(self.recovered.header_stripped, LABEL=label)

    def line(self, key: str, **values: object) -> str:
        """Return one line (or small block) of restored state, its placeholders filled.

        Raises:
            KeyError: There is no line of that name.
        """
        return fill(self.reinjection_lines.lines[key], **values)


@cache
def _own_texts() -> Mapping[str, Any]:
    texts: dict[str, Any] = json.loads(
        resource_path("wording/wording.json").read_text(encoding="utf-8")
    )
    return texts


def _overlaid(base: Any, layer: Any) -> Any:
    """Return `layer` over `base`, objects key by key, neither of them changed."""
    if not isinstance(base, Mapping) or not isinstance(layer, Mapping):
        return layer
    return {**base, **{key: _overlaid(base.get(key), value) for key, value in layer.items()}}

"""The fixed texts of the engine: prompts, memory blocks, recovered context and its lines.

Wording is data. The project's own texts lie in `resources/wording/wording.json`; a case or the
command line may bring others in the same schema, and what they leave out falls through to the
next. Token counts depend on these texts, so ours are as long as openJiuwen's, one for one.

A template holds placeholders, `{name}` or `{name or 'default'}`. They are filled in one pass and
nothing else is touched: braces of a value, or of the text around, stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator

from engine.resources import resource_path

BlockKind = Literal["dialogue", "current", "round"]
"""Which compressor a memory block comes from."""

SNAPSHOT_SECTIONS: Final[Mapping[BlockKind, tuple[str, ...]]] = {
    "dialogue": (
        "Historical User Requests and Outcomes",
        "Learned User Requirements, Preferences, and Acceptance Criteria",
        "Historical Work Performed",
        "Key Technical Concepts and Codebase Understanding",
        "Files, Code Areas, and Artifacts",
        "Decisions, Constraints, Corrections, and Findings",
        "Evidence, Errors, Fixes, and Invalid Attempts",
        "Critical Context",
        "Relevant Files",
        "Historical Pending Notes",
    ),
    "current": (
        "Active Task",
        "Constraints and Preferences",
        "Completed Work in This Active Segment",
        "Current Work and Active State",
        "Immediate Resume Point",
        "Pending Tasks and Next Useful Step",
        "Key Facts, Decisions, Evidence, and Fixes",
        "Files, Code Areas, Artifacts, and Codebase Understanding",
        "Blockers, Risks, and Verification",
        "Critical Context",
        "Relevant Files & Structure",
    ),
    "round": (
        "Active Task and Success Criteria",
        "Current Execution State",
        "Immediate Resume Point and Next Useful Step",
        "Current Task Facts, Decisions, Evidence, and Fixes",
        "Current Files, Code Areas, and Artifacts",
        "Repository and Codebase Understanding",
        "Historical User Requests and Outcomes",
        "Learned User Requirements, Preferences, and Acceptance Criteria",
        "Historical Work Performed",
        "Durable Historical Information",
        "Cross-Cutting Files, Code Areas, and Artifacts",
        "Open Work, Blockers, Risks, and Verification",
        "Critical Context",
        "Relevant Files",
    ),
}
"""Titles of a snapshot's sections, in the order the prompts ask for; a format, not wording."""

_PLACEHOLDER = re.compile(r"\{(\w+)(?: or '([^']*)')?\}")
_SECTION = re.compile(r"<section\b.*\{text\}.*</section>", re.DOTALL)


def fill(template: str, **values: object) -> str:
    """Replace the placeholders that have a value; an empty value takes the default, if any."""

    def replacement(match: re.Match[str]) -> str:
        name, default = match.groups()
        if name not in values:
            return match.group()
        value = values[name]
        return default if default is not None and not value else str(value)

    return _PLACEHOLDER.sub(replacement, template)


class _Texts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class BlockWording(_Texts):
    """The texts of one kind of memory block."""

    open: str
    """The tag that starts the block and makes its message an internal one."""
    close: str
    meaning: str
    """Tells the reading model what the block is."""
    conflict_policy: str
    """Tells it what wins where the block and newer messages differ."""
    prompt: str
    """Asks the model for the summary, as the last user message of the call."""


class MemoryBlocks(_Texts):
    """The texts of every kind of memory block."""

    dialogue: BlockWording
    current: BlockWording
    round: BlockWording


class PreserveInstruction(_Texts):
    """What is added to a prompt when the caller names something to be kept."""

    text: str


class RecoveredContext(_Texts):
    """The user message that carries state read back after a compression."""

    template: str
    """The whole message with one section in it, which is repeated as needed."""
    section_separator: str
    header_stripped: str
    """The header that a builder may put before its text and that a section's start loses."""

    @field_validator("template")
    @classmethod
    def _holds_a_section(cls, template: str) -> str:
        if not _SECTION.search(template):
            raise ValueError("it needs a part <section …>…{text}…</section> to repeat")
        return template

    def section_span(self) -> tuple[int, int]:
        """Return where in the template the part to repeat starts and ends."""
        section = _SECTION.search(self.template)
        assert section  # the validator saw it
        return section.span()


class Truncation(_Texts):
    """How a long text is cut."""

    max_chars: int = Field(gt=0)
    """Characters kept, the mark not counted."""
    mark: str

    def cut(self, text: str) -> str:
        """Return `text`, its middle replaced by the mark if it is longer than `max_chars`."""
        if len(text) <= self.max_chars:
            return text
        head = self.max_chars // 2
        return text[:head] + self.mark + text[len(text) - (self.max_chars - head) :]


class Truncations(_Texts):
    """The two places where restored state is cut."""

    section: Truncation
    read_file: Truncation


class ReinjectionLines(_Texts):
    """The lines of restored state, by kind."""

    lines: Mapping[str, str]


class OffloadWording(_Texts):
    """What stands in place of a tool result that was written to a file."""

    preview_keep_chars: int = Field(ge=0)
    """Characters shown of each end."""
    preview_separator: str
    diff_suffix: str
    """Tells that a shortened diff is not all there is."""
    marker: str
    """Names the original by `{handle}` and `{type}`."""
    marker_with_path: str
    """The same with the `{path}` of the file."""
    cut_separator: str
    """Joins the pieces of a text that was cut with its marker kept."""


class RuleNotices(_Texts):
    """What the rules say in place of what they leave out; the order of each tuple is fixed."""

    log_compressor: tuple[str, str]
    """First and last line."""
    json_array_compressor: tuple[str, str]
    """The array as a table, and what stands before rows on lines of their own."""
    diff_compressor: tuple[str, str, str]
    """Last line; omitted context lines; omitted changes."""
    search_results_compressor: tuple[str, str, str]
    """First line; omitted files; omitted matches of a file."""


class MessageMarkers(_Texts):
    """The two markers of `MessageOffloader`, which stand behind the text without a line break."""

    plain: str = Field(validation_alias="_OFFLOAD_MESSAGE_HANDLE")
    with_path: str = Field(validation_alias="_OFFLOAD_MESSAGE_HANDLE_WITH_PATH")


class LegacyWording(_Texts):
    """Texts of the older processors."""

    message_offloader_marker: MessageMarkers
    message_offloader_omit: str
    """Stands between what is left of a message and its marker."""


class SessionBlock(_Texts):
    """The memory block that session notes make."""

    template: str
    """The whole message; holds `{anchor}`, the id of the last message covered, and `{notes}`."""
    close: str
    recall_marker: str
    """Stands before the closing tag when the messages were archived; holds `{memory_id}`."""


class SessionMemoryWording(_Texts):
    """The notes of a new session, and how a model is asked to bring notes up to date."""

    template: str = Field(validation_alias="DEFAULT_SESSION_MEMORY_TEMPLATE")
    edit_prompt: str = Field(validation_alias="DEFAULT_SESSION_MEMORY_PROMPT")
    """Asks for edits of the notes file; holds `{{notesPath}}` and `{{currentNotes}}`."""
    replace_prompt: str = Field(validation_alias="DIRECT_SESSION_MEMORY_PROMPT")
    """Asks for the whole new text; holds the same."""

    def prompt(self, template: str, path: str, notes: str) -> str:
        """Return one of the prompts, filled in."""
        parts = template.replace("{{notesPath}}", path).split("{{currentNotes}}")
        return notes.join(parts)


class BudgetedSummaryWording(_Texts):
    """The texts of the minimal loop's summary."""

    prompt: str
    """Asks for the summary; holds `{history}`."""
    template: str
    """The message that carries it; holds `{summary}`."""

    def request(self, history: str) -> str:
        """Return the prompt for a history."""
        return fill(self.prompt, history=history)

    def message(self, summary: str) -> str:
        """Return the content of the message that carries a summary."""
        return fill(self.template, summary=summary)


class LoopTexts(_Texts):
    """The warning about a loop, in one language."""

    reasoning_tools: str
    """Says that reasoning and tools repeat; holds `{rounds}` and `{details}`."""
    tool_args: str
    """Says that calls repeat; holds the same."""
    stop: str
    """Asks the model to stop, behind either."""


class ToolLoopWording(_Texts):
    """The warnings about loops, by language."""

    cn: LoopTexts
    en: LoopTexts

    def warning(
        self,
        language: Literal["cn", "en"],
        kind: Literal["reasoning_tools", "tool_args"],
        *,
        stop: bool,
        rounds: int,
        details: str,
    ) -> str:
        """Return a warning.

        Args:
            language: In which language.
            kind: What repeats.
            stop: Whether to ask the model to stop.
            rounds: How often it was repeated.
            details: The latest repetition.
        """
        texts: LoopTexts = getattr(self, language)
        text: str = getattr(texts, kind)
        return fill(text + (texts.stop if stop else ""), rounds=rounds, details=details)


class Wording(_Texts):
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

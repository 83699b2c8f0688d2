"""The texts by what they are for, in the schema of `wording.json`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator

from engine.wording.template import Texts, fill

_SECTION = re.compile(r"<section\b.*\{text\}.*</section>", re.DOTALL)


class BlockWording(Texts):
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


class MemoryBlocks(Texts):
    """The texts of every kind of memory block."""

    dialogue: BlockWording
    current: BlockWording
    round: BlockWording


class PreserveInstruction(Texts):
    """What is added to a prompt when the caller names something to be kept."""

    text: str


class RecoveredContext(Texts):
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


class Truncation(Texts):
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


class Truncations(Texts):
    """The two places where restored state is cut."""

    section: Truncation
    read_file: Truncation


class ReinjectionLines(Texts):
    """The lines of restored state, by kind."""

    lines: Mapping[str, str]


class OffloadWording(Texts):
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


class RuleNotices(Texts):
    """What the rules say in place of what they leave out; the order of each tuple is fixed."""

    log_compressor: tuple[str, str]
    """First and last line."""
    json_array_compressor: tuple[str, str]
    """The array as a table, and what stands before rows on lines of their own."""
    diff_compressor: tuple[str, str, str]
    """Last line; omitted context lines; omitted changes."""
    search_results_compressor: tuple[str, str, str]
    """First line; omitted files; omitted matches of a file."""


class MessageMarkers(Texts):
    """The two markers of `MessageOffloader`, which stand behind the text without a line break."""

    plain: str = Field(validation_alias="_OFFLOAD_MESSAGE_HANDLE")
    with_path: str = Field(validation_alias="_OFFLOAD_MESSAGE_HANDLE_WITH_PATH")


class LegacyWording(Texts):
    """Texts of the older processors."""

    message_offloader_marker: MessageMarkers
    message_offloader_omit: str
    """Stands between what is left of a message and its marker."""


class SessionBlock(Texts):
    """The memory block that session notes make."""

    template: str
    """The whole message; holds `{anchor}`, the id of the last message covered, and `{notes}`."""
    close: str
    recall_marker: str
    """Stands before the closing tag when the messages were archived; holds `{memory_id}`."""


class SessionMemoryWording(Texts):
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


class BudgetedSummaryWording(Texts):
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


class LoopTexts(Texts):
    """The warning about a loop, in one language."""

    reasoning_tools: str
    """Says that reasoning and tools repeat; holds `{rounds}` and `{details}`."""
    tool_args: str
    """Says that calls repeat; holds the same."""
    stop: str
    """Asks the model to stop, behind either."""


class ToolLoopWording(Texts):
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

"""Notes brought up to date by edits: a small agent that may touch one file.

It sees the conversation and the agent's own tools, which keeps the provider's cache useful, but
only `edit_file` on the notes is carried out; every other call is turned down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.messages import Message, ToolCall, ToolInfo, ToolMessage
from engine.messages.json_text import read_json
from engine.session_memory.model import ChatModel

EDIT_TOOL = ToolInfo(
    name="edit_file",
    description="Replace a passage of a file by another one.",
    parameters={
        "type": "object",
        "properties": {
            "file_path": {"type": "string"},
            "old_string": {
                "type": "string",
                "description": "The passage, as it stands in the file, where it occurs only once.",
            },
            "new_string": {"type": "string"},
            "replace_all": {"type": "boolean", "description": "Replace every occurrence."},
        },
        "required": ["file_path", "old_string", "new_string"],
    },
)


@dataclass
class NotesEditor:
    """The notes while a model edits them."""

    path: str
    """Path of the only file that may be edited, as the model knows it."""
    notes: str
    rejected: list[dict[str, Any]] = field(default_factory=list)
    """Calls that were turned down: tool, arguments and reason."""

    async def run(
        self,
        model: ChatModel,
        messages: Sequence[Message],
        tools: Sequence[ToolInfo],
        max_iterations: int,
    ) -> None:
        """Let the model edit until it stops calling tools.

        Args:
            model: who edits.
            messages: the conversation, and the prompt as last user message.
            tools: the agent's tools.
            max_iterations: model calls at most.

        Raises:
            Exception: what a model call failed with.
        """
        if not any(tool.name == EDIT_TOOL.name for tool in tools):
            tools = [*tools, EDIT_TOOL]
        conversation = list(messages)
        for _ in range(max_iterations):
            answer = await model.answer(conversation, tools)
            if not answer.tool_calls:
                return
            results = [
                ToolMessage(tool_call_id=call.id or "", content=self.carry_out(call))
                for call in answer.tool_calls
            ]
            conversation += [answer, *results]

    def carry_out(self, call: ToolCall) -> str:
        """Carry out a call, or turn it down; return what the model is told."""
        given = read_json(call.arguments or "{}")
        if not isinstance(given, dict):
            return self._turned_down(call, "the arguments are no JSON object")
        if call.name != EDIT_TOOL.name:
            return self._turned_down(call, f"only {EDIT_TOOL.name} may be called here")
        if given.get("file_path") != self.path:
            return self._turned_down(call, f"only {self.path} may be edited here")
        old, new = given.get("old_string"), given.get("new_string")
        if not isinstance(old, str) or not isinstance(new, str) or not old:
            return "Not edited: old_string and new_string must be texts, and old_string not empty."
        found = self.notes.count(old)
        if found == 0:
            return "Not edited: old_string does not occur in the file."
        if found > 1 and not given.get("replace_all"):
            return f"Not edited: old_string occurs {found} times; quote more of its surroundings."
        self.notes = self.notes.replace(old, new)
        return "Edited."

    def _turned_down(self, call: ToolCall, reason: str) -> str:
        self.rejected.append({"name": call.name, "arguments": call.arguments, "reason": reason})
        return f"Not carried out: {reason}."

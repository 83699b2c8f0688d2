"""Keeps a session's notes up to date in the background (`engine.md` §5.7.2).

After each model call the agent asks for an update. It starts when the window is full enough and
holds a completed exchange that the notes do not cover, and at most one runs for each session. A
model works on a copy of the notes, which then takes their place; a failed update leaves the notes,
their anchor, and the copy.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from engine.conversation import Conversation
from engine.debug.records import End, ThresholdCheck
from engine.messages import SystemMessage, ToolInfo
from engine.messages.rounds import completed_api_rounds
from engine.session_memory.agent_edit import NotesEditor
from engine.session_memory.config import SessionMemoryConfig
from engine.session_memory.direct_replace import replaced_notes
from engine.session_memory.model import ChatModel
from engine.session_memory.notes import notes_path, pending_path
from engine.session_memory.run_log import write_run
from engine.session_memory.runtime import SessionMemoryRuntime
from engine.session_memory.stretch import Stretch
from engine.workspace import Workspace
from engine.workspace.files import replace_file

_LOG = logging.getLogger(__name__)

PROCESSOR = "SessionMemory"
"""Name under which the records of the updates stand."""

TEMPLATE_PATH = ("context", "session_memory.md")
"""File of the workspace that new notes are copied from, where it exists."""


class SessionMemoryUpdater:
    """Starts updates, one at a time for each session."""

    def __init__(self, model: ChatModel, config: SessionMemoryConfig | None = None) -> None:
        """Take who writes the notes, and when."""
        self._model = model
        self._config = config or SessionMemoryConfig()
        self._tasks: dict[str, asyncio.Task[bool]] = {}

    def schedule(
        self,
        context: Conversation,
        system_messages: Sequence[SystemMessage] = (),
        tools: Sequence[ToolInfo] = (),
    ) -> asyncio.Task[bool] | None:
        """Start an update if one is due.

        Args:
            context: the context that was just sent to the agent's model, and got its answer.
            system_messages: the system messages of that request.
            tools: its tools.

        Returns:
            The running update, whose result tells whether it succeeded; None when none is due.
        """
        session_id = context.session.session_id
        workspace = context.workspace
        if workspace is None or not session_id:
            return None
        running = self._tasks.get(session_id)
        if running and not running.done():
            self._end(context, "should_update", "skipped", "busy")
            return None
        runtime = SessionMemoryRuntime.of(context.session)
        runtime.session_id = session_id
        runtime.memory_path = notes_path(workspace, session_id)
        runtime.pending_memory_path = pending_path(workspace, session_id)
        runtime.keep(context.session)
        stretch = Stretch.of(context, system_messages, tools)
        if not self._is_due(context, stretch, runtime):
            return None
        self._end(context, "should_update", "update_started")
        task = asyncio.create_task(self._update(context, workspace, stretch))
        self._tasks[session_id] = task
        return task

    def _is_due(
        self, context: Conversation, stretch: Stretch, runtime: SessionMemoryRuntime
    ) -> bool:
        threshold = context.capacity.share(self._config.update_trigger_context_ratio)
        if stretch.messages and stretch.tokens < threshold:
            self._record(context, stretch, threshold, hit=False)
            return False
        if not completed_api_rounds(stretch.behind(runtime.notes_upto_message_id)):
            self._end(context, "should_update", "declined", "no_completed_round")
            return False
        self._record(context, stretch, threshold, hit=True)
        return True

    async def _update(self, context: Conversation, workspace: Workspace, stretch: Stretch) -> bool:
        started = context.clock.now()

        def end(outcome: End, reason: str | None = None, error: str | None = None) -> None:
            seconds = round(context.clock.now() - started, 3)
            self._end(context, "update", outcome, reason, error=error, seconds=seconds)

        _set(context, is_extracting=True)
        try:
            changed = await self._write(context, workspace, stretch)
        except asyncio.CancelledError:
            end("notes_unchanged", "interrupted")
            raise
        except Exception as error:
            _LOG.warning("the notes of %s stay as they are: %s", context.session.session_id, error)
            end("notes_unchanged", "update_failed", str(error) or type(error).__name__)
            return False
        else:
            _set(
                context,
                initialized=True,
                tokens_at_last_update=stretch.tokens,
                tool_calls_at_last_update=stretch.tool_calls,
                last_summarized_message_count=len(stretch.messages),
                notes_upto_message_id=stretch.messages[-1].message_id,
            )
            end("notes_updated" if changed else "notes_unchanged")
            return True
        finally:
            _set(context, is_extracting=False)

    async def _write(self, context: Conversation, workspace: Workspace, stretch: Stretch) -> bool:
        """Bring the copy up to date and put it in the notes' place; return whether they differ."""
        declared = pending_path(workspace, context.session.session_id)
        pending = workspace.physical(declared)
        path = workspace.physical(notes_path(workspace, context.session.session_id))
        notes = before = _read_or_create(context, workspace)
        replace_file(pending, notes.encode())
        wording = context.wording.session_memory
        if self._config.update_mode == "direct_replace":
            prompt = wording.prompt(wording.replace_prompt, declared, notes)
            retries = self._config.direct_replace_max_retries
            notes = await replaced_notes(self._model, stretch.asked(prompt), retries)
        else:
            prompt = wording.prompt(wording.edit_prompt, declared, notes)
            notes = await self._edited(context, stretch, NotesEditor(declared, notes), prompt)
        replace_file(pending, notes.encode("utf-8", "backslashreplace"))
        pending.replace(path)
        return notes != before

    async def _edited(
        self, context: Conversation, stretch: Stretch, editor: NotesEditor, prompt: str
    ) -> str:
        """Return the notes as a model has edited them."""
        error: str | None = None
        most = self._config.max_iterations
        try:
            await editor.run(self._model, stretch.asked(prompt), stretch.tools, most)
        except Exception as failure:
            error = str(failure) or type(failure).__name__
            raise
        finally:
            write_run(context, self._config, stretch, editor, prompt, error)
        return editor.notes

    def _record(
        self, context: Conversation, stretch: Stretch, threshold: int, *, hit: bool
    ) -> None:
        context.debug.write(
            ThresholdCheck,
            PROCESSOR,
            self._config.debug,
            phase="should_update",
            total_tokens=stretch.tokens,
            context_max=context.capacity.tokens,
            threshold=threshold,
            hit=hit,
            reason="reached_threshold" if hit else "below_threshold",
        )

    def _end(
        self,
        context: Conversation,
        phase: str,
        outcome: End,
        reason: str | None = None,
        **facts: Any,
    ) -> None:
        context.debug.end(PROCESSOR, self._config.debug, outcome, reason, phase=phase, **facts)


def _read_or_create(context: Conversation, workspace: Workspace) -> str:
    declared = notes_path(workspace, context.session.session_id)
    notes = workspace.read_text(declared)
    if notes is None:
        template = workspace.read_text(workspace.declared(*TEMPLATE_PATH))
        notes = context.wording.session_memory.template if template is None else template
        replace_file(workspace.physical(declared), notes.encode())
    return notes


def _set(context: Conversation, **changes: Any) -> None:
    runtime = SessionMemoryRuntime.of(context.session)
    runtime.model_copy(update=changes).keep(context.session)

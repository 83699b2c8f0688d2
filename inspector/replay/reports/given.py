"""Windows as the chain was given them, before any of its processors acted."""

from __future__ import annotations

from collections.abc import Sequence

from engine.messages import Message, SystemMessage
from engine.processors.budget import BudgetConfig
from engine.processors.registry import processor_class
from engine.tokens.selection import make_counter
from engine.tokens.usage import window_tokens
from engine.window import build_window
from inspector.replay.cases.case import Case
from inspector.replay.runs.run import Run, Step


def given_messages(case: Case, step: Step, system: Sequence[SystemMessage]) -> list[Message]:
    """Return the context messages of the window that a step's chain was given.

    Args:
        case: the case that was run.
        step: one of its steps, with a window.
        system: the case's system messages.
    """
    config, limits = case.engine_config(), case.window_kwargs
    return build_window(
        list(step.before),
        list(system),
        (),
        window_size=limits.window_size or config.default_window_message_num,
        dialogue_round=limits.dialogue_round or config.default_window_round_num,
    ).context_messages


class GivenTokens:
    """Counts the windows that a run's chain was given, where its own records only estimate them."""

    def __init__(self, run: Run) -> None:
        """Take the run; nothing is counted where prefix compressors do it anyway."""
        case = run.case
        self._case = case
        models = [processor_class(name).config_model for name, _ in case.processors]
        self._wanted = any(issubclass(model, BudgetConfig) for model in models)
        self._counter = make_counter(case.token_counter)
        self._system, self._tools = case.system(), case.tool_list()

    def of(self, step: Step) -> int | None:
        """Return the tokens of the whole window; None where the records say so."""
        if not self._wanted:
            return None
        messages = given_messages(self._case, step, self._system)
        return window_tokens(self._counter, self._system, messages, self._tools)

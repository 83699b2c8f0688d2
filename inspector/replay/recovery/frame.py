"""What every request of a recording holds beside its messages, and what counted it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.messages import SystemMessage, ToolInfo, read_messages
from engine.tokens.counters import StringLengthCounter, TokenCounter
from engine.tokens.selection import CounterName, make_counter
from engine.tokens.usage import window_tokens
from inspector.replay.cases.case import Gap
from inspector.replay.recovery.recorded import Chat, RecordedStep, window_before, without_metadata

_COUNTERS: tuple[CounterName, ...] = ("string", "tiktoken", "tiktoken_o200k")
_RECOUNTED = 8
"""Compressions whose windows are counted again to tell the counter."""
_SYSTEM_FRAME = 23
"""Characters that the default counter puts around a system message."""
_LATE_MESSAGES = 8
"""Messages that may have come between a request and a compression on demand."""


@dataclass
class Frame:
    """System messages and tools, which are the same in all requests, and the counter."""

    counter: CounterName
    system: list[Chat] = field(default_factory=list)
    tools: list[Chat] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    def tokens(self) -> TokenCounter:
        """Return what counts."""
        return make_counter(self.counter)

    def read(self) -> tuple[list[SystemMessage], list[ToolInfo]]:
        """Return system messages and tools as the engine has them."""
        system = [m for m in read_messages(self.system) if isinstance(m, SystemMessage)]
        return system, [ToolInfo.model_validate(tool) for tool in self.tools]


def recovered_frame(steps: Sequence[RecordedStep]) -> Frame:
    """Return the frame as the first step has it that shows one; else stand-ins of its length."""
    frame = Frame(_counter_name(steps))
    for step in steps:
        if step.request is not None:
            head = step.request.messages[: step.request.system_message_count or 0]
            frame.system = [without_metadata(chat) for chat in head]
            frame.tools = step.request.tools
            return frame
        for dump in () if step.on_demand else step.dumps:
            sent = dump.compression_request
            head = sent.messages_sent_to_model[: sent.system_messages_count]
            frame.system = [without_metadata(chat) for chat in head]
            frame.tools = sent.tools
            return frame
    length = _unseen_tokens(frame.tokens(), steps)
    chars = length * 3 - _SYSTEM_FRAME
    if chars >= 0:
        frame.system = [{"role": "system", "content": "." * chars}]
        what = f"system messages and tools are in no file; {length} tokens of dots stand for them"
        frame.gaps.append(Gap(what=what))
    return frame


def _unseen_tokens(counter: TokenCounter, steps: Sequence[RecordedStep]) -> int:
    """Return the tokens of what requests hold beside the context; 0 where they do not tell.

    A compression on demand is given neither system messages nor tools, a request both. Their total
    is what the first step, and the one before the compression, count more than their messages.
    """
    after = next((at for at, step in enumerate(steps) if step.on_demand and step.dumps), 0)
    first, last = (steps[0].total, steps[after - 1].total) if after else (None, None)
    if not isinstance(counter, StringLengthCounter):
        return 0
    if first is None or last is None or any(step.dumps for step in steps[:after]):
        return 0
    window = read_messages(window_before(steps[after].dumps[0]))
    begun = {window_tokens(counter, (), window[:count], ()) for count in range(1, len(window) + 1)}
    for late in range(min(_LATE_MESSAGES, len(window))):
        length = last - window_tokens(counter, (), window[: len(window) - late], ())
        if length >= 0 and first - length in begun:
            return length
    return 0


def _counter_name(steps: Sequence[RecordedStep]) -> CounterName:
    """Return the counter that explains the sizes of the most compressed windows.

    A dump does not name it; where none explains more than the default, that is taken.
    """
    dumps = [dump for step in steps for dump in step.dumps][:_RECOUNTED]
    windows = [(read_messages(window_before(d)), d.trigger.total_tokens_before) for d in dumps]

    def explained(name: CounterName) -> int:
        counter = make_counter(name)
        return sum(counter.count_messages(window) == total for window, total in windows)

    if not windows or explained(_COUNTERS[0]) == len(windows):
        return _COUNTERS[0]
    return max(_COUNTERS, key=explained)

"""A decision in plain words: what each gate asked, and why it ended as it did.

Only words are chosen here; every fact is in the decision.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.trace.decision import Decision, Gate, Tokens
from inspector.ui.formats import is_estimate, number, plural
from inspector.ui.models.detail.rule_names import rule_name

GATES = {
    "model": "a model is there to write the summary",
    "threshold": "the window has reached the limit",
    "span": "some messages may be compressed",
    "min_target": "those messages are worth it",
    "model_call": "the model answers",
    "answer": "the answer holds a summary",
    "benefit": "the new context is smaller than the old",
    "size": "the message is large enough",
    "protected": "the tool is not protected",
    "rule": "a rule shortens the text",
    "write": "the original is written to disk",
    "idle": "the context was idle long enough",
    "occupancy": "the window is full enough",
    "ratio": "the window has reached the limit",
    "notes": "usable notes are there",
    "anchor": "the notes' last message is in the window",
    "reasoning_tools": "rounds repeat their reasoning and tools",
    "tool_args": "rounds repeat their calls",
}
"""What each gate asks."""

REASONS = {
    "authentication": "the model refused the credentials",
    "api_request_error": "the model refused the request as malformed",
    "overflow_exhausted": "the request was too long, four times over",
    "overflow_no_smaller_span": "the request was too long and no smaller span was left",
    "transient_exhausted": "the model failed three times in passing",
    "empty_answer": "the model's answer held no text",
    "no_benefit": "the new context would not have been smaller",
    "interrupted": "the attempt was broken off",
    "no_model": "it has no model",
    "debug_off": "its debug records are switched off",
    "not_in_chain": "it is not in the chain",
    "protected_tool": "results of this tool are protected",
    "message_below_threshold": "the message is below the limit for a single message",
    "already_offloaded": "it holds the marker of an original already",
    "already_shortened": "a rule had shortened it before",
    "nothing_to_save": "no rule saved anything, and the text is short enough",
    "write_failed": "the original could not be written",
    "no_notes": "there were no notes",
    "notes_too_long": "the notes were too long",
    "no_anchor": "the last message that the notes cover is not in the window",
    "update_failed": "the update failed",
    "offloaded": "it was offloaded",
    "cut": "it was shortened, and no copy was kept",
    "notes_updated": "the notes were written",
    "notes_unchanged": "the notes stayed as they were",
    "rule": "shortened by a rule",
}
"""Reasons and candidates in words."""


def explain(decision: Decision) -> str:
    """Return what happened and why, in one or two sentences."""
    if decision.outcome == "compressed":
        return _compressed(decision)
    if decision.outcome == "declined":
        return _declined(decision)
    if decision.outcome == "gave_up":
        return _gave_up(decision)
    if decision.outcome == "undecided":
        return _undecided(decision)
    if decision.outcome in ("offloaded", "cut"):
        return " ".join(_offloaded(decision))
    if decision.outcome in ("materialised", "update_started"):
        return _remembered(decision)
    if decision.outcome == "folded":
        return _folded(decision)
    return _OTHERS[decision.outcome] + _because(decision)


def told_reason(reason: str) -> str:
    """Return a reason in words; one of a later version as it is."""
    kind, _, detail = reason.partition(":")
    words = REASONS.get(kind, kind.replace("_", " "))
    return f"{words} ({detail.replace('_', ' ')})" if detail else words


_OTHERS = {
    "notes_updated": "The session notes were updated",
    "notes_unchanged": "The session notes stayed as they were",
    "skipped": "Skipped",
    "running": "Running: it has begun and no end has been seen yet",
}


def _because(decision: Decision) -> str:
    return f": {told_reason(decision.reason)}." if decision.reason else "."


def _over_limit(decision: Decision) -> str:
    tokens = decision.tokens
    if tokens is None or tokens.total is None or tokens.threshold is None:
        return ""
    total = number(tokens.total, is_estimate(tokens.method))
    return f"The window held {total} tokens and had reached the limit of {number(tokens.threshold)}"


def _compressed(decision: Decision) -> str:
    demanded = decision.phase == "active_compress"
    said = _over_limit(decision) or ("Compressed on demand" if demanded else "Compressed")
    if decision.span is not None:
        said += f"; {plural(decision.span.compress, 'message')} made way for a summary"
    return f"{said}.{_change(decision)}"


def _change(decision: Decision) -> str:
    """Tell in a sentence of its own what became of the context's size, where that is known."""
    tokens = decision.tokens
    if tokens is None or tokens.before is None or tokens.after is None:
        return ""
    about = is_estimate(tokens.method)
    saved = tokens.before - tokens.after
    change = f"{number(abs(saved), about)} {'fewer' if saved >= 0 else 'more'}"
    before, after = number(tokens.before, about), number(tokens.after, about)
    return f" The context went from {before} to {after} tokens, {change}."


def _folded(decision: Decision) -> str:
    loop = next((gate for gate in decision.gates if gate.passed), None)
    if loop is None:
        said = "A loop of tool calls was folded"
    else:
        alike = _ALIKE.get(loop.gate, "alike")
        said = f"{plural(int(loop.value or 0), 'round')} {alike} were folded"
        if loop.limit is not None:
            said += f", for {number(loop.limit)} make a loop"
    return f"{said}: one message with the latest calls took their place.{_change(decision)}"


_ALIKE = {
    "reasoning_tools": "with the same reasoning and tools",
    "tool_args": "with the same calls",
}


def _offloaded(decision: Decision) -> Iterator[str]:
    """Tell of a large message: how large, what a rule made of it, what became of the original."""
    if decision.reload_of is not None:
        yield "The model had just asked to have this back."
    size = _gate(decision, "size")
    if size is not None and size.value is not None and size.limit is not None:
        held, most = number(size.value, True), number(size.limit)
        yield f"The message held {held} tokens, more than the {most} that one may have."
    yield from _shortened(decision)
    if decision.outcome == "cut":
        yield "The original could not be written: what was cut off is lost."
    else:
        yield "The original was written to a file, and a marker stands for it."
    tokens = decision.tokens
    if tokens and tokens.after is not None and tokens.after > (tokens.before or tokens.after):
        held = number(tokens.after, is_estimate(tokens.method))
        yield f"With the marker it holds {held} tokens, more than before."


def _shortened(decision: Decision) -> Iterator[str]:
    rule, kind = _gate(decision, "rule"), (decision.reason or "").partition(":")[2]
    name = f"The rule for {rule_name(kind)}" if kind else "A rule"
    if rule is not None and rule.value is not None and rule.limit is not None:
        yield f"{name} shortened it from {number(rule.limit)} to {number(rule.value)} characters."
    elif kind:
        yield f"{name} shortened it."
    elif rule is not None and rule.passed is False:
        yield "No rule saved anything, so only its beginning and its end were kept."


def _gate(decision: Decision, name: str) -> Gate | None:
    return next((gate for gate in decision.gates if gate.gate == name), None)


def _remembered(decision: Decision) -> str:
    over = _over_limit(decision)
    if decision.outcome == "update_started":
        return f"{over}: an update of the session notes was started." if over else _STARTED
    said = f"{over}; the session notes took the place of older messages." if over else _REPLACED
    return said + _change(decision)


_STARTED = "An update of the session notes was started."
_REPLACED = "The session notes took the place of older messages."


def _declined(decision: Decision) -> str:
    tokens = decision.tokens
    about = tokens is None or is_estimate(tokens.method)
    if decision.reason == "below_threshold" and tokens and (said := _below(tokens)):
        return said
    over = _over_limit(decision)
    if decision.reason == "no_compressible_span":
        return (f"{over}, but " if over else "Declined: ") + "no message may be compressed here."
    if decision.reason == "target_below_min" and tokens and tokens.target is not None:
        return (
            f"{over}, but what may be compressed holds {number(tokens.target, about)} tokens "
            f"and at least {number(tokens.min_target)} are asked for."
        )
    if decision.reason == "message_below_threshold":
        size = _gate(decision, "size")
        if size is not None and size.value is not None and size.limit is not None:
            return (
                f"Nothing to do: the message held {number(size.value, True)} tokens, "
                f"and {number(size.limit)} are few enough."
            )
    if decision.candidates:
        said = f"{over}, but nothing came of it" if over else "Declined"
        return f"{said}. The files do not say why; likeliest: {_told_candidates(decision)}."
    return "Declined" + _because(decision)


def _below(tokens: Tokens) -> str:
    if tokens.total is None or not tokens.threshold:
        return ""
    about, room = is_estimate(tokens.method), tokens.threshold - tokens.total
    return (
        f"Nothing to do: the window held {number(tokens.total, about)} tokens, "
        f"{number(room, about)} below the limit of {number(tokens.threshold)}."
    )


def _gave_up(decision: Decision) -> str:
    calls = f" after {plural(decision.model_calls, 'model call')}" if decision.model_calls else ""
    over = _over_limit(decision)
    said = f"{over}. It tried and gave up{calls}" if over else f"It tried and gave up{calls}"
    if decision.reason:
        sure = "" if decision.basis == "recorded" else ", as the records together show"
        return f"{said}: {told_reason(decision.reason)}{sure}."
    if not decision.candidates:
        return f"{said}; the files do not say why."
    return f"{said}. The files do not say why; likeliest: {_told_candidates(decision)}."


def _undecided(decision: Decision) -> str:
    if not decision.candidates:
        return "The files do not show how this ended."
    return f"The files do not show what became of this. Possible: {_told_candidates(decision)}."


def _told_candidates(decision: Decision) -> str:
    first, *rest = [told_reason(candidate) for candidate in decision.candidates]
    return "; or ".join([first, *rest])


def told_value(gate: Gate, value: float | None, estimated: bool) -> str:
    """Return a value of a gate; tokens that no tokenizer counted carry `~`."""
    return number(value, estimated and gate.unit == "tokens" and value is not None)

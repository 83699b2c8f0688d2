"""The summary model's answers, as far as a recording tells them.

A compression's dump holds its answer, a retry record the error that came before. What a silent
give-up was answered is in no file: an empty answer stands for it, or a further transient error
where two of them were recorded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.debug.records import CompressionRetry
from engine.errors.model_calls import ModelCallError, error_kind
from engine.messages import UsageMetadata
from engine.summarizers.recorded import Reply, ReplyError
from inspector.replay.cases.case import Gap
from inspector.replay.recovery.evidence import RecordedAttempt

_STATUS = re.compile(r"Error code: (\d{3})")
_STAND_INS = {
    "context_overflow": ReplyError(status=400, message="maximum context length exceeded"),
    "rate_limit": ReplyError(status=429, message="rate limit"),
    "server_unstable": ReplyError(status=503, message="service unavailable"),
    "unknown": ReplyError(message="the error was not recorded"),
}
_SAID_BY_RECORD = ("overflow_exhausted", "overflow_no_smaller_span")
EMPTY = Reply(content=None)


def recovered_replies(attempts: Sequence[RecordedAttempt]) -> tuple[list[Reply], list[Gap]]:
    """Return one reply for each model call, in order, and what had to be made up."""
    replies: list[Reply] = []
    gaps: list[Gap] = []
    for attempt in attempts:
        replies += [_fault(retry) for retry in attempt.retries]
        decision, dump = attempt.decision, attempt.dump
        who = f"{decision.processor}'s answer"
        if dump is not None:
            response = dump.compression_response
            usage = UsageMetadata.model_validate(response.usage) if response.usage else None
            replies.append(Reply(content=response.raw_content, usage=usage))
        elif decision.outcome == "compressed":
            what = f"{who} is in no file; from here on, summaries are extracted"
            return replies, [*gaps, Gap(step=attempt.step, what=what)]
        elif decision.reason not in _SAID_BY_RECORD:
            replies.append(_likeliest(attempt))
            gaps.append(
                Gap(step=attempt.step, what=f"{who} is in no file: it was given up silently")
            )
    return replies, gaps


def _fault(retry: CompressionRetry) -> Reply:
    """Return a fault of the same kind as the one that was recorded."""
    kind = retry.error_type.removeprefix("transient:")
    if kind == "timeout":
        return Reply(timeout=True)
    status = _STATUS.search(retry.error_message)
    error = ReplyError(status=int(status.group(1)) if status else None, message=retry.error_message)
    same = error_kind(ModelCallError(retry.error_message, status=error.status)) == kind
    return Reply(error=error if same else _STAND_INS.get(kind, _STAND_INS["unknown"]))


def _likeliest(attempt: RecordedAttempt) -> Reply:
    backoffs = [retry for retry in attempt.retries if retry.reason == "transient_backoff"]
    if backoffs and attempt.decision.candidates[:1] == ["transient_exhausted"]:
        return _fault(backoffs[-1])
    return EMPTY

"""What models answered when they were asked for summaries, kept so that nobody is asked twice.

An answer is known by the model that gave it, the compressor that asked, and the digest of the
messages that it stands for; what it says has the form of a case's replies. Answers belong to a
project, so its runs can be replayed anywhere without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from engine.clock import VirtualClock
from engine.files import replace_file
from engine.model_errors import ModelCallError, error_kind
from engine.summarizers.call import Summarizer, SummaryAnswer, SummaryCall
from engine.summarizers.extractive import NAME as EXTRACTIVE
from engine.summarizers.extractive import ExtractiveSummarizer
from engine.summarizers.recorded import Reply, ReplyError
from engine.tokens.selection import make_counter
from inspector.insight.cost import NetCost, net_cost
from inspector.insight.prices import PriceTable
from inspector.insight.sent_requests import RequestWriter, SentRequest
from inspector.replay.case import CaseError
from inspector.replay.run import Run
from inspector.sources.regular_file import read_regular

_STILL: Final = VirtualClock(0)
"""No kept answer takes time."""


class KeptAnswer(BaseModel):
    """One answer."""

    model_config = ConfigDict(frozen=True)

    model: str
    """Name of the model."""
    processor: str
    target: str
    """Digest of the messages that the summary stands for."""
    reply: Reply


_ANSWERS: Final = TypeAdapter(list[KeptAnswer])


class Answers:
    """All kept answers; they may be read on one thread while another adds to them."""

    def __init__(self, kept: Iterable[KeptAnswer] = ()) -> None:
        """Take answers that were kept before."""
        self._kept = {_key(answer): answer for answer in kept}

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, model: str, call: SummaryCall) -> Reply | None:
        """Return what a model answered to a call; None where it was not asked."""
        found = self._kept.get((model, call.processor, call.target_digest))
        return None if found is None else found.reply

    def keep(self, model: str, call: SummaryCall, reply: Reply) -> None:
        """Add what a model answered to a call."""
        answer = KeptAnswer(
            model=model, processor=call.processor, target=call.target_digest, reply=reply
        )
        self._kept[_key(answer)] = answer

    def all(self) -> list[KeptAnswer]:
        """Return every answer, in the order of asking."""
        return list(self._kept.values())


class KeptSummarizer:
    """Answers as a model did before; what it was not asked yet it is asked, or taken offline.

    After a failure nothing is asked any more. An overflow of the model's window is an answer too,
    for the compressor then sends less. Any other fault says nothing about the settings: it is not
    kept, so it can be asked again.

    Attributes:
        failure: what ended the asking.
    """

    def __init__(
        self,
        name: str,
        answers: Answers,
        model: Summarizer | None = None,
        on_call: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Take the answers, and who is asked for others.

        Args:
            name: the model's name.
            answers: what it answered before; what it answers now is added.
            model: the model; None: the offline extract stands in for it.
            on_call: called with the number of each call, from 1, before it is sent.
        """
        self.failure: ModelCallError | None = None
        self._name = name
        self._answers = answers
        self._model = model
        self._on_call = on_call
        self._calls = 0
        self._extract = ExtractiveSummarizer()

    async def summarize(self, call: SummaryCall) -> SummaryAnswer:
        """Return the answer to a call.

        Raises:
            ModelCallError: the model failed, now or at an earlier call.
        """
        reply = self._answers.find(self._name, call)
        if reply is None:
            if self._model is None:
                return await self._extract.summarize(call)
            reply = await self._ask(self._model, call)
            self._answers.keep(self._name, call, reply)
        return replace(await reply.play(_STILL, 0), summarizer=self._name)

    async def _ask(self, model: Summarizer, call: SummaryCall) -> Reply:
        if self.failure is not None:
            raise self.failure
        self._calls += 1
        self._on_call(self._calls)
        try:
            answer = await model.summarize(call)
        except ModelCallError as error:
            if error_kind(error) == "context_overflow":
                return Reply(error=ReplyError.of(error))
            self.failure = error
            raise
        return Reply(content=answer.content, usage=answer.usage)


def load_answers(path: Path | None = None) -> Answers:
    """Return the answers of a file; none where there is no file yet.

    Raises:
        CaseError: the file cannot be read, or holds something else.
    """
    try:
        return Answers(_ANSWERS.validate_json(read_regular(path)) if path is not None else ())
    except FileNotFoundError:
        return Answers()
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise CaseError(f"{path}: holds no answers of a model: name another file") from error


def save_answers(answers: Answers, path: Path) -> None:
    """Write answers; the file is whole at any moment.

    Raises:
        CaseError: it cannot be written.
    """
    try:
        replace_file(path, _ANSWERS.dump_json(answers.all(), indent=1, exclude_none=True))
    except OSError as error:
        raise CaseError(f"{path}: cannot be written: {error.strerror}") from error


def unanswered(run: Run) -> tuple[SentRequest, ...]:
    """Return the summary calls of a run that nobody but the offline extract answered.

    They are as they would go to a model, with the length of the extract as output.
    """
    writer = RequestWriter(make_counter(run.case.token_counter))
    return tuple(
        writer.summary_call(
            step.number or 1,
            sent.call.processor,
            sent.call.messages,
            sent.call.tools,
            answer=sent.answer.content or "",
        )
        for step in run.steps
        for sent in step.calls
        if sent.answer is not None and sent.answer.summarizer == EXTRACTIVE
    )


def cost_of_asking(calls: Iterable[SentRequest], prices: PriceTable, model: str) -> NetCost:
    """Return about what it costs to have a model answer calls.

    Its summaries have another length than the extract, and with them the windows that follow; so
    there may be more calls in the end, or fewer.
    """
    return net_cost(calls, prices.price(model), currency=prices.currency)


def _key(answer: KeptAnswer) -> tuple[str, str, str]:
    return answer.model, answer.processor, answer.target

"""A model that is asked only what it was not asked before.

It is the summarizer of a replay for which a model was named, in the window, from the command line
and, with nobody to ask, in a sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from engine.clock import VirtualClock
from engine.errors.model_calls import ModelCallError, error_kind
from engine.summarizers.call import Summarizer, SummaryAnswer, SummaryCall
from engine.summarizers.extractive import ExtractiveSummarizer
from engine.summarizers.recorded import Reply, ReplyError
from inspector.replay.summaries.answers import Answers

_STILL: Final = VirtualClock(0)
"""No kept answer takes time."""


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

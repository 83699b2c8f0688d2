"""What models answered when they were asked for summaries, kept so that nobody is asked twice.

An answer is known by the model that gave it, the compressor that asked, and the digest of the
messages that it stands for; what it says has the form of a case's replies. Answers belong to a
project, so its runs can be replayed anywhere without a model.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from engine.summarizers.call import SummaryCall
from engine.summarizers.recorded import Reply
from engine.workspace.files import replace_file
from inspector.replay.cases.case import CaseError
from inspector.sources.regular_file import read_regular


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


def _key(answer: KeptAnswer) -> tuple[str, str, str]:
    return answer.model, answer.processor, answer.target

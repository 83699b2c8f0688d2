"""Case files, and the JSON files of a replay in general: read whole, and their faults said in full.

The format of a case file is fixed by `conformance/README.md`: `{"case": {…}, "expected": {…}}`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.chat import chat_case
from inspector.sources.fault import first_fault
from inspector.sources.regular_file import read_regular


class CaseFile(BaseModel):
    """What a case file holds."""

    model_config = ConfigDict(frozen=True, extra="allow")

    case: Case
    expected: dict[str, Any] | None = None
    """What the original did, shortened as `conformance/README.md` says."""


def load_json(path: Path) -> Any:
    """Read a JSON document in UTF-8, UTF-16 or UTF-32.

    Raises:
        CaseError: it cannot be read or is no JSON; the text tells the byte where it stops being.
    """
    raw = b""
    try:
        raw = read_regular(path)
        return json.loads(raw)
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        sound = error.doc[: error.pos].encode(json.detect_encoding(raw), "surrogatepass")
        raise CaseError(f"{path}: is not JSON at byte {len(sound)}: {error.msg}") from error
    except UnicodeDecodeError as error:
        reason = f"what stands there is no text in {error.encoding}"
        raise CaseError(f"{path}: is not JSON at byte {error.start}: {reason}") from error
    except RecursionError as error:
        raise CaseError(f"{path}: is not JSON of use: it is nested too deeply") from error
    except ValueError as error:
        raise CaseError(f"{path}: is not JSON of use: a number is too long") from error


def load_case(path: Path) -> CaseFile:
    """Read a case file, or a chat as a case with the default chain.

    Raises:
        CaseError: it cannot be read, is no JSON, or is neither.
    """
    data = load_json(path)
    if (data.get("messages") if isinstance(data, dict) else data) == []:
        raise CaseError(f"{path}: holds no message, so there is nothing to replay")
    try:
        return CaseFile.model_validate(chat_case(data, path.stem) or data)
    except ValidationError as error:
        raise CaseError(
            f"{path}: is not a replay case: {first_fault(error)} "
            '(expected {"case": {…}} with messages and processors)'
        ) from error

"""A project: a case and what was tried with it, in one file that can be saved and sent.

A run keeps its settings and its turns, and the project what models answered, so a run can be
replayed anywhere and comes out the same; its figures are kept to be shown before that, and to be
checked against. No key ever enters the file: settings that hold credentials are left out when it
is saved.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.config import CompressionRecallConfig, ContextEngineConfig
from engine.tokens.selection import CounterName
from engine.workspace.files import replace_file
from inspector import __version__
from inspector.replay.cases.case import Case, CaseError
from inspector.replay.cases.case_file import load_json
from inspector.replay.cases.planted import planted
from inspector.replay.cases.turn import Turn
from inspector.replay.settings.chain import Chain
from inspector.replay.summaries.answers import KeptAnswer
from inspector.sources.fault import first_fault

FORMAT: Final = "context-inspector project"
VERSION: Final = 1
"""Of the format: a file of a later one is refused, for it may hold what would be lost."""

_CREDENTIAL = re.compile(
    r"(?:^|_)(?:api_?key|secret|password|authorization|bearer|(?:access|auth|api)_?token)$", re.I
)


class ProjectRun(BaseModel):
    """One run: how it differs from the project's case."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str = ""
    parent: str | None = None
    """Id of the run that it was branched or edited from; None: the case itself."""
    processors: Chain
    engine: ContextEngineConfig
    context_window_tokens: int | None = None
    recall: bool | CompressionRecallConfig = False
    token_counter: CounterName = "string"
    turns: list[Turn] = Field(default_factory=list)
    summary_model: str | None = None
    """The model whose answers stand where nothing is recorded; the offline extract when None."""
    canaries: int = Field(default=0, ge=0)
    """How many were planted in the messages."""
    figures: dict[str, int | float | None] = Field(default_factory=dict)
    """Metrics of the run when it was last made."""

    @classmethod
    def of(cls, case: Case, run_id: str, parent: str | None = None, **about: Any) -> Self:
        """Return the run of a case with its settings; `about` are further fields."""
        kept = {name: getattr(case, name) for name in _KEPT}
        return cls(id=run_id, parent=parent, **kept, **about)

    def applied(self, base: Case) -> Case:
        """Return the project's case with this run's settings, turns and canaries."""
        update = {name: getattr(self, name) for name in _KEPT}
        base = planted(base, self.canaries) if self.canaries else base
        if self.turns:
            update |= {"id": self.id, "parent": self.parent or base.id}
        return base.model_copy(update=update)


_KEPT: Final = (
    "processors",
    "engine",
    "context_window_tokens",
    "recall",
    "token_counter",
    "turns",
)
"""Fields of a case that a run may have otherwise."""


class Project(BaseModel):
    """A case and its runs."""

    model_config = ConfigDict(frozen=True)

    format: Literal["context-inspector project"] = FORMAT
    version: int = Field(default=VERSION, ge=1, le=VERSION)
    program: str = __version__
    """Version of the program that saved it."""
    case: Case
    """As it was recorded or loaded."""
    runs: list[ProjectRun] = Field(default_factory=list)
    """Each after the run that it comes from."""
    answers: list[KeptAnswer] = Field(default_factory=list)
    """What models answered when they were asked for summaries."""

    @model_validator(mode="after")
    def _parents_come_first(self) -> Self:
        seen: set[str] = set()
        for run in self.runs:
            if run.id in seen:
                raise ValueError(f"two runs have the id {run.id!r}")
            if run.parent is not None and run.parent not in seen:
                raise ValueError(
                    f"run {run.id!r} comes from {run.parent!r}, which is not before it"
                )
            seen.add(run.id)
        return self


def save_project(project: Project, path: Path) -> None:
    """Write a project, without credentials; the file is whole at any moment.

    Raises:
        CaseError: it cannot be written.
    """
    data = project.model_dump(mode="json", exclude_none=True)
    for settings in (data["case"], *data["runs"]):
        for part in ("processors", "engine", "turns"):
            settings[part] = without_credentials(settings.get(part, []))
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    try:
        replace_file(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise CaseError(f"{path}: cannot be written: {error.strerror}") from error


def open_project(path: Path) -> Project:
    """Read a project.

    Raises:
        CaseError: it cannot be read, is none, or was saved by a later version.
    """
    data = load_json(path)
    version = data.get("version") if isinstance(data, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise CaseError(
            f"{path}: was saved by a later version of this program ({data.get('program')}); "
            "open it with that one"
        )
    try:
        return Project.model_validate(data)
    except ValidationError as error:
        raise CaseError(f"{path}: is no project: {first_fault(error)}") from error


def without_credentials(value: Any) -> Any:
    """Return settings without what is named like a credential, at any depth."""
    if isinstance(value, dict):
        return {
            key: without_credentials(inner)
            for key, inner in value.items()
            if not _CREDENTIAL.search(str(key))
        }
    if isinstance(value, list):
        return [without_credentials(inner) for inner in value]
    return value

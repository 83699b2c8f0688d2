"""What one processor did at one step: the decision, its gates, and their JSON form.

These models are the contract of `decisions --json` and of everything above `trace`: the window
paints them, replay compares them. `None` always means "the files do not say", never zero.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.debug.records import End

Basis = Literal["recorded", "inferred"]
Outcome = Literal[End, "running", "undecided"]
"""How a processor's turn ended, as far as the files say."""
Method = Literal["usage+tail", "string_length", "tiktoken", "estimate"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Gate(_Frozen):
    """One test on the way to a compression, in the order in which the engine makes them."""

    gate: str
    passed: bool | None = None
    """None: not reached, or the files do not say."""
    value: float | int | None = None
    limit: float | int | None = None
    margin: float | int | None = None
    """`value - limit`, in `unit`."""
    unit: str | None = None
    basis: Basis = "recorded"

    @classmethod
    def tested(
        cls,
        gate: str,
        passed: bool | None,
        value: float | None = None,
        limit: float | None = None,
        unit: str | None = None,
        basis: Basis = "recorded",
    ) -> Gate:
        """Return a gate with its margin, where both figures are known."""
        margin = value - limit if value is not None and limit is not None else None
        return cls(
            gate=gate,
            passed=passed,
            value=value,
            limit=limit,
            margin=margin,
            unit=unit,
            basis=basis,
        )


class Tokens(_Frozen):
    """Token figures of a decision."""

    total: int | None = None
    threshold: int | None = None
    capacity: int | None = None
    target: int | None = None
    min_target: int | None = None
    before: int | None = None
    after: int | None = None
    method: Method | None = None


class Span(_Frozen):
    """Messages in the three parts of the window that was finally used."""

    prefix: int
    compress: int
    tail: int
    basis: Basis = "recorded"


class Retry(_Frozen):
    """A failed model call and what was done about it."""

    attempt: int
    error: str
    action: str
    ratio: float | None = None
    """Share of the capacity that the next call may fill, after an overflow."""
    delay: float | None = None
    """Pause in seconds, after a transient error."""


class RecordRef(_Frozen):
    """Where a record stands: file and byte offset."""

    path: str
    offset: int


class Decision(_Frozen):
    """What one processor did at one step."""

    session_id: str
    context_id: str
    time: float | None
    """Epoch seconds; None only for records that carry no time."""
    after: float | None = None
    before: float | None = None
    """Bounds in epoch seconds where `time` is None."""
    duration: float | None = None
    """Seconds from the check to the outcome, where both are known."""
    step: int | None
    """1-based number of the window request within its context."""
    processor: str
    phase: str
    outcome: Outcome
    reason: str | None = None
    candidates: list[str] = Field(default_factory=list)
    """Likeliest first, at most four, with an inferred give-up or an `undecided`."""
    basis: Basis
    tool_call_id: str | None = None
    gates: list[Gate] = Field(default_factory=list)
    tokens: Tokens | None = None
    span: Span | None = None
    retries: list[Retry] = Field(default_factory=list)
    model_calls: int = 0
    dump: str | None = None
    records: list[RecordRef] = Field(default_factory=list)
    summarizers: list[str] = Field(default_factory=list)
    """In a replay: who answered each model call."""
    reload_of: str | None = None
    """Of an offloader: handle of the original that the result had brought back."""

    def to_json(self) -> dict[str, Any]:
        """Return the object of `decisions --json`, without the keys that do not apply."""
        data = self.model_dump()
        for name in ("after", "before"):
            if self.time is not None or data[name] is None:
                del data[name]
        for name in ("summarizers", "reload_of"):
            if not data[name]:
                del data[name]
        data["retries"] = [
            {key: value for key, value in retry.items() if value is not None}
            for retry in data["retries"]
        ]
        return data

"""Whether an error of the agent's own call tells of a context that is too long."""

from typing import Any

import pytest

from engine.context_engine import ContextEngine
from engine.errors.overflow import is_context_overflow


class Failure(Exception):
    """An error with whatever attributes somebody's client gives it."""

    def __init__(self, said: str = "", **attributes: Any) -> None:
        super().__init__(said)
        vars(self).update(attributes)


class Broken(Exception):
    """Its properties fail."""

    @property
    def body(self) -> str:
        raise RuntimeError("no body")


def caused(by: BaseException) -> Exception:
    error = Failure("call failed")
    error.__cause__ = by
    return error


@pytest.mark.parametrize(
    "error",
    [
        Failure("This model's maximum context length is 128000 tokens"),
        Failure("CONTEXT_LENGTH_EXCEEDED"),
        Failure("the context-window is full"),
        Failure("Prompt is too long: 210000"),
        Failure("input_too_long"),
        Failure("token limit reached"),
        Failure("this is too long for a prompt"),
        Failure("input exceeds what we take"),
        Failure("context over-limit"),
        Failure(code="context_length_exceeded"),
        Failure(body={"error": {"message": "ok", "code": "context_limit"}}),
        Failure(body={"context length": 5}),
        Failure(response=Failure(text=b"prompt too long")),
        Failure(errors=[{"details": ("maximum context",)}]),
        caused(Failure("maximum context")),
    ],
    ids=lambda error: repr(error)[:40],
)
def test_it_does(error: Exception) -> None:
    assert is_context_overflow(error)
    assert ContextEngine.is_context_overflow_error(error)


@pytest.mark.parametrize(
    "error",
    [
        Failure(""),
        Failure("output token limit reached"),
        Failure("completion hit the token limit"),
        Failure("rate limit exceeded"),
        Failure("the answer is too long"),
        Failure("context"),
        Failure(status_code=413),
        Broken("no"),
    ],
    ids=lambda error: repr(error)[:40],
)
def test_it_does_not(error: Exception) -> None:
    assert not is_context_overflow(error)


def test_circles_and_depth_are_no_trap() -> None:
    circle = Failure("x")
    vars(circle).update(error=circle, details=[circle])
    assert not is_context_overflow(circle)
    nested: Any = "maximum context"
    for _ in range(50):
        nested = {"error": nested}
    assert not is_context_overflow(Failure(body=nested))

"""Classes of errors (`engine.md` §5.5, Ex 15, G (vi))."""

from types import SimpleNamespace
from typing import Any

import pytest

from engine.errors.model_calls import ModelCallError, error_kind, error_text

FRAMEWORK = (
    "[181001] model call failed, reason: openAI API async invoke error: {0} "
    "StatusCode.MODEL_CALL_FAILED MODEL_CALL_FAILED model call failed, reason: {{error_msg}} "
    "181001 {{'error_msg': 'openAI API async invoke error: {0}'}} {1}"
)
"""What the framework's own error says around the client's: class and text, then text and fields."""


def api(status: int | None, message: str = "", **fields: Any) -> ModelCallError:
    return ModelCallError(message, status=status, **fields)


def carrying(text: str = "failed", **attributes: Any) -> Exception:
    error = Exception(text)
    for name, value in attributes.items():
        setattr(error, name, value)
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (api(413, "no"), "context_overflow"),
        (api(400, "This model's Maximum Context length is 8192"), "context_overflow"),
        (api(400, "Please check.", code="context_length_exceeded"), "context_overflow"),
        (api(500, "trace id 7f413aa0"), "context_overflow"),
        (api(None, "foo 413 bar"), "context_overflow"),
        (api(429, "Too many tokens"), "context_overflow"),
        (api(429, "no"), "rate_limit"),
        (api(None, "Rate limit reached"), "rate_limit"),
        (api(400, "no", type="rate_limit_error"), "rate_limit"),
        (api(401, "no"), "authentication"),
        (api(403, "no"), "authentication"),
        (api(418, "No.", type="authentication_error"), "authentication"),
        (api(503, "Invalid API key"), "authentication"),
        (api(504, "Gateway timeout"), "timeout"),
        (api(None, "Request timed out."), "timeout"),
        (TimeoutError(), "timeout"),
        (api(504, "no"), "server_unstable"),
        (api(529, "Overloaded"), "server_unstable"),
        (api(500, "no"), "server_unstable"),
        (api(400, "no"), "api_request_error"),
        (api(None, "req 4001"), "api_request_error"),
        (api(422, "invalid request"), "api_request_error"),
        (api(418, "No."), "unknown"),
        (api(404, "no"), "unknown"),
        (api(None, "Connection error."), "unknown"),
        (api(None), "unknown"),
        (ValueError(), "unknown"),
        (carrying(status_code=429), "rate_limit"),
        (carrying(status_code="429"), "rate_limit"),
        (carrying(status_code="²"), "unknown"),
        (carrying(status=SimpleNamespace(name="X", errmsg="bad gateway")), "server_unstable"),
        (carrying(response=SimpleNamespace(status_code=401)), "authentication"),
        (carrying(request_id="req-413-a"), "context_overflow"),
        (carrying(details={"reason": "service unavailable"}), "server_unstable"),
        (carrying(params=["token limit"]), "context_overflow"),
        (carrying(param="token limit"), "unknown"),
        (carrying(cause=TimeoutError("slow")), "timeout"),
        (carrying(cause="no exception"), "unknown"),
    ],
)
def test_the_class_of_an_error(error: Exception, kind: str) -> None:
    assert error_kind(error) == kind


@pytest.mark.parametrize(
    ("name", "status", "message", "fields", "kind"),
    [
        (
            "BadRequestError",
            400,
            "Please check the request.",
            {"code": "context_length_exceeded", "type": "invalid_request_error"},
            "context_overflow",
        ),
        ("APIStatusError", 418, "No.", {"type": "authentication_error"}, "authentication"),
        ("APIStatusError", 418, "No.", {}, "unknown"),
        ("BadRequestError", 400, "No.", {}, "api_request_error"),
        ("AuthenticationError", 401, "", {}, "authentication"),
        ("InternalServerError", 500, "No.", {"type": "server_error"}, "server_unstable"),
        ("NotFoundError", 404, "No such model.", {"code": "model_not_found"}, "unknown"),
    ],
)
def test_a_recorded_error_is_classed_as_the_framework_s_was(
    name: str, status: int, message: str, fields: dict[str, str], kind: str
) -> None:
    ours = api(status, message, **fields)
    said = str(ours)
    rest = [said, fields.get("code"), str(status), fields.get("type")]
    whole = FRAMEWORK.format(f"{name}: {said}", " ".join(part for part in rest if part))
    assert error_kind(ours) == error_kind(Exception(whole)) == kind


def test_the_text_is_all_that_the_error_and_its_causes_say() -> None:
    outer = ValueError("outer")
    outer.__cause__ = api(400, "No.", code="c", type="t")
    assert error_text(outer) == "outer Error code: 400 - No. c 400 t"
    assert error_text(KeyError()) == "KeyError"
    assert error_text(api(500)) == "Error code: 500 500"


def test_a_circle_of_causes_ends() -> None:
    first, second = Exception("a"), Exception("b")
    first.__cause__, second.__cause__ = second, first
    assert error_text(first) == "a b"


def test_what_an_error_stands_in_the_way_of_is_not_its_cause() -> None:
    error = ValueError("x")
    error.__context__ = TimeoutError("timed out")
    assert error_kind(error) == "unknown"

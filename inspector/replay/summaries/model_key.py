"""Keys of models: in the system's keyring or in the environment, and nowhere else.

A key goes only to the endpoint that it belongs to: the environment's to the endpoint that the
environment names, a kept one to the endpoint that it was kept for. The keyring is reached through
the library `keyring` (`context-inspector[keyring]`); without it, or without a keyring in the
system, only the environment is asked.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final
from urllib.parse import urlsplit

from engine.summarizers.openai import KEY_VARIABLE, environment_key, environment_url

SERVICE: Final = "context-inspector"
"""What keys are kept under."""


class KeyringError(RuntimeError):
    """The system has no keyring, or it refused; the text says what to do."""


def key_for(url: str) -> str | None:
    """Return the key that belongs to an endpoint; None where there is none.

    It may have to wait for the user to unlock the keyring.
    """
    if url == environment_url() and (key := environment_key()):
        return key
    try:
        kept: str | None = _keyring().get_password(SERVICE, endpoint(url))
    except Exception:  # each backend has exceptions of its own
        return None
    return kept


def keep_key(url: str, key: str) -> None:
    """Keep the key of an endpoint in the system's keyring; an empty one is forgotten.

    Raises:
        KeyringError: there is none, or it refused.
    """
    try:
        keyring = _keyring()
        if key:
            keyring.set_password(SERVICE, endpoint(url), key)
        elif keyring.get_password(SERVICE, endpoint(url)) is not None:
            keyring.delete_password(SERVICE, endpoint(url))
    except ImportError as error:
        raise KeyringError(
            f"keys are kept with `keyring`: pip install 'context-inspector[keyring]', "
            f"or set {KEY_VARIABLE}"
        ) from error
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise KeyringError(
            f"the system's keyring refused ({reason}): set {KEY_VARIABLE}"
        ) from error


def endpoint(url: str) -> str:
    """Return an endpoint as it may be shown and kept: without a user, a password or a query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="", fragment="").geturl().rstrip("/")


def _keyring() -> Any:
    return import_module("keyring")

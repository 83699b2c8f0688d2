"""Keys: from the environment or the system's keyring, each for its own endpoint alone."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.summarizers.openai import DEFAULT_URL
from inspector.replay.summaries import model_key
from inspector.replay.summaries.model_key import KeyringError, endpoint, keep_key, key_for

OWN = "http://127.0.0.1:8000/v1"


class Keyring(SimpleNamespace):
    """Keys in memory, behind the functions that the library has."""

    def __init__(self) -> None:
        self.keys: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.keys.get((service, name))

    def set_password(self, service: str, name: str, key: str) -> None:
        self.keys[service, name] = key

    def delete_password(self, service: str, name: str) -> None:
        del self.keys[service, name]


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    made = Keyring()
    monkeypatch.setitem(sys.modules, "keyring", made)
    return made


def test_a_key_is_kept_for_its_endpoint_and_forgotten(keyring: Keyring) -> None:
    keep_key(OWN, "sk-1")
    assert key_for(OWN) == "sk-1"
    assert key_for(f"{OWN}/") == "sk-1"
    assert key_for(DEFAULT_URL) is None
    keep_key(OWN, "")
    assert key_for(OWN) is None
    assert keyring.keys == {}
    keep_key(OWN, "")


def test_the_environment_s_key_goes_to_the_environment_s_endpoint_alone(
    keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_key(DEFAULT_URL, "sk-kept")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    assert key_for(DEFAULT_URL) == "sk-environment"
    assert key_for(OWN) is None
    monkeypatch.setenv("OPENAI_BASE_URL", OWN)
    assert key_for(OWN) == "sk-environment"
    assert key_for(DEFAULT_URL) == "sk-kept"


def test_without_the_library_or_a_keyring_the_way_out_is_said(
    keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: str) -> None:
        raise RuntimeError("No recommended backend was available.\nInstall one.")

    monkeypatch.setattr(keyring, "set_password", refuse)
    with pytest.raises(KeyringError, match=r"\(No recommended backend.*set OPENAI_API_KEY"):
        keep_key(OWN, "sk-1")
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(KeyringError, match=r"pip install 'context-inspector\[keyring\]'"):
        keep_key(OWN, "sk-1")
    assert key_for(OWN) is None


def test_the_library_has_what_is_called(tmp_path: Path) -> None:
    real = pytest.importorskip("keyring")
    assert all(hasattr(real, name) for name in dir(Keyring) if name.endswith("_password"))
    assert model_key.SERVICE


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"{DEFAULT_URL}/", DEFAULT_URL),
        ("https://user:secret@host:1/v1?key=secret#x", "https://host:1/v1"),
    ],
)
def test_an_endpoint_is_shown_without_what_is_secret(url: str, shown: str) -> None:
    assert endpoint(url) == shown

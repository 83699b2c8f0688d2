"""Settings taken home do there what they did here."""

import shlex
import sys
from functools import cache
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, create_model

from engine.config import CompressionRecallConfig, ContextEngineConfig
from engine.processors.registry import processor_class
from inspector.cli import commands
from inspector.commands.options import settings_of
from inspector.replay.cases.case import Case
from inspector.replay.settings.chain import chain_text
from inspector.replay.settings.edits import edited, effective, parse_edit
from inspector.replay.settings.take_home import (
    command_line,
    decided_chain,
    python_settings,
)
from tests.conversations import CHAINS, LIMITS

PRESET = [
    "MessageSummaryOffloader",
    "DialogueCompressor",
    "CurrentRoundCompressor",
    "RoundLevelCompressor",
]
DEBUG = {"enable_compression_dump": True, "compression_dump_dir": "/d"}


class Rail:
    """The rail, as far as it makes a chain of what it is given."""

    def __init__(self, *, preset: bool, processors: Any = ()) -> None:
        self.chain: dict[str, BaseModel] = {}
        for name in PRESET if preset else ():
            self.chain[name] = processor_class(name).config_model()
        for name, settings in processors:
            if isinstance(settings, dict):
                if name not in self.chain and name != "SessionMemoryCompressor":
                    raise ValueError(f"a dict for {name}, which is not in the chain")
                before = self.chain.get(name) or processor_class(name).config_model()
                settings = type(before).model_validate({**dict(before), **settings})
            self.chain[name] = settings


@cache
def strict(model: type[BaseModel]) -> type[BaseModel]:
    """Return a configuration class that takes no field which does not exist."""
    return create_model(model.__name__, __base__=(model,), __cls_kwargs__={"extra": "forbid"})


class Openjiuwen:
    """Stubs of the modules that the settings import."""

    def __init__(self) -> None:
        self.activated = False
        self.modules: dict[str, ModuleType] = {}
        engine = "openjiuwen.core.context_engine"
        forked = f"{engine}.processor.forked"
        self._add(engine, ContextEngineConfig=strict(ContextEngineConfig))
        self._add(engine, CompressionRecallConfig=strict(CompressionRecallConfig))
        self._add(f"{engine}.processor", forked=self)
        self._add(
            "openjiuwen.harness.rails.context_engineer.context_processor_rail",
            ContextProcessorRail=Rail,
        )
        for name, module in {
            "DialogueCompressor": f"{forked}.compressor.dialogue_compressor",
            "CurrentRoundCompressor": f"{forked}.compressor.current_round_compressor",
            "RoundLevelCompressor": f"{forked}.compressor.round_level_compressor",
            "SessionMemoryCompressor": f"{forked}.compressor.session_memory_compressor",
            "MessageSummaryOffloader": f"{forked}.offloader.message_offloader",
            "MessageOffloader": f"{engine}.processor.offloader.message_offloader",
        }.items():
            self._add(module, **{f"{name}Config": strict(processor_class(name).config_model)})

    def activate(self) -> None:
        self.activated = True

    def run(self, text: str) -> dict[str, Any]:
        """Execute settings and return what they define."""
        names: dict[str, Any] = {}
        with pytest.MonkeyPatch.context() as patch:
            for name, module in self.modules.items():
                patch.setitem(sys.modules, name, module)
            exec(compile(text, "settings.py", "exec"), names)
        return names

    def _add(self, module: str, **names: Any) -> None:
        parts = module.split(".")
        for end in range(1, len(parts) + 1):
            path = ".".join(parts[:end])
            self.modules.setdefault(path, ModuleType(path))
        vars(self.modules[module]).update(names)


def case(*chain: tuple[str, dict[str, Any]], **fields: Any) -> Case:
    return Case.model_validate({"processors": chain, **fields})


def decisive(name: str, settings: Any) -> dict[str, Any]:
    values = effective(name, settings if isinstance(settings, dict) else settings.model_dump())
    return {key: value for key, value in values.items() if "dump" not in key}


def check_python(given_case: Case) -> str:
    text = python_settings(given_case)
    there = Openjiuwen().run(text)
    assert there["config"].model_dump() == given_case.engine_config().model_dump()
    chain = [(name, decisive(name, settings)) for name, settings in there["rail"].chain.items()]
    expected = [(name, decisive(name, settings)) for name, settings in given_case.processors]
    assert chain == expected
    return text


def test_the_default_chain_becomes_overrides_of_the_rail() -> None:
    chain = [(name, dict(DEBUG) if "Compressor" in name else {}) for name in PRESET]
    chain[1][1]["trigger_context_ratio"] = 0.6
    text = check_python(case(*chain, context_window_tokens=128_000))
    assert "('DialogueCompressor', {'trigger_context_ratio': 0.6})" in text
    assert "context_window_tokens=128000" in text
    assert "dump" not in text
    assert "RoundLevelCompressor" not in text
    assert check_python(case(*((name, {}) for name in PRESET))).endswith("Rail(preset=True)\n")


def test_session_memory_is_switched_on_where_it_is_on() -> None:
    memory = {"enabled": True, "memory": {"update_trigger_context_ratio": 0.65}}
    chain: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in PRESET]
    chain.insert(1, ("SessionMemoryCompressor", memory))
    text = python_settings(case(*chain))
    assert "preset=True" in text
    assert f"('SessionMemoryCompressor', {memory!r})" in text
    assert Openjiuwen().run(text)["rail"].chain["SessionMemoryCompressor"].enabled


def test_another_chain_is_listed_in_full() -> None:
    text = check_python(
        case(("RoundLevelCompressor", {"keep_recent_messages": 2}), ("DialogueCompressor", {}))
    )
    assert "preset=False" in text
    jiuwen = Openjiuwen()
    jiuwen.run(text)
    assert jiuwen.activated


def test_recall_comes_along() -> None:
    text = check_python(case(recall={"chunk_size_tokens": 900, "chunk_overlap_tokens": 100}))
    assert "CompressionRecallConfig(enabled=True, chunk_size_tokens=900" in text


def test_what_openjiuwen_lacks_is_said() -> None:
    text = python_settings(case(("ObservationMasking", {}), ("DialogueCompressor", {})))
    assert "# ObservationMasking is" in text
    assert list(Openjiuwen().run(text)["rail"].chain) == ["DialogueCompressor"]


@given(CHAINS, LIMITS)
def test_any_chain_of_distinct_processors_decides_there_as_here(
    chain: list[tuple[str, dict[str, Any]]], limits: dict[str, int | None]
) -> None:
    check_python(case(*dict(chain).items(), engine=limits))


# The command line


def follow(command: str, base: Case, case: Case, folder: Any) -> Case:
    """Return the case that a command line leads to."""
    chain = folder / "chain.json"
    chain.write_text(chain_text(decided_chain(case)))
    program, name, _, *arguments = shlex.split(command.replace("chain.json", str(chain)))
    assert program == "context-inspector"
    context = commands.commands[name].make_context(name, ["case.json", *arguments])
    return settings_of(context.params)(base)  # type: ignore[arg-type]


def test_the_command_line_names_what_was_edited() -> None:
    base = case(("RoundLevelCompressor", {"keep_recent_messages": 2}), context_window_tokens=8000)
    other = edited(
        base,
        [
            parse_edit("RoundLevelCompressor.keep_recent_messages=2"),
            parse_edit("RoundLevelCompressor.trigger_context_ratio=0.7"),
            parse_edit("engine.default_window_message_num=9"),
        ],
        capacity=9000,
        counter="tiktoken",
        model="a b",
    )
    assert shlex.split(command_line(base, other, "my case.json"))[2:] == [
        "my case.json",
        *("--set", "RoundLevelCompressor.trigger_context_ratio=0.7"),
        *("--set", "engine.default_window_message_num=9"),
        *("--capacity", "9000", "--model", "a b", "--counter", "tiktoken"),
    ]
    assert command_line(base, base, "c.json") == "context-inspector replay c.json"


@given(chain=CHAINS, other=CHAINS, limits=LIMITS, capacity=st.integers(1, 10**6))
def test_the_command_line_leads_to_the_same_settings(
    tmp_path_factory: pytest.TempPathFactory,
    chain: list[tuple[str, dict[str, Any]]],
    other: list[tuple[str, dict[str, Any]]],
    limits: dict[str, int | None],
    capacity: int,
) -> None:
    base = case(*chain, context_window_tokens=5000)
    wanted = case(*other, engine=limits, context_window_tokens=capacity)
    command = command_line(base, wanted, "case.json")
    found = follow(command, base, wanted, tmp_path_factory.getbasetemp())
    assert found.engine_config() == wanted.engine_config()
    assert [(n, effective(n, s)) for n, s in found.processors] == [
        (n, effective(n, s)) for n, s in wanted.processors
    ]

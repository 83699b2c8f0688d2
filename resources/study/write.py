"""Writes the conversations of the study: `talk.json`, `logs.json` and `rework.json`.

    python resources/study/write.py

`talk` is what `talk.toml` says. The other two are made here from a few sentences and seeded random
numbers: `logs` looks through large outputs that nobody needs twice, `rework` comes back to the same
file and the same figures again and again. Each is a case without processors; its capacity is about
a third of what it holds at its end.
"""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

Messages = list[dict[str, Any]]


def main() -> None:
    """Write all three."""
    for case in (talk(), logs(), rework()):
        text = json.dumps({"case": case}, ensure_ascii=False, indent=1)
        (HERE / f"{case['id']}.json").write_text(text + "\n", encoding="utf-8")


def talk() -> dict[str, Any]:
    """Return the conversation without tools."""
    told = tomllib.loads((HERE / "talk.toml").read_text(encoding="utf-8"))
    messages: Messages = []
    for turn in told["turns"]:
        messages += [
            {"role": role, "content": turn[role].strip()} for role in ("user", "assistant")
        ]
    return _case(told["id"], told["title"], told["capacity"], told["system"].strip(), messages)


def logs() -> dict[str, Any]:
    """Return a search through the logs of twelve hosts."""
    rng = random.Random("logs")
    messages: Messages = [
        {
            "role": "user",
            "content": "Orders from the shop in Trieste arrive late since 02:00 today. Look "
            "through the logs of the twelve relay hosts in /var/log/relay and tell me which one "
            "holds them up. Never restart a host yourself, and do not touch relay-07, which is "
            "under audit AU-3391. Quote the line that convinced you.",
        }
    ]
    for host in range(1, 13):
        words = f"Next is relay-{host:02}, from 02:00 on."
        command = f"grep -A 40 '02:' /var/log/relay/relay-{host:02}.log"
        messages += _call(f"log{host}", words, "bash", {"command": command}, _log(rng, host))
    messages += [
        {
            "role": "assistant",
            "content": "relay-09 holds them up: its queue grew to 4182 while its lease on shard "
            "trieste-3 had expired, and nothing else in the twelve logs fits.",
        },
        {
            "role": "user",
            "content": "Thank you. What did that line say exactly, and is relay-07 untouched?",
        },
        {
            "role": "assistant",
            "content": "It said: ERROR LeaseExpired: shard trieste-3 is held by relay-02 since "
            "01:58:41, queue 4182. relay-07 was read and nothing more, as audit AU-3391 demands.",
        },
    ]
    system = "You look after a message relay. Look before you act, and quote your evidence."
    return _case("logs", "A search through large logs", 9_000, system, messages)


def rework() -> dict[str, Any]:
    """Return a file that is measured, edited and read again, ten times over."""
    rng = random.Random("rework")
    messages: Messages = [
        {
            "role": "user",
            "content": "Make src/tariff.py pass the checks in checks/rates.txt. Keep the "
            "function's name and its three parameters as they are: billing calls it. Rates are in "
            "cents, and you must not round before the end. Zone 4 has a surcharge of 35 cents that "
            "the old code forgot.",
        }
    ]
    rates = [rng.randrange(110, 990) for _ in range(10)]
    table = "\n".join(
        f"zone {at}: {rate} cents, weight {at * 3 + 2} kg" for at, rate in enumerate(rates)
    )
    reading = {"file_path": "checks/rates.txt"}
    messages += _call("rates", "First the checks.", "read_file", reading, table)
    for zone, rate in enumerate(rates):
        code = _tariff(rates, zone)
        path = {"file_path": "src/tariff.py"}
        words = f"I read the file as it is before zone {zone}."
        messages += _call(f"read{zone}", words, "read_file", path, code)
        edit = {"file_path": "src/tariff.py", "zone": zone, "rate": rate}
        words = f"Zone {zone} must come to {rate} cents by the table."
        messages += _call(f"edit{zone}", words, "edit_file", edit, "1 replacement in src/tariff.py")
        failing = 9 - zone
        result = _checks(rng, rates, zone) + f"\n{zone + 1} passed, {failing} failed"
        command = {"command": "python -m checks rates"}
        messages += _call(f"run{zone}", "And the checks again.", "bash", command, result)
    messages += [
        {
            "role": "assistant",
            "content": "All ten zones pass. Zone 4 has its surcharge of 35 cents, name and "
            "parameters are as they were, and rounding happens once, at the end.",
        }
    ]
    system = "You are a careful programmer. Run the checks after each edit."
    return _case("rework", "One file, edited and read again", 2_400, system, messages)


def _case(name: str, title: str, capacity: int, system: str, messages: Messages) -> dict[str, Any]:
    return {
        "id": name,
        "title": title,
        "context_window_tokens": capacity,
        "system_messages": [{"role": "system", "content": system}],
        "messages": messages,
    }


def _call(name: str, words: str, tool: str, arguments: dict[str, Any], result: str) -> Messages:
    call = {"id": name, "type": "function"}
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return [
        {"role": "assistant", "content": words, "tool_calls": [{**call, "function": function}]},
        {"role": "tool", "tool_call_id": name, "content": result},
    ]


def _log(rng: random.Random, host: int) -> str:
    lines = []
    second = 7200
    for _ in range(90):
        second += rng.randrange(1, 40)
        clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        shard = f"{rng.choice(['trieste', 'porto', 'gdansk', 'malmo'])}-{rng.randrange(1, 9)}"
        batch = f"{rng.getrandbits(32):08x}"
        lines.append(
            f"{clock} INFO relay-{host:02} batch {batch} of {shard}: "
            f"{rng.randrange(3, 60)} orders in {rng.randrange(20, 400)} ms"
        )
    if host == 9:
        lines[61] = (
            "02:31:07 ERROR LeaseExpired: shard trieste-3 is held by relay-02 since 01:58:41, "
            "queue 4182"
        )
    if host in (4, 11):
        lines[20] = f"02:08:55 WARN relay-{host:02} clock is {host * 3} ms behind"
    return "\n".join(lines)


def _tariff(rates: list[int], done: int) -> str:
    known = "\n".join(
        f"    {zone}: {rate if zone < done else 100},  # cents for the first kilogram"
        for zone, rate in enumerate(rates)
    )
    surcharge = "    if zone == 4:\n        cents += 35\n" if done > 4 else ""
    return (
        '"""What a parcel costs."""\n\nBASE = {\n'
        f"{known}\n}}\n\n\ndef tariff(zone: int, weight: float, express: bool) -> int:\n"
        '    """Return the price in cents."""\n'
        "    cents = BASE[zone] * (1 + max(weight - 1, 0) * 0.25)\n"
        f"{surcharge}"
        "    if express:\n        cents *= 1.5\n"
        "    return round(cents)\n"
    )


def _checks(rng: random.Random, rates: list[int], done: int) -> str:
    lines = []
    for zone, rate in enumerate(rates):
        verdict = "ok" if zone <= done else f"AssertionError: expected {rate}, got 100"
        lines.append(f"zone {zone}: {verdict} ({rng.randrange(2, 30)} ms)")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

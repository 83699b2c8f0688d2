"""Made-up stretches of an agent's work with one fact of each kind hidden in them.

Everything is drawn from one seeded generator: the same seed gives the same span. The filler looks
like what agents see (listings, code, logs, diffs, test runs, JSON, chatter in two languages) and
holds paths, commands, numbers and errors of its own.
"""

import json
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.messages import Message, read_messages

WORDS = (
    "account archive balance batch billing bridge broker cache catalog channel checkout "
    "client cluster column cursor customer dataset delivery device digest driver editor "
    "engine event export feature filter folder gateway grid handler header image import index "
    "inventory invoice journal kernel label ledger limit loader locale mailer marker matrix "
    "member merge meter mirror model module monitor network node notice offset order owner "
    "packet parser partner payload payment planner player pointer policy portal printer "
    "profile proxy query queue quota reader record region relay report request resolver role "
    "router sample scanner schema search section segment sensor server session shadow shard "
    "signal slot snapshot socket source stock storage stream studio tenant thread ticket "
    "timer token tracker trigger tunnel vendor viewer voucher wallet warehouse watcher widget "
    "window worker "
).split()
FOLDERS = ("src", "lib", "app", "tests", "docs", "scripts", "services", "internal", "pkg", "web")
ENDINGS = ("py", "ts", "go", "yaml", "md", "sql", "json", "toml", "rs", "java")
TOOLS = ("bash", "read_file", "grep", "edit_file", "web_fetch", "list_dir")

CONSTRAINTS = (
    "Never touch anything below {a}-{b}, it is shared with the {c} team.",
    "Please don't add new dependencies for the {a} {b} work.",
    "The {a} API has to stay backward compatible with {b} clients.",
    "Whatever you do, the {a} table must not be locked during {b} hours.",
    "Only use the standard library in the {a} {b}.",
    "Hands off the {a} migration until the {b} owner has signed it off.",
    "I want every {a} error logged in English, no exceptions, also for {b}.",
    "Keep the public signature of the {a} {b} as it is.",
    "Responses of the {a} endpoint may take 250 ms at most, {b} included.",
    "Under no circumstances send {a} mails from the {b} environment!",
    "We always write {a} tests before {b} code here, stick to that.",
    "No global state in the {a} {b}, please.",
    "The {a} config stays in YAML; switching {b} to TOML is not wanted.",
    "You are allowed to restart the {a} service, but not the {b}.",
    "Make sure that {a} ids are never reused for a {b}.",
    "Commit messages for {a} need the ticket number of the {b} first.",
    "rather slow than wrong: the {a} must reconcile with {b} to the cent",
    "Python 3.9 is what the {a} hosts run, so nothing newer in {b}.",
    "{a}模块里禁止直接调用{b}接口。",
    "千万不要改动{a}的公共接口，{b}还在用。",
    "所有{a}的时间都必须用 UTC，{b}也一样。",
    "{a}只能在夜里发布，{b}也不例外。",
    "请务必保留{a}的旧字段，{b}要兼容老客户端。",
    "日志里不得出现{a}的手机号，{b}同理。",
)
PATHS = (
    "{f}/{a}_{b}/{c}.{e}",
    "/etc/{a}/{b}.conf",
    "/srv/{a}/releases/{b}-{c}.tar.gz",
    "./{f}/{a}/{b}/index.{e}",
    "{f}/{a}-{b}.{e}",
    "~/.config/{a}/{b}.toml",
    "/var/lib/{a}/{b}_{c}.db",
    "C:\\work\\{a}\\{b}.ini",
    "../{a}-{b}/{f}/{c}.{e}",
    "deploy/helm/{a}/templates/{b}-{c}.yaml",
    "{f}/文档/{a}_{b}.md",
)
PATH_SENTENCES = (
    "The interesting part lives in {p}.",
    "Wrote the new rules to {p}",
    "see {p} for the details",
    "{p} is where this has to be changed, as far as I can tell.",
    "Only {p} differs from what is deployed.",
    "主要逻辑在 {p} 里。",
    "已把配置写入 {p}，其余没动。",
    "  modified:   {p}",
)
COMMANDS = (
    "pytest tests/{a} -k {b}_{c} --maxfail=2",
    "docker compose -f deploy/{a}.yml up -d {b}",
    "kubectl -n {a} rollout restart deploy/{b}-{c}",
    "git log --oneline {a}..{b} -- src/{c}",
    "python -m tools.{a} --{b} --dry-run",
    "make {a}-{b} VERBOSE=1",
    "npm run build:{a} -- --filter={b}",
    'grep -rn "{a}_{b}" services/ --include=*.go',
    'psql -h db-{a} -c "select count(*) from {b}"',
    "curl -sS http://localhost:8081/{a}/{b}?full=1",
    "cargo test -p {a} {b}::tests",
    "./scripts/{a}.sh --env {b}",
    "terraform plan -target=module.{a}_{b}",
    "uv run alembic upgrade {a}_{b}",
    "LOG_LEVEL=debug node tools/{a}.mjs {b}",
    "go test ./internal/{a}/... -run {b}",
    "rsync -av out/{a}/ backup:/srv/{b}/",
    "ssh ops@{a}-01 'systemctl status {b}'",
)
COMMAND_SENTENCES = (
    "Ran `{p}` and it came back clean.",
    "To see it again: `{p}`",
    "I used {p} for that.",
    "$ {p}",
    "用 `{p}` 可以复现。",
    "重新执行了 {p}",
)
ERRORS = (
    "ValueError: {a} {b} has no column {c}",
    "TypeError: unsupported operand for {a} and {b}",
    "psycopg.errors.UniqueViolation: duplicate key value violates constraint {a}_{b}_key",
    "error[E0382]: borrow of moved value: `{a}_{b}`",
    "Error: Cannot find module '@{a}/{b}'",
    "panic: runtime error: index out of range [7] with length 3 in {a}.{b}",
    "FAILED tests/{a}/test_{b}.py::test_{c} - assert 3 == 4",
    "fatal: unable to access {a}-{b}: could not resolve host",
    "java.lang.IllegalStateException: {a} not bound to {b}",
    "ERROR {a}.{b} connection refused by peer, giving up",
    "TS2345: Argument of type '{a}' is not assignable to parameter of type '{b}'.",
    "make: *** [{a}_{b}] Error 2",
    "{a}: {b}: No such file or directory",
    "bash: {a}-{b}: command not found",
    "HTTP 502 Bad Gateway from {a}/{b}",
    "E   AssertionError: {a} is not {b}",
    "Segmentation fault (core dumped) in {a}_{b}",
    "{a} timed out while waiting for {b}",
    "could not acquire lock on {a}_{b}: held by pid 77",
    "{a}服务报错：{b} 连接超时",
    "错误：找不到{a}对应的{b}",
    "{a}校验失败，{b} 不一致",
)
NUMBERS = (
    "the {a} timeout is {n} ms",
    "{a}_{b}_limit = {n}",
    "it took {n} seconds to rebuild the {a}",
    "{n} rows of the {a} have no {b}",
    "max {a} size: {n} bytes",
    "p99 of the {a} {b} went down to {n}ms",
    "the {a} holds {n} entries per {b}",
    "memory of the {a} peaks at {n} MB",
    "only {n} of the {a} vouchers were redeemed",
    "port {n} belongs to the {a} {b}",
    "we pay {n} USD a month for the {a}",
    '"{a}_{b}_bytes": {n}',
    "coverage of {a} is {n}%",
    "about {n} requests/s hit the {a}",
    "build {n} of the {a} was the last good one",
    "{a}的上限是 {n} 条",
    "{a}重试间隔为 {n} 毫秒",
    "{b}共有 {n} 个{a}节点",
    "内存峰值达到 {n} MB（{a}）",
)
TODOS = (
    "TODO: remove the {a} shim once {b} is gone",
    "# FIXME {a} still ignores the {b}",
    "We still need to update the {a} docs for {b}.",
    "Next step: wire the {a} into the {b}.",
    "- [ ] rotate the {a} certificates on {b}",
    "Not done yet: retries for the {a} {b}.",
    "Remaining: translate the {a} messages of the {b}.",
    "Open question: who owns the {a} {b}?",
    "Follow-up: measure the {a} with a real {b}.",
    "Remember to revert the {a} flag after the {b}.",
    "Left for later: the {a} cleanup of {b}.",
    "the {a} {b} is yet to be written",
    "before the release somebody has to check the {a} against {b}",
    "to do: split the {a} from the {b}",
    "待办：给{a}补上{b}的测试",
    "下一步需要把{a}接到{b}上",
    "还没处理{a}的{b}边界情况",
    "别忘了回滚{a}的{b}开关",
    "后续要清理{a}里的{b}",
)
CHATTER = (
    "Let me have a look.",
    "OK, continuing.",
    "I'll check the {a} next.",
    "That looks fine so far, on to the {a}.",
    "Reading the {a} {b} now.",
    "This part handles the {a} and hands it over to the {b}.",
    "Interesting, the {a} is called twice here.",
    "好的，我先看一下{a}。",
    "继续检查{a}和{b}。",
    "明白了 👍",
    "Sure.",
    "The {a} seems unrelated to the {b}.",
)
REQUESTS = (
    "Please look at the {a} {b} and tell me what it does.",
    "Can you find out why the {a} is slow?",
    "thanks, go on",
    "Good. Now the {a}, please.",
    "帮我看看{a}为什么变慢了",
    "继续吧",
    "How does the {a} talk to the {b}?",
    "nice 🎉 what about the {a}?",
)


@dataclass(frozen=True)
class PlantedSpan:
    """A span, and the text of each kind that was hidden in it."""

    messages: list[Message]
    plants: dict[str, str]


def planted_span(seed: int) -> PlantedSpan:
    """Return the span of a seed: 20 to 80 messages and six plants at random places."""
    rng = Random(seed)
    chat: list[dict[str, Any]] = []
    target = rng.randint(20, 80)
    while len(chat) < target:
        chat += _turn(rng, len(chat))
    # Words of the plants that the filler knows too, and some it doesn't.
    own = [f"{rng.choice('bdfgklmnprstvz')}{rng.choice('aeiou')}{word}" for word in WORDS]
    plants = {
        kind: _said(rng, pool, own)
        for kind, pool in (
            ("constraint", CONSTRAINTS),
            ("path", PATHS),
            ("command", COMMANDS),
            ("error", ERRORS),
            ("number", NUMBERS),
            ("todo", TODOS),
        )
    }
    for kind, text in plants.items():
        _plant(rng, chat, kind, text)
    return PlantedSpan(read_messages(chat), plants)


def _said(rng: Random, pool: tuple[str, ...], own: list[str]) -> str:
    words = [rng.choice(own if rng.random() < 0.4 else WORDS) for _ in range(3)]
    return rng.choice(pool).format(
        a=words[0],
        b=words[1],
        c=words[2],
        f=rng.choice(FOLDERS),
        e=rng.choice(ENDINGS),
        n=rng.choice([rng.randint(11, 99), rng.randint(101, 9_999), rng.randint(10_000, 900_000)]),
    )


def _plant(rng: Random, chat: list[dict[str, Any]], kind: str, text: str) -> None:
    """Put a plant where its kind turns up in real spans."""
    roles = {
        "constraint": ("user",),
        "todo": ("user", "assistant", "assistant", "tool", "items"),
        "error": ("tool", "tool", "tool", "assistant", "user"),
        "number": ("user", "assistant", "tool"),
        "path": ("call", "assistant", "tool", "user"),
        "command": ("call", "call", "assistant", "tool", "user"),
    }[kind]
    role = rng.choice(roles)
    if role in ("call", "items"):
        name: str = "todo_write"
        arguments: dict[str, Any] = {"todos": [{"content": text, "status": "pending"}]}
        if role == "call" and kind == "path":
            name, arguments = rng.choice(("read_file", "write_file")), {"file_path": text}
        elif role == "call":
            name, arguments = "bash", {"command": text}
        call = _call(rng, name, arguments)
        at = rng.choice([i for i, m in enumerate(chat) if m["role"] in ("user", "assistant")])
        while chat[at]["role"] == "assistant" and chat[at].get("tool_calls"):
            at -= 1
        result = {"role": "tool", "tool_call_id": call["id"], "content": "ok"}
        chat[at + 1 : at + 1] = [{"role": "assistant", "content": "", "tool_calls": [call]}, result]
        return
    sentences = {"path": PATH_SENTENCES, "command": COMMAND_SENTENCES}.get(kind, ("{p}",))
    said = rng.choice(sentences).replace("{p}", text)
    message = rng.choice([m for m in chat if m["role"] == role])
    content = message["content"]
    if isinstance(content, list):
        content.append({"type": "text", "text": said})
    elif role == "tool" and content.startswith(("{", "[")):
        message["content"] = json.dumps({"output": f"{said}\n", "data": content})
    elif role == "tool" or rng.random() < 0.4:
        lines = content.split("\n")
        lines.insert(rng.randint(0, len(lines)), said)
        message["content"] = "\n".join(lines)
    else:
        before, after = (_prose(rng, CHATTER), content) if rng.random() < 0.5 else (content, "")
        message["content"] = f"{before} {said} {after}".strip()


def _turn(rng: Random, number: int) -> list[dict[str, Any]]:
    """Return a request and the agent's steps."""
    request = _prose(rng, REQUESTS)
    content: Any = request if rng.random() < 0.9 else [{"type": "text", "text": request}]
    turn: list[dict[str, Any]] = [{"role": "user", "content": content}]
    for _ in range(rng.randint(1, 6)):
        name = rng.choice(TOOLS)
        calls = [_call(rng, name, _arguments(rng, name)) for _ in range(rng.choice((1, 1, 1, 2)))]
        said = _prose(rng, CHATTER) if rng.random() < 0.6 else ""
        turn.append({"role": "assistant", "content": said, "tool_calls": calls})
        turn += [
            {"role": "tool", "tool_call_id": call["id"], "content": rng.choice(RESULTS)(rng)}
            for call in calls
        ]
    if rng.random() < 0.8:
        turn.append({"role": "assistant", "content": _prose(rng, CHATTER)})
    return turn


def _prose(rng: Random, pool: tuple[str, ...]) -> str:
    sentences = (rng.choice(pool) for _ in range(rng.choice((1, 1, 2, 3))))
    return " ".join(s.format(a=rng.choice(WORDS), b=rng.choice(WORDS)) for s in sentences)


def _call(rng: Random, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(arguments, ensure_ascii=rng.random() < 0.5)
    function = {"name": name, "arguments": text}
    return {"id": f"call_{rng.getrandbits(40):010x}", "type": "function", "function": function}


def _path(rng: Random) -> str:
    first, second = rng.choice(WORDS), rng.choice(WORDS)
    return f"{rng.choice(FOLDERS)}/{first}/{second}.{rng.choice(ENDINGS)}"


def _arguments(rng: Random, name: str) -> dict[str, Any]:
    word = rng.choice(WORDS)
    match name:
        case "bash":
            commands = ("git diff", "ls -la", f"cat {_path(rng)}", "pytest -q", f"wc -l {word}.txt")
            return {"command": rng.choice(commands), "timeout": 120}
        case "grep":
            return {"pattern": word, "path": rng.choice(FOLDERS)}
        case "web_fetch":
            return {"url": f"https://example.org/{word}/{rng.choice(WORDS)}"}
        case "edit_file":
            return {"file_path": _path(rng), "old": _code(rng, 3), "new": _code(rng, 5)}
        case _:
            return {"file_path": _path(rng)}


def _code(rng: Random, lines: int = 30) -> str:
    def line() -> str:
        a, b, n = rng.choice(WORDS), rng.choice(WORDS), rng.randint(1, 400)
        return rng.choice(
            (
                f"    {a} = {b}.load({n})",
                f"    if {a}.{b} is None:",
                f"        raise ValueError({a!r})",
                f"    return {a}",
                f"def {a}_{b}(self, {b}: int = {n}) -> None:",
                f"    # the {a} of the {b}",
                f"    {a}.append({b})",
                "",
            )
        )

    return "\n".join(line() for _ in range(lines))


def _numbered(rng: Random) -> str:
    lines = _code(rng, rng.randint(10, 80)).split("\n")
    return "\n".join(f"{i:6}\t{line}" for i, line in enumerate(lines, 1))


def _log(rng: Random) -> str:
    return "\n".join(
        f"2026-03-0{rng.randint(1, 9)} 12:{i % 60:02}:07,{rng.randint(100, 999)} "
        f"{rng.choice(('INFO', 'DEBUG', 'INFO', 'WARNING'))} app.{rng.choice(WORDS)}: "
        f"{rng.choice(WORDS)} {rng.choice(WORDS)} done in {rng.randint(1, 900)}ms"
        for i in range(rng.randint(5, 60))
    )


def _search(rng: Random) -> str:
    return "\n".join(
        f"{_path(rng)}:{rng.randint(1, 900)}:{_code(rng, 1)}" for _ in range(rng.randint(3, 40))
    )


def _listing(rng: Random) -> str:
    return "\n".join(_path(rng) for _ in range(rng.randint(3, 50)))


def _diff(rng: Random) -> str:
    path = _path(rng)
    body = "\n".join(f"{rng.choice('+- ')}{line}" for line in _code(rng, 12).split("\n"))
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1,9 +1,12 @@\n{body}"


def _tests(rng: Random) -> str:
    runs = "\n".join(
        f"tests/test_{rng.choice(WORDS)}.py {'.' * rng.randint(2, 9)} [{i * 9}%]" for i in range(9)
    )
    return (
        f"===== test session starts =====\n{runs}\n===== {rng.randint(9, 99)} passed in 3.2s ====="
    )


def _traceback(rng: Random) -> str:
    frames = "\n".join(
        f'  File "/srv/app/{_path(rng)}", line {rng.randint(1, 400)}, in {rng.choice(WORDS)}\n'
        f"    {rng.choice(WORDS)}()"
        for _ in range(4)
    )
    return f"Traceback (most recent call last):\n{frames}\nKeyError: {rng.choice(WORDS)!r}"


def _records(rng: Random) -> str:
    rows = [
        {"id": i, "name": rng.choice(WORDS), "ok": True, "latency_ms": rng.randint(1, 900)}
        for i in range(rng.randint(2, 25))
    ]
    return json.dumps({"rows": rows}, indent=rng.choice((None, 2)))


def _output(rng: Random) -> str:
    return json.dumps({"stdout": _code(rng, 8), "exit_code": 0}, ensure_ascii=False)


def _short(rng: Random) -> str:
    return rng.choice(("ok", "", "2 files changed", "(no output)", "完成 ✅"))


RESULTS = (
    _numbered,
    _log,
    _search,
    _listing,
    _diff,
    _tests,
    _traceback,
    _records,
    _output,
    _short,
    _short,
)

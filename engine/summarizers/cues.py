"""What a line of a conversation is: a table of cues that make it worth keeping.

A cue is a pattern, the kind of line it gives away, how sure it is, and whose words it is looked
for in: "must" makes a rule of a user's sentence but not of a line of code. English and Chinese
stand side by side. To recognise something new, add a cue.

Every pattern is linear in the length of a line: runs are bounded or start at a boundary. Most begin
with a look at the next letter, which is what lets a search pass over a line quickly.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from engine.summarizers.line_kinds import LineKind, Source


class Cue(NamedTuple):
    """One sign that a line is of some kind."""

    kind: LineKind
    strength: float
    """From 0, a hint, to 2, no doubt."""
    sources: frozenset[Source]
    pattern: re.Pattern[str]


class Find(NamedTuple):
    """One place of a line that a cue matched."""

    kind: LineKind
    strength: float
    """How sure it is, as of a cue."""
    start: int
    end: int


SHORT_LINE: Final = 140
"""Characters up to which a line is kept whole, so that one find of a kind is enough."""
REMEMBERED_LINES: Final = 1 << 15
"""Lines of which is kept what was seen in them: the spans of a replay share most of theirs."""

_ALL: Final = frozenset[Source]({"user", "assistant", "call", "tool", "memory"})
_SEEN: Final = _ALL - {"call"}
_PEOPLE: Final = _SEEN - {"tool"}
_AGENT: Final = frozenset[Source]({"assistant", "memory"})
_USER: Final = frozenset[Source]({"user", "memory"})


def _parts(text: str) -> Iterator[str]:
    """Yield alternatives, which stand on lines of their own or between spaced bars."""
    return (part.strip() for part in re.split(r"\n| \| ", text) if part.strip())


def _any(text: str) -> str:
    return "|".join(_parts(text))


def _words(text: str) -> str:
    """Match alternatives, each beginning with a letter, as whole words in any case.

    They are sorted by that letter, which tells a search at a glance that none of them begins here.
    """
    ends: defaultdict[str, list[str]] = defaultdict(list)
    for part in _parts(text):
        ends[part[0].lower()].append(part[1:])
    letters = {letter: f"{letter}{letter.upper()}" for letter in ends}
    sorted_parts = (f"[{letters[key]}](?i:{'|'.join(rest)})" for key, rest in ends.items())
    return rf"\b(?=[{''.join(letters.values())}])(?:{'|'.join(sorted_parts)})\b"


def _cue(kind: LineKind, strength: float, sources: frozenset[Source], *patterns: str) -> Cue:
    return Cue(kind, strength, sources, re.compile("|".join(patterns)))


_RULES = (
    _cue(
        "constraint",
        1.5,
        _USER,
        _words(r"""
            never | must | mustn'?t | do not | don['’]?t | cannot | can['’]t | may not | shall
            should(?:n['’]t)? | not allowed | forbid(?:den)? | off[- ]limits | hands off | always
            only | under no circumstances | at (?:most|least) | no (?:more|less|later|fewer) than
            without | avoid | refrain | required? | mandatory | untouched | unchanged | read-only
            strictly | whatever you do | no matter
        """),
        _any("""
            必须 | 不要 | 不能 | 不得 | 禁止 | 严禁 | 不许 | 不准 | [请切]勿 | 切记 | 只能 | 只用
            只可 | 只允许 | 仅限 | 务必 | 一定要 | 千万 | 别(?![的人名]) | 不可 | 不应 | 应当
            避免 | 至少 | 最多 | 不超过 | 不少于 | 以内 | 除非 | 不用 | 无需 | 要求
        """),
    ),
    _cue(
        "constraint",
        0.8,
        _USER,
        _words(r"""
            keep | stick (?:to|with) | stay | ensure | make sure | prefer | unless | except
            leave | please use | instead of | rather than | ha(?:s|ve) to | needs? to | limit
            compatible | respect | every\w* | each | all | no | nothing | until | before
            as long as | remember | I (?:want|need|use) | we (?:want|need|use) | from now on | rule
            requirements? | guideline | policy | important | budget | not | insists? | constraint
        """),
        "确保|保证|保持|保留|优先|统一|尽量|记住|注意|之前|沿用|希望|请用",
        "所有|每个|预算|规则|约束",
    ),
)

_TODOS = (
    _cue(
        "todo",
        1.6,
        _ALL,
        r"\b(?=[TFX])(?:TODO|FIXME|XXX|TBD|To-?do)\b|\[ \]|☐|待办|待处理|未完成",
        _words(r"""
            to[ -]?dos? | remaining | pending | outstanding | later | missing | next(?: steps?| up)?
            left(?: \w{1,12}){0,2} | follow[- ]?ups? | action items?
            open (?:question|point|item|issue|task)s?
        """)
        + r"\s?[:：]",
    ),
    _cue(
        "todo",
        0.9,
        _SEEN,
        _words(r"""
            still (?:needs?|ha(?:s|ve)|to|must|open|missing|pending|owes?|lacks?)
            left (?:to do|for|open) | remain(?:s|ing) to | next steps? | follow[- ]?ups?
            not(?: \w{1,12})? yet | isn['’]?t(?: \w{1,12})? yet | no(?: \w{1,12})? yet
            outstanding | unfinished | remember to
            don['’]?t forget | backlog | postponed? | deferred | for later | later on
            come back to | revisit | yet to | to be done | action items? | someday
            open (?:item|question|point|issue|task)s? | in (?:the|a) (?:next|later) \w+ | owe
            remaining (?:work|task|step|item|piece|part)s? | needs? (?:an?|more)
            missing (?:work|task|step|item|piece|part)s?
            before (?:the )?(?:release|merg|deploy|ship|launch|we)\w*
            some(?:one|body) (?:should|must|has)
        """),
        _any("""
            下一步 | 还需 | 还要 | 尚未 | 还没 | 还差 | 待(?:补|确认|验证|修|测|做|定) | 稍后
            之后再 | 后续 | 回头 | 记得 | 别忘 | 剩下 | 接下来 | 需要再 | 有空 | [后时]再
            等.{1,20}再
        """),
    ),
    _cue(
        "todo",
        0.4,
        _PEOPLE,
        _words("need(?:s|ed)? to | later | afterwards | next | remaining | once"),
    ),
)

_ERRNO = _any("""
    ACCES | ADDRINUSE | AGAIN | AI_AGAIN | BADF | BUSY | CONNABORTED | CONNREFUSED | CONNRESET
    EXIST | HOSTUNREACH | INTEGRITY | INVAL | ISDIR | LIFECYCLE | LOOP | MFILE | NETUNREACH | NOENT
    NOMEM | NOSPC | NOTDIR | NOTEMPTY | NOTFOUND | PERM | PIPE | RESOLVE | ROFS | TARGET | TIMEDOUT
    XDEV
""")
_ERRORS = (
    _cue(
        "error",
        1.8,
        _SEEN,
        r"(?=[EFPTI])(?:Error|Exception|Fault|Panic|Timeout|Interrupt)(?:\([^()]{0,80}\))?"
        r"\s?[:：]\s?\S",
        r"\b(?=[efp])(?:error|fatal|panic|failure|exception)(?:\[\w{1,12}\])?\s?: \S",
        r"npm ERR!|^E\s{2,}\S",
        r"\b(?=[A-Z])(?:HTTP[ /]?(?:[\d.]{1,3} )?[45]\d\d\b|[A-Z]{1,8}-?\d{3,5}: \S)",
        _words("""
            segmentation fault | core dumped | command not found | no such file or directory
            permission denied | connection (?:refused|reset) | out of memory | undefined reference
            bad gateway | service unavailable | internal server error | too many requests
        """),
        "报错|错误[:：]|异常[:：]|失败[:：]",
    ),
    _cue(
        "error",
        1.0,
        _SEEN,
        rf"\b(?=[EFCP])(?:ERROR|FATAL|CRITICAL|FAILED|FAIL|PANIC|E(?:{_ERRNO}))\b",
        r"\b(?=[eErRsS])(?i:(?:exit(?:ed)?|returned|status|rc)(?: with)?(?: code| status)?)"
        r"[ =:]{1,2}[1-9]\d{0,2}\b",
        "错误|失败|异常|超时|崩溃|拒绝|无法|找不到|未找到",
    ),
    _cue(
        "error",
        0.5,
        _SEEN,
        _words(r"""
            fail(?:s|ed|ing|ure)? | errors? | warning | undefined | unhandled | uncaught | expired
            leak(?:s|ed)? | race | overflow | insufficient | unreachable | unavailable | cannot
            could ?n[o'’]t | unable to | timed? ?out | refused | abort(?:ed)? | crash(?:es|ed)?
            panicked | deadlock | does(?: not|n['’]t) exist | den(?:y|ied) | reject(?:ed|s)
            exceed(?:ed|s) | conflict | corrupt(?:ed)? | broken | invalid | illegal | unexpected
            unknown | unresolved | missing | mismatch | killed | lost
            not (?:found|defined|assignable|supported|valid|available|allowed|callable|a function)
        """),
    ),
)

_UNIT = rf"""(?:(?:{
    _any(r'''
        [µmn]?s | secs? | seconds? | min | minutes? | h | hours? | days? | weeks? | [kKMGT]i?B
        bytes? | bits? | % | percent | tokens? | rows? | lines? | users? | requests? | req/s | rps
        qps | [kMG]?Hz | px | items? | records? | retries | connections? | workers? | threads?
        attempts? | times | USD | EUR | °C
    ''')
})(?![A-Za-z])|毫秒|秒|分钟|小时|天|条|个|次|万|亿|行|台|人|倍|元|字节|兆)"""
_VALUE = rf"(?:[~≈<>]|[A-Z]{{3}}\s)?\s?[$€¥£]?\d[\d,._]{{0,20}}(?:\s?{_UNIT})?"

_NUMBERS = (
    _cue(
        "number",
        1.2,
        _ALL,
        r"(?<![\w.])[\w\"'][\w\"' /%().-]{0,48}?(?:[\"'\]]?\s?[=:：]| (?:is|was|are|were|to|of|at"
        r"|took|takes|reached|exceeds|exceeded|under|over|above|below|about|around|within|every|after|per"
        rf"|by|from|only|holds|has))\s{{0,2}}{_VALUE}",
        rf"[\u4e00-\u9fff]{{1,12}}\s?(?:[是为约共达到有需过超成][了约到为]?|[:：=])\s?{_VALUE}",
    ),
    _cue(
        "number",
        0.9,
        _SEEN,
        r"(?<![\w.:/-])\d[\d,.]{0,20} (?:is|are|was|were|ha[sd]|have|belongs?|of the|%)(?!\w)",
    ),
    _cue("number", 0.7, _ALL, rf"(?<![\w.:/-])\d[\d,._]{{0,20}}\s?{_UNIT}"),
    _cue("number", 0.3, _PEOPLE, r"(?<![\w.:/-])v?\d[\d,.]{1,20}(?![\w:/-])"),
    _cue(
        "number",
        0.3,
        frozenset({"tool"}),
        r"(?<![\w.])[A-Za-z\u4e00-\u9fff]{2,20} (?:[A-Z$€£]{1,3} ?)?\d[\d,.]{1,20}(?![\w:/-])",
    ),
)

_STEPS = (
    _cue(
        "decision",
        1.0,
        _PEOPLE,
        _words(r"""
            deci(?:de[sd]?|sion) | going with | go(?:es)? with | we(?:['’]ll| will) use
            ch(?:ose|osen) | opted? | settled | agreed | root cause | caused by | turn(?:s|ed) out
            conclusion | because | confirmed | the (?:fix|reason|cause|culprit)
            switch(?:ed|ing)? to
        """),
        "决定|采用|改用|选用|原因|因为|由于|结论|根因|确认|方案|约定|改为",
    ),
    _cue(
        "decision",
        0.4,
        _AGENT,
        _words("found | means | instead of | rather than | so that | therefore | verified | works"),
        "发现|说明|所以|选择",
    ),
    _cue(
        "work",
        0.8,
        _AGENT,
        _words("""
            fixed | added | updated | created | implemented | removed | deleted | renamed | moved
            refactored | rewrote | wrote | changed | replaced | migrated | installed | committed
            merged | pushed | deployed | reverted | pass(?:es|ed) | done | finished | completed
        """),
        "已完成|已修|已添加|已更新|已删除|完成了|修好|修复了|添加了|改好|通过",
    ),
)

_TOOL_WITH_VERBS = _any(r"""
    git | npm | pnpm | yarn | npx | pip3? | pipx | uvx? | poetry | conda | docker(?:-compose)?
    podman | kubectl | helm | terraform | cargo | go | make | mvn | gradle | dotnet | bazel
    swift | bundle | rake | composer | systemctl | aws | gcloud | gh | alembic | apt(?:-get)?
    brew | tox | pytest | bash | sh | psql | openssl | redis-cli | sudo
""")
"""Programs that a plain word may follow; the rest needs a flag, a path or a quote behind it."""
_TOOL = _any(rf"""
    {_TOOL_WITH_VERBS} | python3? | node | deno | bun | php | ruby | perl | java | gcc | clang
    cmake | ninja | mysql | sqlite3 | mongosh | curl | wget | ssh | scp | rsync | tar | grep | rg
    sed | awk | chmod | chown | journalctl | ruff | mypy | eslint | tsc | jest | vitest | flask
    uvicorn | gunicorn | celery | ffmpeg | zsh | jq | xargs | find | cat | ls | cp | mv | rm
    mkdir | head | tail | sort | ps | kill | \.{{0,2}}/[\w./-]{{1,60}}\.(?:sh|py)
""")

_COMMANDS = (
    _cue("command", 1.4, _SEEN, r"^[$❯➜] \S.{1,200}", rf"(?<=`)(?:{_TOOL})\s[^`]{{2,200}}(?=`)"),
    _cue(
        "command",
        0.9,
        _SEEN,
        rf"(?<![\w./-])(?=[a-z./])(?:(?:{_TOOL}) (?:[\w.:@=-]{{1,80}} ){{0,4}}?"
        r"(?:--?\w|[\w.-]{0,60}/|'|\"|[\w-]{1,60}\.[a-z]{1,5}\b)"
        rf"|(?:{_TOOL_WITH_VERBS}) [a-z][a-z-]{{1,14}}\b"
        r"|(?!diff )[a-z][\w-]{1,20}(?: [\w./:-]{1,40}){0,4} --[a-z][\w-]+)",
    ),
)

_DIGIT = re.compile(r"\d")
_CUES: Final = {
    (source, digits): tuple(
        cue
        for cue in (*_RULES, *_TODOS, *_ERRORS, *_NUMBERS, *_STEPS, *_COMMANDS)
        if source in cue.sources and (digits or cue.kind != "number")
    )
    for source in _ALL
    for digits in (False, True)
}
"""What to look for, by whose words a line is and whether it holds a digit."""

_EXTENSION = _any("""
    py | pyi | ipynb | js | jsx | mjs | ts | tsx | vue | css | scss | html? | java | kt | kts | go
    rs | c | h | cc | cpp | hpp | cs | rb | php | swift | scala | sh | bash | ps1 | sql | md | rst
    txt | json | jsonl | ya?ml | toml | ini | cfg | conf | env | lock | xml | csv | tsv | log
    proto | tf | gradle | pdf | png | svg | docx? | xlsx? | parquet | db | sqlite | zip | gz | pem
    service | tmpl | j2
""")
_NAME = r"[A-Za-z0-9_.@+~-]{1,80}"
_START = r"(?<![A-Za-z0-9_/:@+~.<\\-])(?!-)"
_CJK = "\u4e00-\u9fff"
_PATH: Final = re.compile(
    rf"""
    {_START}(?=[A-Za-z0-9_@+~-]{{0,80}}[./\\:])(?:                       # no plain word
        (?<![\w,$)^*])(?:[A-Za-z]:[\\/]|~?/|\.{{1,2}}/)                        # rooted
        (?:(?:{_NAME}|[{_CJK}][\w.-]{{0,60}})[\\/]){{0,20}}
        (?:{_NAME}|[{_CJK}]{{1,20}}[A-Za-z0-9_.-]{{0,40}}\.[A-Za-z]\w{{0,5}}(?!\w))
        |(?:{_NAME}[\\/]){{2,20}}{_NAME}                                        # two slashes
        |{_NAME}[\\/](?:{_NAME})?\.[A-Za-z]\w{{0,5}}(?!\w)                       # one
        |{_NAME}?\.(?:{_EXTENSION})(?![A-Za-z0-9_/]|\.\w)                        # none
    )
    |{_START}(?:Make|Docker|Jenkins|Rake|Gem|Proc)file(?:\.\w{{1,20}})?(?!\w)
    # With Chinese names: the first of one script, so that the sentence before it stays out.
    |(?<![\w/.:-])(?:[A-Za-z0-9_.-]{{1,40}}|[{_CJK}]{{1,20}})
     (?:/[\w.-]{{1,40}}){{0,8}}/[\w-]{{1,40}}\.[A-Za-z][A-Za-z0-9]{{0,4}}
    """,
    re.VERBOSE,
)
_NO_PATH: Final = re.compile(r"[\d/.,:-]+|.*//.*|\d\d?/[A-Z][a-z]{2}/\d{4}|s/[^/]*/[^/]*/[gip]*")
"""Fractions and dates, addresses, and substitutions."""
_GOES_ON: Final = re.compile(r"[{$=]|\*[\w.]|\[[^\]\s]{1,20}\][\w.]")
"""What stands behind a name that a shell completes, or that is none."""

SECRET: Final = re.compile(
    _words(r"""
        api[_-]?key | secret | passw(?:or)?d | pwd | access[_-]?token | auth[_-]?token
        authorization
    """)
    + r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:[Bb]earer\s)?[^\s\"',]{8,}|PRIVATE KEY-----"
    r"|\b(?=[sgAxe])(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|AKIA[0-9A-Z]{12,}|xox[abp]-[\w-]{10,}"
    r"|eyJ[\w-]{10,}\.[\w-]{10,}\.)|://[^\s/:@]{1,60}:[^\s/@]{1,80}@"
)
"""What no summary repeats: credentials with their value."""


@lru_cache(maxsize=REMEMBERED_LINES)
def finds(text: str, source: Source) -> tuple[Find, ...]:
    """Return what the cues see in one line: of a short one the surest of each kind, and all paths.

    Remembered, since the spans of a replay share most of their lines.

    Args:
        text: One line without its line break.
        source: Whose words it is.
    """
    return (*_cued(text, source), *_paths(text))


def _cued(text: str, source: Source) -> Iterator[Find]:
    seen: set[LineKind] = set()
    for cue in _CUES[source, _DIGIT.search(text) is not None]:
        if cue.kind not in seen:
            for match in cue.pattern.finditer(text):
                yield Find(cue.kind, cue.strength, *match.span())
                if len(text) <= SHORT_LINE:
                    seen.add(cue.kind)
                    break


def _paths(text: str) -> Iterator[Find]:
    in_diff = text.startswith(("diff --git ", "--- ", "+++ "))
    for match in _PATH.finditer(text):
        path, start = match.group(), match.start()
        if _GOES_ON.match(text, match.end()):
            path = path.rpartition("/")[0]
        if path and not _NO_PATH.fullmatch(path):
            prefix = 2 * (in_diff and path.startswith(("a/", "b/")))
            yield Find("path", 0.5, start + prefix, start + len(path))

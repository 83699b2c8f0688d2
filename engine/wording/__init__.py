"""The fixed texts of the engine: prompts, memory blocks, recovered context and its lines.

Wording is data. The project's own texts lie in `resources/wording/wording.json`; a case or the
command line may bring others in the same schema, and what they leave out falls through to the
next. Token counts depend on these texts, so ours are as long as openJiuwen's, one for one.

`wording` is all of them, `texts` the schema of each kind, `template` how one is filled, `snapshot`
what a summary consists of. A new text is a key of `wording.json` and a field in `texts`.
"""

from engine.wording.snapshot import SNAPSHOT_SECTIONS, BlockKind
from engine.wording.template import fill
from engine.wording.texts import OffloadWording, RuleNotices
from engine.wording.wording import Wording

__all__ = (
    "SNAPSHOT_SECTIONS",
    "BlockKind",
    "OffloadWording",
    "RuleNotices",
    "Wording",
    "fill",
)

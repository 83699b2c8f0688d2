"""The window: what one model call sees (`engine.md` §1.2).

`window` cuts it from a context's messages, `statistics` counts what is in it, `change` tells where
it stopped being the one before. Their names, but for those of `change`, are imported from here.
"""

from engine.window.statistics import ContextStats, statistic
from engine.window.window import ContextWindow, build_window, without_leading_results

__all__ = (
    "ContextStats",
    "ContextWindow",
    "build_window",
    "statistic",
    "without_leading_results",
)

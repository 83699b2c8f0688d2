"""Processors: what may rewrite the messages on their way into the buffer or into a window.

One file a processor. `base` has the hooks, `registry` the names, `preset` the default chain,
`spans` the arithmetic of prefix, target and tail, `budget` the guard of the minimal loop. The
processors are in `compressors` and `offloaders`; `reinjection` is what the former put back, `rules`
how the latter shorten. To add one: subclass `ContextProcessor` in a file of its own, decorate it
with `@register`, and import it in the `__init__` of its folder.
"""

from engine.processors import compressors as _compressors  # noqa: F401
from engine.processors import offloaders as _offloaders  # noqa: F401

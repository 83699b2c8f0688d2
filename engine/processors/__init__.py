"""Processors: what may rewrite the messages on their way into the buffer or into a window.

One file a processor. `base` has the hooks, `registry` the names, `spans` the arithmetic of prefix,
target and tail. To add one: subclass `ContextProcessor` in a file of its own and decorate it with
`@register`.
"""

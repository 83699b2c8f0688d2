"""How processors get their turn (`engine.md` §4): one context at a time, one after the other.

`processor_run` is a turn, as messages are added or a window is built; `on_demand` asks for a
compression whatever the window's size; `lock` keeps everybody else waiting meanwhile.
`engine.context` puts them together.
"""

"""The context engine: decides when an agent's window is compressed, and does it.

Here lives everything that an agent needs to keep its context within bounds: messages, the model
context and its windows, token counters, processors, summarizers, and the debug records they
write. It is a library of its own. It may not import `inspector`, and no part of it may import
Qt or draw anything.

`context_engine` is the way in, `context` what it hands out. Below it stands how processors get
their turn (`lifecycle`), the processors and what they use (`recall`, `session_memory`), then what
they act on: a `conversation`, its `window`, `tokens`, `messages`. `usage` reports, `debug` records,
`summarizers` write; `operation`, `session`, `workspace`, `wording` and `clock` are what surrounds a
turn.

A new processor, counter or summarizer is one file in the folder of its family (`processors/`,
`tokens/`, `summarizers/`), whose docstring says where it is made known. A new kind of debug record
is one model in `debug/`, which the engine writes and the inspector reads.

Docstrings that cite `engine.md` name the section of a description of openJiuwen's context engine by
which the behaviour was built; it is not part of this repository.
"""

"""Cases: what is replayed.

`case` is the conversation with its settings, `case_file` its file; `chat` makes one of a chat that
nobody recorded. `actions`, `turn` and `notes_reply` are what a case may hold besides messages:
what is done after them, what is changed by hand on the way, and what the updates of notes came to.
`planted` puts canaries into a case, `oddities` says what to mind in one, `digest` tells messages
apart in the same way on every run.

A case is data: nothing here runs it (`inspector.replay.runs`) or changes its settings
(`inspector.replay.settings`). Whatever else a case may hold is a model of its own beside these.
"""

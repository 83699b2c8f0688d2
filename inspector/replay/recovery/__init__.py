"""What a recording still tells of its session, piece by piece; `replay.export` makes the case.

`evidence` reads the files into steps (`recorded`), `frame` finds what all requests hold,
`conversation` the messages and how they were added, `layout` their order with all that happened in
between. `settings` finds the chain, with `ratios`, `offloads`, `notes`, `folds` and `archives` for
what is particular to some; `originals` finds what was offloaded, `replies` the model's answers,
`wording` the fixed texts, `files` those of the workspace. Each says what it could not find.
"""

"""What a recording still tells of its session, piece by piece; `export` makes the case of it.

`evidence` reads the files into steps (`recorded`), `frame` finds what all requests hold,
`conversation` the messages and how they were added, `layout` their order with all that happened in
between. `settings` finds the chain, with `ratios`, `offloads`, `notes`, `folds` and `archives` for
what is particular to some; `originals` finds what was offloaded, `replies` the model's answers,
`wording` the fixed texts, `files` those of the workspace. Each says what it could not find.

What a recording shows by itself belongs in `inspector.trace`. Another piece of a case is a module
here that returns it with its gaps, and `export` puts it in.
"""

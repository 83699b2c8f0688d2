"""What a recording still tells of its session, piece by piece; `replay.export` makes the case.

`evidence` reads the files, `conversation` finds messages and how they were added, `settings` the
chain, `replies` the model's answers, `wording` the fixed texts. Each says what it could not find.
"""

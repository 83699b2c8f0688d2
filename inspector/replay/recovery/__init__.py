"""What a recording still tells of the session it was made in, piece by piece; `replay.export` puts the case together.

`evidence` reads the files, `conversation` finds messages and how they were added, `settings` the chain, `replies` the model's
answers, `wording` the fixed texts. Each says what it could not find.
"""

"""What the files hold of one context, before anything is concluded about its processors.

`records` groups the records of all files by context, without the `copies`; `steps` finds the window
requests among them, `sightings` when a window first showed a result; `outcomes` are what writers
state of their ends. `folders`, `archives` and `markers` find what belongs to a context and lies
elsewhere, `recalls` tell when the agent asked for it; `raw_records` shows a record as it is.

Parsing belongs in `inspector.sources`; what a processor did belongs in the room of its family.
"""

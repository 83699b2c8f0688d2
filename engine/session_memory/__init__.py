"""Session memory: notes that a model keeps about a session while the agent works.

`notes` knows the file, `runtime` what is remembered about it between turns, `updater` when and how
it is brought up to date. What turns the notes into a memory block is a compressor and stands with
the others.
"""

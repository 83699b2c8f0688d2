"""Session memory: notes that a model keeps about a session while the agent works.

`notes` knows the file, `runtime` what is remembered about it between turns, `updater` when it is
brought up to date by the settings in `config`, and by which `stretch` of the conversation;
`agent_edit` and `direct_replace` are two ways for a `model` to do so, and a third would be a file
beside them. `run_log` writes how an edit went. What turns the notes into a memory block is a
compressor and stands with the others.
"""

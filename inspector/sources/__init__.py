"""From bytes to records: what lies in the opened paths, and where each record stands.

`walk` finds the files, `detect` tells their kind by what is in them, `jsonl` indexes debug records
by offset with the columns that correlation needs, `dump` reads the head of a compression dump,
`scan` puts them together. Contents stay on disk: whoever wants a whole record asks
`jsonl.read_record` or `dump.read_dump` for it.

What a record *means* belongs in `inspector.trace`. Damage is never an exception here but a
`Problem` beside the records that could be read. A new kind of file is one rule in `detect` and,
when its records are to be read, one module like `dump` that `scan` calls.
"""

"""From bytes to records: what lies in the opened paths, and where each record stands.

`walk` finds the files, `detect` tells their kind by what is in them. `jsonl` indexes records by
offset with the columns that correlation needs, `offload_log` what the offloader's lines need
besides; `document` reads the head of a document, with a module beside it for each kind. `scan` puts
them together once, `tail` and `watch` again and again. Contents stay on disk: whoever wants a whole
record asks `jsonl.read_record`, `dump.read_dump` and their like for it.

What a record *means* belongs in `inspector.trace`. Damage is never an exception here but a
`Problem` beside the records that could be read, and files that were glued together are all read. A
new kind of file is one rule in `detect` and, when its records are to be read, one module like
`dump` and a line in `scan`.
"""

"""From bytes to records: what lies in the opened paths, and where each record stands.

`walk` finds the files, `detect` tells their kind by what is in them. What stands on lines is
indexed in `lines`, of a document the head is read in `documents`; `scan` puts them together once,
`tail` and `watch` again and again, and `writer` tells the version that wrote a file. What both
rooms need lies here: a `regular_file` is opened, a `document` or the `prefix` of a torn one is
read, and its first `fault` told; the `counts` that records state, `message_keys` that tell one
message from another, and the `recall_calls` in messages.

Contents stay on disk: whoever wants a whole record asks `lines.jsonl.read_record`,
`documents.dump.read_dump` and their like for it.

What a record *means* belongs in `inspector.trace`. Damage is never an exception here but a
`Problem` beside the records that could be read, and files that were glued together are all read. A
new kind of file is one rule in `detect` and, when its records are to be read, a module in one of
the rooms and a line in `scan`.
"""

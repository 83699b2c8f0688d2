"""Records that stand on a line each, indexed by offset without keeping any line.

`jsonl` reads a file block by block. Of its lines those of one form are read together (`alike`), the
others decoded in one go (`sound_lines`) or, where something is damaged, each alone (`single_line`).
What is kept of a record is its `header`, spread over a `record_table` of `columns`; `offload_log`
keeps what the offloader's lines say besides.

A new key that every record may have is a field of `header.Header`; one of the offloader's lines a
field of `offload_log.LogHeader`.
"""

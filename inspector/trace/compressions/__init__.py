"""What the prefix compressors did at each check.

`attempts` groups their records and joins them to dumps; `verdicts` says how an attempt ended, with
`give_ups` and `listings` where the files are silent; `decisions` hands them over with their
`gates`. Each is one `story`. What is shown of it is read by `detail` with `files`, from its dump
(`dump_detail`, `summary`) or else from the messages that files around it hold (`message_pool`),
with spans shrunk as in `shrinking`.

What the other processors did belongs in the rooms beside this one.
"""

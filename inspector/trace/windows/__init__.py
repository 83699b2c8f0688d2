"""The messages of a window: how they are counted, compared and shown.

`window` puts a window together and counts it by the `formulas` of its writer; `alignment` finds
what two windows share, `fates` what became of each message, `spans` how a compressor split them,
`stored` the originals behind their markers.

Nothing here knows decisions; another way of looking at messages gets its module here.
"""

"""Rules: how a large tool result gets shorter without a model, by the kind of its content.

`router` tells the kind and calls its rule. Each rule is one file with a function `shorten`, which
takes a `Source` and returns what is left of it, or None where nothing is gained; it never raises
on any text. `content` has the types they share, `line_prefixes` takes line numbers off,
`query_terms` finds the words that make a line worth keeping. To add a kind: a file here, a
`ContentKind`, and its test and its rule in `router`.
"""

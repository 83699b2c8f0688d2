"""How many tokens: `counters`, totals that heed a provider's `usage`, the `capacity` of a model.

A `tally` keeps the sums of a context's messages, so that a step counts only what is new.

A number that decides something comes from here and nowhere else, so that what is shown equals what
was used. A new counter is a class with the protocol `counters.TokenCounter`, in a file like
`tiktoken`, and a name in `selection`.
"""

"""How many tokens: counters, usage-aware totals, and the capacity of a model.

A number that decides something comes from here and nowhere else, so that what is shown equals what
was used. Add a counter as a class with the `TokenCounter` protocol in `counters`.
"""

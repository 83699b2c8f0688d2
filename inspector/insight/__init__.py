"""What a conversation means: what it costs, and what of it a compression leaves.

Cost: `sent_requests` is what went to a model, `prices` the table, `cost` the money. Retention:
`items` says what is worth keeping and when a message holds it, `line_items`, `named_numbers` and
`item_reader` find it, `retention` follows it through the windows, and `canaries` plants some to
follow.

Everything here takes messages and plain values, so a recording, a replay and a file of somebody
else's are judged by the same code; nothing here runs the engine or paints. A new judgement is one
module with one function that takes such values and returns frozen ones.
"""

"""A conversation: messages with everything that counts, stores, shortens and records them.

`conversation` is what processors act on, `buffer` the list behind it, `states` the events that tell
of each processor's turn. A conversation knows no processor; what asks them stands above, in
`engine.context` and `engine.lifecycle`.
"""

from engine.conversation.conversation import STATE_HISTORY, Conversation, own

__all__ = ("STATE_HISTORY", "Conversation", "own")

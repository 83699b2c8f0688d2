"""Offloaders: they store large messages and leave a shorter text with a marker in their place.

`message_summary` (current) shortens tool results by rules, each in `shortening`; `message` (older)
cuts off all but the start; `observation_masking` (the minimal loop's) keeps nothing. `originals`
stores what was there, `marker` writes what points to it, `protection` says whose results stay as
they are. A new offloader is a file here, imported below so that its name is known.
"""

from engine.processors.offloaders.message import MessageOffloader
from engine.processors.offloaders.message_summary import MessageSummaryOffloader
from engine.processors.offloaders.observation_masking import ObservationMasking

__all__ = ("MessageOffloader", "MessageSummaryOffloader", "ObservationMasking")

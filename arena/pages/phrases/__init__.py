"""Sentences that services, the runner and the referee make in English, and that pages tell in the reader's language.

An error's message, the reason of a state, a fault and a notice are made without a reader, some are stored: they stay
English there, in the API and for bots. Here is the form of each, with holes where names and numbers stand. What has no
form here is told as it is.
"""

from arena.pages.phrases.telling import said

__all__ = ["said"]

"""For whom an address is."""

from enum import Enum


class Who(Enum):
    ALL = "whoever comes"
    KNOWN = "whoever is logged in, or has a token; each sees only what is their own"
    GENERAL = "the same, but for tokens that are for one bot"
    SESSION = "the same, but for tokens"
    OWNER = "its owner"
    PLAYERS = "owners of the bots that played; each sees only what is their own"
    PERSON = "its owner in front of the site: no token"
    STAFF = "staff"
    NONE = "No challenges yet"


A, K, G, H, W, L, P, S, N = Who
"""As the tables of addresses call them."""

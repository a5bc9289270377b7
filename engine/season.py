"""Deal all matches of a season from one secret.

The secret's hash is published before the first match, the secret after the last one. Then anyone can deal every match
again and see that no deal was chosen: a deal depends only on the match's number, and numbers are given in order.
"""

import hashlib
import hmac
from dataclasses import dataclass
from random import Random

from engine.core import Game, Json
from engine.deal import deal_hash

FORMAT = "pennant-season/1"
SALT_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Season:
    """The source of a season's deals. `number` is the season's, from 1."""

    secret: str
    game: str
    edition: str
    number: int

    def draw(self, match: int, *purpose: str) -> bytes:
        """Return 32 bytes for one purpose in one match: the HMAC-SHA256, by the secret, of the purpose's name."""
        name = "/".join([FORMAT, self.game, self.edition, str(self.number), str(match), *purpose])
        return hmac.digest(self.secret.encode(), name.encode(), "sha256")

    def deal(self, game: Game, options: Json, seats: int, match: int, number: int = 1) -> Json:
        """Return a deal of the match with this number.

        Legs that change seats have the same deal, the first. In a series each game has a deal of its own, by `number`.
        """
        purpose = ("deal",) if number == 1 else ("deal", str(number))
        return game.deal(options, seats, Random(int.from_bytes(self.draw(match, *purpose), "big")))

    def deals(self, game: Game, options: Json, seats: int, match: int, count: int) -> list[Json]:
        """Return the deals of the first `count` games of a series."""
        return [self.deal(game, options, seats, match, number) for number in range(1, count + 1)]

    def salt(self, match: int, leg: int) -> str:
        """Return the salt of one leg, from 1. Without it nobody can guess a deal from its hash."""
        return self.draw(match, "salt", str(leg)).hex()[:SALT_LENGTH]

    def salts(self, legs: int, match: int) -> list[str]:
        """Return the salts of so many legs of a match: as many as seats, or as a series has games."""
        return [self.salt(match, leg) for leg in range(1, legs + 1)]

    def deal_hashes(self, game: Game, options: Json, seats: int, match: int) -> list[str]:
        """Return the hashes that are published before the first move of each leg."""
        deal = self.deal(game, options, seats, match)
        return [deal_hash(deal, salt) for salt in self.salts(seats, match)]


def commitment(secret: str) -> str:
    """Return the lower-case hex SHA-256 of the secret."""
    return hashlib.sha256(secret.encode()).hexdigest()

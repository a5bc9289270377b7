"""The deals of a season, all from one secret.

Its hash is public before the first match, and the secret after the last one. Then anyone can deal every match again
and see that none was chosen: which deal a match gets hangs on its number alone, and numbers are given in order.
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
    """What the deals of a season come from. `number` is the season's, from 1."""

    secret: str
    game: str
    edition: str
    number: int

    def draw(self, match: int, *words: str) -> bytes:
        """32 bytes for one use in one match: HMAC-SHA256 by the secret's text over the words below, in UTF-8."""
        said = "/".join([FORMAT, self.game, self.edition, str(self.number), str(match), *words])
        return hmac.digest(self.secret.encode(), said.encode(), "sha256")

    def deal(self, game: Game, options: Json, seats: int, match: int) -> Json:
        """The deal of the match with this number, the same in each leg."""
        return game.deal(options, seats, Random(int.from_bytes(self.draw(match, "deal"), "big")))

    def salt(self, match: int, leg: int) -> str:
        """Of one leg, from 1: without it nobody can guess a deal from its hash."""
        return self.draw(match, "salt", str(leg)).hex()[:SALT_LENGTH]

    def salts(self, seats: int, match: int) -> list[str]:
        """Of all legs of a match: as many as seats."""
        return [self.salt(match, leg) for leg in range(1, seats + 1)]

    def deal_hashes(self, game: Game, options: Json, seats: int, match: int) -> list[str]:
        """What was public of each leg before its first move."""
        deal = self.deal(game, options, seats, match)
        return [deal_hash(deal, salt) for salt in self.salts(seats, match)]


def commitment(secret: str) -> str:
    """Lower-case hex SHA-256 of the secret's text."""
    return hashlib.sha256(secret.encode()).hexdigest()

"""Deals that anyone can repeat once the secret is out."""

import hashlib
import hmac
from random import Random

import pytest

from engine.core import Game
from engine.deal import deal_hash
from engine.registry import GAMES
from engine.season import Season, commitment

SECRET = "5e" * 32
COMMITMENT = "8414cd6b08e92be7f34132d9f8fabaa0cf0f072bab807b434e7ff02efc918a1e"
HASHES = [
    "7c33cca5250589ea817eca57c3d7abc7c07c2e7e0761176c5ce64c4478d56830",
    "98bcfc3e8bf64fb05040c3958dd4856e71b9b00831307270421af5dfc1ca9db9",
]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_deals_and_salts_are_what_hmac_makes_of_the_secret(game: Game) -> None:
    edition = list(game.editions)[-1]
    options, seats = game.options(edition), game.seats[-1]
    season = Season(SECRET, game.key, edition, 3)

    def drawn(words: str) -> bytes:
        text = f"pennant-season/1/{game.key}/{edition}/3/17/{words}"
        return hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).digest()

    deal = game.deal(options, seats, Random(int(drawn("deal").hex(), 16)))
    salts = [drawn(f"salt/{leg}").hex()[:32] for leg in range(1, seats + 1)]
    assert season.deal(game, options, seats, 17) == deal
    assert season.salts(seats, 17) == salts
    assert season.deal_hashes(game, options, seats, 17) == [deal_hash(deal, salt) for salt in salts]


def test_the_games_of_a_series_have_deals_of_their_own_the_first_of_which_is_the_matchs() -> None:
    game = GAMES["battleline"]
    options, season = game.options("standard"), Season(SECRET, "battleline", "standard", 3)
    deals = season.deals(game, options, 2, 17, 4)
    assert deals[0] == season.deal(game, options, 2, 17)
    third = hmac.new(SECRET.encode(), b"pennant-season/1/battleline/standard/3/17/deal/3", hashlib.sha256).hexdigest()
    assert deals[2] == season.deal(game, options, 2, 17, 3) == game.deal(options, 2, Random(int(third, 16)))
    assert len({deal_hash(deal, "") for deal in deals}) == 4


def test_a_deal_that_was_published_once_is_dealt_for_ever() -> None:
    game = GAMES["battleline"]
    hashes = Season(SECRET, "battleline", "standard", 1).deal_hashes(game, game.options("standard"), 2, 1)
    assert hashes == HASHES
    assert commitment(SECRET) == COMMITMENT


def test_another_secret_edition_season_match_or_leg_has_another_deal_or_salt() -> None:
    game = GAMES["battleline"]
    options = game.options("standard")
    seasons = [
        Season(secret, "battleline", edition, number)
        for secret in (SECRET, "5f" * 32)
        for edition in ("standard", "advanced")
        for number in (1, 11)
    ]
    deals = [str(season.deal(game, options, 2, match)) for season in seasons for match in (1, 2, 12)]
    salts = [salt for season in seasons for match in (1, 2, 12) for salt in season.salts(2, match)]
    assert len(set(deals)) == len(deals) and len(set(salts)) == len(salts)

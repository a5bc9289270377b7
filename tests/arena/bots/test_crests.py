"""Crests: no two bots of a game have the same drawing."""

from collections import Counter

import pytest
from django.core.management import call_command

from arena.accounts.models import User
from arena.bots.crests import CREST_DRAWINGS, choose_crest_difference, find_crest
from arena.bots.models import Bot
from arena.bots.services import create_bot
from arena.pages.svg.crests import draw_crest
from tests.old_tables import migrate_to

BEFORE = [("bots", "0010_token_prefix")]


def test_as_many_bots_as_one_likes_have_crests_of_their_own() -> None:
    drawn: set[str] = set()
    taken: set[tuple[int, int]] = set()
    for number in range(9 * CREST_DRAWINGS + 5):
        bot = Bot(slug=f"bot-{number}", crest_difference=choose_crest_difference(f"bot-{number}", taken))
        taken.add(find_crest(bot.slug, bot.crest_difference))
        drawn.add(draw_crest(bot))
    assert len(drawn) == len(taken) == 9 * CREST_DRAWINGS + 5


def test_a_new_bot_gets_a_crest_that_no_other_of_its_game_has(ana: User) -> None:
    names = ["Heron", *(f"Tern {number}" for number in range(30))]
    ana.is_house = True
    ana.save()
    bots = [create_bot(owner=ana, name=name, game="battleline") for name in names]
    assert max(Counter(draw_crest(bot) for bot in bots).values()) == 1
    assert any(bot.crest_difference for bot in bots)
    other = create_bot(owner=ana, name="Heron again", game="battalion")
    assert other.crest_difference == 0, "another game has crests of its own"


@pytest.mark.full
def test_crests_that_were_the_same_are_told_apart(transactional_db: None) -> None:
    tables = migrate_to(BEFORE)
    owner = tables.get_model("accounts", "User").objects.create(username="ana")
    for number in range(80):
        game = "battalion" if number % 5 == 0 else "battleline"
        tables.get_model("bots", "Bot").objects.create(owner=owner, name="x", slug=f"b{number}", game=game)
    call_command("migrate", verbosity=0)
    bots = list(Bot.objects.all())
    assert len({(bot.game, draw_crest(bot)) for bot in bots}) == len(bots) == 80
    assert bots[0].crest_difference == 0

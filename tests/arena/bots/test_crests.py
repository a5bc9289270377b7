"""Crests: no two bots of a game have the same drawing, chosen or not."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from arena.bots.crests import (
    CREST_DRAWINGS,
    BadCrest,
    CrestDesign,
    choose_crest,
    choose_crest_difference,
    drop_crest,
    find_crest,
)
from arena.bots.models import Bot
from arena.bots.services import create_bot
from arena.core.errors import Conflict, NotYours
from arena.pages.svg.icons import draw_crest
from arena.people.accounts.models import User

DESIGN = CrestDesign("quarters", field="lapis", second="parchment", charge="star", charge_tincture="gold")


def test_as_many_bots_as_one_likes_have_crests_of_their_own() -> None:
    drawn: set[str] = set()
    taken: set[tuple[int, int]] = set()
    for number in range(9 * CREST_DRAWINGS + 5):
        bot = Bot(slug=f"bot-{number}", crest_difference=choose_crest_difference(f"bot-{number}", taken))
        taken.add(find_crest(bot.slug, bot.crest_difference))
        drawn.add(draw_crest(bot))
        fill, stroke = re.search(r'fill="(#\w+)"', draw_crest(bot)), re.search(r'stroke="(#\w+)"', draw_crest(bot))
        assert fill and (stroke is None or stroke[1] != fill[1]), "a border is seen"
    assert len(drawn) == len(taken) == 9 * CREST_DRAWINGS + 5


def test_all_bots_of_a_ladder_of_200_differ_though_authors_choose(ana: User) -> None:
    ana.is_house = True
    ana.save()
    bots = [create_bot(owner=ana, name=f"Tern {number}", game="battleline") for number in range(200)]
    charges = ("star", "key", "horse")
    for bot, charge in zip(bots[::50], charges, strict=False):
        choose_crest(bot=bot, owner=ana, design=replace(DESIGN, charge=charge))
    assert max(Counter(draw_crest(bot) for bot in Bot.objects.filter(game="battleline")).values()) == 1


def test_a_chosen_crest_is_one_bot_s_until_its_owner_drops_it(ana: User, ben: User) -> None:
    heron, tern = (create_bot(owner=ana, name=name, game="battleline") for name in ("Heron", "Tern"))
    other_game = create_bot(owner=ben, name="Heron of Ben", game="battalion")
    before = draw_crest(heron)
    choose_crest(bot=heron, owner=ana, design=DESIGN)
    choose_crest(bot=other_game, owner=ben, design=DESIGN)
    assert draw_crest(Bot.objects.get(pk=heron.pk)) == draw_crest(Bot.objects.get(pk=other_game.pk)) != before
    with pytest.raises(Conflict, match="already has this crest"):
        choose_crest(bot=tern, owner=ana, design=DESIGN)
    with pytest.raises(NotYours):
        choose_crest(bot=tern, owner=ben, design=replace(DESIGN, charge="key"))
    drop_crest(bot=heron, owner=ana)
    assert draw_crest(heron) == before
    choose_crest(bot=tern, owner=ana, design=DESIGN)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"charge": "dragon"}, "charge"),
        ({"second": "lapis"}, "second"),
        ({"charge_tincture": "lapis"}, "charge_tincture"),
        ({"charge_tincture": "parchment"}, "charge_tincture"),
    ],
)
def test_every_part_of_a_chosen_crest_is_seen(ana: User, changes: dict[str, str], field: str) -> None:
    bot = create_bot(owner=ana, name="Heron", game="battleline")
    with pytest.raises(BadCrest) as refused:
        choose_crest(bot=bot, owner=ana, design=replace(DESIGN, **changes))
    assert refused.value.fields == [field]


def test_a_plain_shield_has_one_colour(ana: User) -> None:
    """Whatever stood for the second one: else two crests that look the same would count as two."""
    heron, tern = (create_bot(owner=ana, name=name, game="battleline") for name in ("Heron", "Tern"))
    choose_crest(bot=heron, owner=ana, design=replace(DESIGN, division="plain"))
    with pytest.raises(Conflict):
        choose_crest(bot=tern, owner=ana, design=replace(DESIGN, division="plain", second="lapis"))


def test_a_new_bot_gets_a_crest_that_no_other_of_its_game_has(ana: User) -> None:
    names = ["Heron", *(f"Tern {number}" for number in range(30))]
    ana.is_house = True
    ana.save()
    bots = [create_bot(owner=ana, name=name, game="battleline") for name in names]
    assert max(Counter(draw_crest(bot) for bot in bots).values()) == 1
    assert any(bot.crest_difference for bot in bots)
    other = create_bot(owner=ana, name="Heron again", game="battalion")
    assert other.crest_difference == 0, "another game has crests of its own"

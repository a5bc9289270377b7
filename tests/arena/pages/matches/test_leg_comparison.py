"""Two legs of a match side by side."""

import re
import zlib
from html import unescape

import orjson
import pytest
from django.test import Client

from arena.matches.models import Leg, LegSeat, Match, Participant, Trial
from arena.matches.services import queue_match
from engine.core import Json
from engine.games.battleline.options import TITLES
from tests.arena.pages.conftest import play_at_random


@pytest.fixture
def lay_down(make_version, ana, ben):
    """A finished match whose legs have these records."""

    def lay(*records: Json) -> Match:
        first = records[0]
        versions = [make_version((ana, ben)[n % 2], f"Bot {n}", game=first["game"]) for n in range(len(records))]
        match = queue_match(versions=versions, game=first["game"], edition=first["edition"], deal=first["deal"])
        participants = list(Participant.objects.filter(match=match))
        for leg, record in zip(Leg.objects.filter(match=match), records, strict=True):
            leg.record = zlib.compress(orjson.dumps(record))
            leg.save()
            for seat, index in enumerate(leg.seating):
                place, score = record["result"]["places"][seat], record["result"]["scores"][seat]
                LegSeat.objects.create(
                    leg=leg, seat=seat, participant=participants[index], place=place, score=score, verdict="ok"
                )
        Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED, finished_at=match.created_at)
        return match

    return lay


def parted(record: Json, at: int) -> Json:
    """The same leg, in which whoever takes this decision times out."""
    game, edition, seats = record["game"], record["edition"], len(record["seats"])
    return play_at_random(int(record["salt"]), edition, game, seats, forfeit_at=at)


def read(match: Match, query: str = ""):
    return Client().get(f"/matches/{match.pk}/sides/{query}")


def test_the_first_step_that_differs_is_marked_and_leads_to_both_replays(lay_down, record_of):
    record = record_of(3)
    match = lay_down(record, parted(record, 40))
    page = read(match)
    place = len(page.context["same"]) + 1
    assert page.context["first_difference"][0].number == place
    for cell, leg in zip(page.context["first_difference"][0].cells, (1, 2), strict=True):
        address = f"/matches/{match.pk}/?leg={leg}&turn={place}"
        assert cell.url == address
        assert page.text.count(address.replace("&", "&amp;")) >= 2
        assert Client().get(address).context["scene"].number == place
    assert page.text.count("First difference") == 3
    left, right = (cell.step for cell in page.context["first_difference"][0].cells)
    assert left.seat == right.seat and left.entries[0].action != "forfeit" == right.entries[-1].action
    assert f"After {place - 1} identical steps, the same cards were played differently:" in page.text


def test_up_to_the_parting_everything_is_the_same_and_a_leg_that_is_over_says_so(lay_down, record_of):
    page = read(lay_down(record_of(3), parted(record_of(3), 40)))
    for pair in page.context["same"]:
        assert [str(line.text) for line in pair.left.lines] == [str(line.text) for line in pair.right.lines]
    assert page.context["rest"][-1].right is None and '<span class="muted">finished</span>' in page.text


def test_legs_that_are_the_same_have_no_difference(lay_down, record_of):
    page = read(lay_down(record_of(3), record_of(3)))
    assert "None: both legs are identical" in page.text
    assert "open" in page.text[page.text.index("<details") :][:40]


def test_a_difference_at_the_first_step(lay_down, record_of):
    page = read(lay_down(record_of(3), parted(record_of(3), 0)))
    assert page.context["first_difference"][0].number == 1 and page.context["same"] == []
    assert "At the first step, with the same cards:" in page.text


def test_each_hand_tells_who_held_it_how_that_went_and_what_they_did_otherwise(lay_down, record_of):
    record = record_of(3)
    page = read(lay_down(record, parted(record, 40)))
    hands = page.context["hands"]
    assert [hand.name for hand in hands] == ["South", "North"]
    held = [[summary.seat.participant.version.bot.name for summary in hand.summaries] for hand in hands]
    assert held == [["Bot 0", "Bot 1"], ["Bot 1", "Bot 0"]]
    loser = page.context["first_difference"][0].left.step.seat
    assert hands[loser].summaries[1].first_difference is page.context["first_difference"][0].right
    assert hands[1 - loser].summaries[0].first_difference is None
    for hand in hands:
        for summary, result in zip(hand.summaries, (record, parted(record, 40)), strict=True):
            assert summary.finish.is_first == (result["result"]["places"][hand.seat] == 1)


@pytest.mark.parametrize(
    ("query", "chosen"),
    [
        ("", [1, 2]),
        ("?left=3&right=1", [3, 1]),
        ("?right=1", [2, 1]),
        ("?right=3", [1, 3]),
        ("?left=2&right=2", [2, 1]),
        ("?left=9&right=x", [1, 2]),
    ],
)
def test_of_many_legs_two_are_chosen(lay_down, record_of, query, chosen):
    record = record_of(4, "standard", "battalion", 3)
    page = read(lay_down(record, parted(record, 6), parted(record, 9)), query)
    assert page.status_code == 200
    assert [compared.leg.number for compared in page.context["legs"]] == chosen
    assert page.text.count('aria-current="page"') >= 2


def test_between_two_there_is_nothing_to_choose(lay_down, record_of):
    assert "Left leg" not in read(lay_down(record_of(3), record_of(3))).text


@pytest.mark.parametrize("edition", TITLES)
def test_every_edition_is_told(lay_down, record_of, edition):
    record = record_of(2, edition)
    assert read(lay_down(record, parted(record, len(record["actions"]) // 2))).status_code == 200


def test_real_legs_of_bots_are_compared(finished):
    page = read(finished)
    assert page.status_code == 200 and "Kingfisher" in page.text and "Heron" in page.text


def test_a_lost_record_is_owned_up_to(finished):
    Leg.objects.filter(match=finished, number=2).update(record=None)
    page = read(finished)
    assert page.status_code == 200 and "One leg's record was lost" in unescape(page.text)


def test_nobody_compares_legs_of_a_match_that_is_not_over(finished, queued, ana, versions):
    for state in (Match.State.QUEUED, Match.State.RUNNING, Match.State.VOID):
        Match.objects.filter(pk=finished.pk).update(state=state)
        assert read(finished).status_code == 404
    assert Client().get("/matches/99999/sides/").status_code == 404


def test_what_is_asked_does_not_grow_with_the_legs(lay_down, record_of, django_assert_max_num_queries):
    short, long = record_of(3), record_of(4, "standard", "battalion", 4)
    for match in (lay_down(short, parted(short, 30)), lay_down(*[long] * 4)):
        with django_assert_max_num_queries(8):
            read(match)


def test_two_boards_stand_at_the_same_step_and_one_that_is_over_at_its_end(lay_down, record_of):
    match = lay_down(record_of(3), parted(record_of(3), 40))
    twin = read(match).context["twin"]
    assert twin.step == twin.first_difference == read(match).context["first_difference"][0].number
    assert [leg.step for leg in twin.legs] == [twin.step, twin.step]
    last = read(match, "?turn=99999").context["twin"]
    assert last.step == last.last == max(leg.last for leg in last.legs)
    assert [leg.step for leg in last.legs] == [leg.last for leg in last.legs]
    for leg in twin.legs:
        assert Client().get(leg.frames_url)["Cache-Control"].startswith("public")


@pytest.fixture
def drawn(lay_down, record_of) -> Match:
    """A match in which each bot won as much, and whose legs differ."""
    return share_points(lay_down(record_of(3), parted(record_of(3), 40)))


def share_points(match: Match) -> Match:
    Participant.objects.filter(match=match).update(points=0.5)
    return match


def test_a_drawn_match_opens_with_both_legs_at_their_first_difference_and_replays_are_one_click_away(drawn):
    page = Client().get(f"/matches/{drawn.pk}/")
    twin = page.context["twin"]
    assert twin.step == twin.first_difference is not None
    turn = page.context["parting"].turn
    assert f"The legs differ from turn {turn} on." in page.text
    assert f'<link rel="canonical" href="http://testserver/matches/{drawn.pk}/">' in page.text
    assert f'property="og:image" content="http://testserver/matches/{drawn.pk}/turn/' in page.text
    for number in (1, 2):
        address = f"/matches/{drawn.pk}/?leg={number}"
        assert re.search(rf'<a class="button" href="{re.escape(address)}">.*?Replay leg {number}</a>', page.text)
        assert Client().get(address).context["leg"].number == number
    assert all(
        link.startswith(f"/matches/{drawn.pk}/sides/?turn=")
        for link in re.findall(r'data-go.*?href="(.*?)"', page.text)
    )


@pytest.mark.parametrize("query", ["leg=1", "turn=3", "view=0", "analysis=off", "leg=last&turn=last"])
def test_addresses_within_a_drawn_match_lead_to_its_replay(drawn, query):
    assert "scene" in Client().get(f"/matches/{drawn.pk}/?{query}").context


def test_matches_that_are_no_clean_draw_open_with_the_replay(lay_down, record_of, drawn):
    def opens_with_replay(match: Match) -> bool:
        return "twin" not in Client().get(f"/matches/{match.pk}/").context

    assert not opens_with_replay(drawn)
    assert opens_with_replay(share_points(lay_down(record_of(3), record_of(3))))
    LegSeat.objects.filter(leg__match=drawn, leg__number=2, seat=0).update(verdict="timeout")
    assert opens_with_replay(drawn)
    LegSeat.objects.filter(leg__match=drawn).update(verdict="ok")
    Participant.objects.filter(match=drawn, index=0).update(points=1.0)
    assert opens_with_replay(drawn)
    share_points(drawn)
    trial = Trial.objects.create(match=drawn, version=drawn.participants.all()[0].version)
    assert opens_with_replay(drawn)
    trial.delete()
    assert not opens_with_replay(drawn)
    Leg.objects.filter(match=drawn, number=2).update(record=None)
    assert opens_with_replay(drawn)


def test_both_choices_where_the_legs_part_are_told_by_the_bots_names(lay_down, record_of):
    actions = [dict(entry) for entry in record_of(3)["actions"]]
    choices = read(lay_down(record_of(3), parted(record_of(3), 40))).context["parting"].choices
    assert [choice.leg for choice in choices] == [1, 2] and len({choice.seat for choice in choices}) == 1
    assert {choice.name for choice in choices} == {"Bot 0", "Bot 1"} and actions[40]["seat"] == choices[0].seat
    assert all(choice.name in str(choice.lines[0]) for choice in choices)
    assert [choice.given_away for choice in choices] == [None, None]

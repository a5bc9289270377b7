"""Knockouts as drawings and as lists."""

import re
from xml.etree import ElementTree

import pytest

from arena.bots.models import Bot
from arena.pages.svg.bracket import draw_bracket, shorten_name
from arena.pages.tournaments import bracket
from arena.pages.tournaments.bracket import make_bracket
from arena.tournaments.queries.overview import fetch_matches, fetch_overview
from arena.tournaments.services.entering import withdraw
from arena.tournaments.services.playing import advance_tournament
from arena.tournaments.settings import Settings
from tests.arena.tournaments.world import begin, finish, make_bots, play_out, play_round, waiting

pytestmark = pytest.mark.django_db
KNOCKOUT = Settings(format="single-elimination")


def draw(tournament) -> list:
    overview = fetch_overview(tournament)
    fetch_matches(overview)
    return make_bracket(overview)


def names(drawing) -> list[list[tuple[str, str]]]:
    return [[tuple(side.name for side in bout.sides) for bout in column.bouts] for column in drawing.columns]


def test_the_seeds_stand_where_the_best_meet_last():
    (drawing,) = draw(begin(make_bots(4), KNOCKOUT))
    assert names(drawing) == [[("Bot 1", "Bot 4"), ("Bot 2", "Bot 3")], [("", "")]]
    assert [column.title for column in drawing.columns] == ["Semi-finals", "Final"]
    assert drawing.champion is None


def test_who_wins_goes_on_at_once_and_the_champion_is_known_in_the_end():
    tournament = begin(make_bots(4), KNOCKOUT)
    finish(waiting(tournament)[0], [2, 1])
    advance_tournament(tournament=tournament)
    (drawing,) = draw(tournament)
    assert names(drawing)[1] == [("Bot 4", "")]
    first = drawing.columns[0].bouts[0]
    assert first.sentence == "Bot 4 beats Bot 1 1–0" and first.match
    (drawing,) = draw(play_out(tournament))
    assert drawing.champion == 2 and names(drawing)[1] == [("Bot 4", "Bot 2")]


def test_who_has_a_bye_or_wins_as_the_other_left_goes_on_without_a_match():
    tournament = begin(make_bots(3), KNOCKOUT)
    (drawing,) = draw(tournament)
    assert drawing.columns[0].bouts[0].sentence == "Bot 1 has a bye"
    loser = tournament.entrants.get(number=3)
    withdraw(entrant=loser, user=loser.bot.owner)
    advance_tournament(tournament=tournament)
    (drawing,) = draw(tournament)
    assert drawing.columns[0].bouts[1].sentence == "Bot 2 advances because Bot 3 has left"


def test_double_elimination_has_three_drawings():
    tournament = begin(make_bots(5), Settings(format="double-elimination"))
    assert [drawing.key for drawing in draw(tournament)] == ["W", "L", "F"]
    play_out(tournament)
    winners, losers, final = draw(tournament)
    assert winners.champion == final.champion == 1
    assert len(final.columns) == 1 and losers.columns[-1].title == "Losers' final"


def test_a_final_that_the_unbeaten_loses_is_played_again():
    tournament = begin(make_bots(2), Settings(format="double-elimination"))
    lost = []

    def second_wins_once(bots) -> list[int]:
        rank = {"bot-1": 1, "bot-2": 2} if len(lost) != 1 else {"bot-1": 2, "bot-2": 1}
        lost.append(1)
        return [rank[bot.slug] for bot in bots]

    final = draw(play_out(tournament, second_wins_once))[-1]
    assert [column.title for column in final.columns] == ["Final", "Second final"] and final.champion == 1


def test_the_knockout_after_groups_is_drawn_once_it_is_known():
    tournament = begin(make_bots(6), Settings(format="groups"))
    assert draw(tournament) == []
    while not draw(tournament):
        play_round(tournament)
    (drawing,) = draw(tournament)
    assert [column.title for column in drawing.columns] == ["Semi-finals", "Final"]
    assert all(name for bout in names(drawing)[0] for name in bout)


def test_rounds_that_are_too_large_are_left_out(monkeypatch):
    monkeypatch.setattr(bracket, "MAX_BOUTS_DRAWN_PER_ROUND", 2)
    (drawing,) = draw(begin(make_bots(5), KNOCKOUT))
    assert drawing.is_cut and [len(column.bouts) for column in drawing.columns] == [2, 1]
    assert draw_bracket(drawing)


def test_the_drawing_is_whole_and_open_to_everybody(ask):
    tournament = play_out(begin(make_bots(5), KNOCKOUT))
    (drawing,) = draw(tournament)
    svg = ElementTree.fromstring(draw_bracket(drawing))
    assert svg.find("title").text == "Knockout" and svg.find("desc").text
    links = {link.get("href"): link.get("aria-label") for link in svg.iter("a")}
    assert len(links) == 4 and all(href.startswith("/matches/") for href in links)
    page = ask(tournament).content.decode()
    listed = page.partition("As a list")[2].partition("</details>")[0]
    for href, sentence in links.items():
        assert f'<a href="{href}">{sentence}</a>' in listed
    assert 'role="region" tabindex="0"' in page and not re.search(r"<[^>]+ style=", page)


def test_long_names_are_cut_and_strange_ones_harmless():
    assert shorten_name("A" * 40) == "A" * 16 + "…" and shorten_name("Heron") == "Heron"
    tournament = begin(make_bots(2), KNOCKOUT)
    Bot.objects.filter(slug="bot-1").update(name="<b>&")
    (drawing,) = draw(tournament)
    assert "<b>" not in draw_bracket(drawing) and "&lt;b&gt;&amp;" in draw_bracket(drawing)

"""Knockouts as drawings and as lists."""

import re
from xml.etree import ElementTree

import pytest

from arena.bots.models import Bot
from arena.contests.tournaments.models import PairingMatch
from arena.contests.tournaments.overview import fetch_matches, fetch_overview
from arena.contests.tournaments.services.entering import withdraw
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.pages.svg.bracket import draw_bracket, shorten_name
from arena.pages.tournaments import rounds
from arena.pages.tournaments.rounds import make_bracket, make_crosstables
from arena.pages.tournaments.tournament_page import build_standings_table
from tests.arena.contests.tournaments.world import begin, finish, make_bots, play_out, play_round, waiting

pytestmark = pytest.mark.django_db
KNOCKOUT = Settings(format="single-elimination")


def draw(tournament) -> list:
    overview = fetch_overview(tournament)
    fetch_matches(overview)
    return make_bracket(overview)


def names(drawing) -> list[list[tuple[str, str]]]:
    return [[tuple(side.name for side in bout.sides) for bout in column[1]] for column in drawing.columns]


def test_the_seeds_stand_where_the_best_meet_last():
    (drawing,) = draw(begin(make_bots(4), KNOCKOUT))
    assert names(drawing) == [[("Bot 1", "Bot 4"), ("Bot 2", "Bot 3")], [("", "")]]
    assert [column[0] for column in drawing.columns] == ["Semi-finals", "Final"]
    assert drawing.champion is None


def test_who_wins_goes_on_at_once_and_the_champion_is_known_in_the_end():
    tournament = begin(make_bots(4), KNOCKOUT)
    finish(waiting(tournament)[0], [2, 1])
    advance_tournament(tournament=tournament)
    (drawing,) = draw(tournament)
    assert names(drawing)[1] == [("Bot 4", "")]
    first = drawing.columns[0][1][0]
    assert first.sentence == "Bot 4 beats Bot 1 1–0" and first.match
    (drawing,) = draw(play_out(tournament))
    assert drawing.champion == 2 and names(drawing)[1] == [("Bot 4", "Bot 2")]


def test_who_has_a_bye_or_wins_as_the_other_left_goes_on_without_a_match():
    tournament = begin(make_bots(3), KNOCKOUT)
    (drawing,) = draw(tournament)
    assert drawing.columns[0][1][0].sentence == "Bot 1 has a bye"
    loser = tournament.entrants.get(number=3)
    withdraw(entrant=loser, user=loser.bot.owner)
    advance_tournament(tournament=tournament)
    (drawing,) = draw(tournament)
    assert drawing.columns[0][1][1].sentence == "Bot 2 advances because Bot 3 has left"


def test_double_elimination_has_three_drawings():
    tournament = begin(make_bots(5), Settings(format="double-elimination"))
    assert [drawing.key for drawing in draw(tournament)] == ["W", "L", "F"]
    play_out(tournament)
    winners, losers, final = draw(tournament)
    assert winners.champion == final.champion == 1
    assert len(final.columns) == 1 and losers.columns[-1][0] == "Losers' final"


def test_a_final_that_the_unbeaten_loses_is_played_again():
    tournament = begin(make_bots(2), Settings(format="double-elimination"))
    lost = []

    def second_wins_once(bots) -> list[int]:
        rank = {"bot-1": 1, "bot-2": 2} if len(lost) != 1 else {"bot-1": 2, "bot-2": 1}
        lost.append(1)
        return [rank[bot.slug] for bot in bots]

    final = draw(play_out(tournament, second_wins_once))[-1]
    assert [column[0] for column in final.columns] == ["Final", "Second final"] and final.champion == 1


def test_the_knockout_after_groups_is_drawn_once_it_is_known():
    tournament = begin(make_bots(6), Settings(format="groups"))
    assert draw(tournament) == []
    while not draw(tournament):
        play_round(tournament)
    (drawing,) = draw(tournament)
    assert [column[0] for column in drawing.columns] == ["Semi-finals", "Final"]
    assert all(name for bout in names(drawing)[0] for name in bout)


def test_rounds_that_are_too_large_are_left_out(monkeypatch):
    monkeypatch.setattr(rounds, "MAX_BOUTS_DRAWN_PER_ROUND", 2)
    (drawing,) = draw(begin(make_bots(5), KNOCKOUT))
    assert drawing.is_cut and [len(column[1]) for column in drawing.columns] == [2, 1]
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


def tables(tournament):
    overview = fetch_overview(tournament)
    fetch_matches(overview, with_points=False)
    return make_crosstables(overview)


def cells(table) -> list[list[str]]:
    """The text of each cell, line by line; the last one is the score."""
    return [
        [
            str(row["place"]),
            row["bot"].name,
            *("".join(result["points"] for result in results or ()) for results in row["cells"]),
            row["score"],
        ]
        for row in table["rows"]
    ]


def test_everybody_stands_against_everybody():
    (table,) = tables(play_out(begin(make_bots(3), Settings(format="round-robin"))))
    assert [line[:5] for line in cells(table)] == [
        ["1", "Bot 1", "", "1", "1"],
        ["2", "Bot 2", "0", "", "1"],
        ["3", "Bot 3", "0", "0", ""],
    ]
    assert table["title"] == "Crosstable"
    assert [[results is None for results in row["cells"]].index(True) for row in table["rows"]] == [0, 1, 2]


def test_who_meets_twice_has_both_in_a_cell():
    (table,) = tables(play_out(begin(make_bots(3), Settings(format="double-round-robin"))))
    assert cells(table)[0][3] == "11" and cells(table)[1][2] == "00"


def test_a_cell_leads_to_the_first_match_and_is_open_before_that():
    tournament = begin(make_bots(3), Settings(format="round-robin"))
    (table,) = tables(tournament)
    match = PairingMatch.objects.get().match_id
    linked = [result for row in table["rows"] for results in row["cells"] for result in results or ()]
    assert [(result["points"], result["match"]) for result in linked] == [("·", match)] * 2
    assert sum(cell == "" for line in cells(table) for cell in line) == 3 + 4


def test_what_was_not_played_has_a_sign():
    tournament = begin(make_bots(3), Settings(format="round-robin"))
    leaver = tournament.entrants.get(bot=waiting(tournament)[0].participants.first().version.bot)
    withdraw(entrant=leaver, user=leaver.bot.owner)
    advance_tournament(tournament=tournament)
    (table,) = tables(tournament)
    written = {cell for line in cells(table) for cell in line[2:-1]}
    assert {"+", "−"} <= written


def test_each_group_has_its_own_in_its_own_order():
    tournament = play_out(begin(make_bots(6), Settings(format="groups")))
    one, other = tables(tournament)
    assert [one["title"], other["title"]] == ["Group A", "Group B"]
    assert [line[1] for line in cells(one)] == ["Bot 1", "Bot 4", "Bot 5"]
    assert [line[1] for line in cells(other)] == ["Bot 2", "Bot 3", "Bot 6"]


def test_other_formats_and_very_many_have_none(monkeypatch):
    bots = make_bots(4)
    assert tables(begin(bots)) == []
    monkeypatch.setattr(rounds, "MAX_CROSSTABLE_ENTRANTS", 3)
    assert tables(begin(bots, Settings(format="round-robin"))) == []


@pytest.mark.parametrize("key", ["round-robin", "double-round-robin"])
def test_rows_sum_up_to_the_score_byes_included(key: str) -> None:
    (cross,) = tables(play_out(begin(make_bots(5), Settings(format=key))))
    assert cross["has_byes"]
    for row in cross["rows"]:
        won = [float(result["points"].replace("½", ".5")) for cell in row["cells"] if cell for result in cell]
        assert sum(won) + row["byes"] == float(row["score"].replace("½", ".5"))
        assert row["byes"] == (1 if key == "round-robin" else 2)


@pytest.mark.parametrize("key", ["round-robin", "double-round-robin"])
def test_a_round_robin_has_no_columns_of_a_swiss(key: str) -> None:
    tournament = begin(make_bots(5), Settings(format=key))
    for shown in (tournament, play_out(tournament)):
        columns = build_standings_table(fetch_overview(shown))["columns"]
        assert [name for name, *_words in columns] == ["direct", "sonneborn_berger", "wins", "lot"]


def test_an_even_field_has_no_column_of_byes() -> None:
    tournament = play_out(begin(make_bots(4), Settings(format="round-robin")))
    (cross,) = tables(tournament)
    assert not cross["has_byes"] and not build_standings_table(fetch_overview(tournament))["has_byes"]


def test_a_knockout_has_no_tie_breaks_and_nothing_is_placed_before_the_first_result() -> None:
    tournament = begin(make_bots(4), Settings(format="single-elimination"))
    before = build_standings_table(fetch_overview(tournament))
    assert before["columns"] == [] and not any(row["is_ranked"] for row in before["rows"])
    after = build_standings_table(fetch_overview(play_out(tournament)))
    assert after["columns"] == [] and all(row["is_ranked"] for row in after["rows"])

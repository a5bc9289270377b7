import pytest

from arena.pages.tournaments import crosstable
from arena.pages.tournaments.crosstable import make_crosstables
from arena.pages.tournaments.table import build_table
from arena.tournaments.models import PairingMatch
from arena.tournaments.queries.overview import fetch_matches, fetch_overview
from arena.tournaments.services.entering import withdraw
from arena.tournaments.services.playing import advance_tournament
from arena.tournaments.settings import Settings
from tests.arena.tournaments.world import begin, make_bots, play_out, waiting

pytestmark = pytest.mark.django_db


def tables(tournament):
    overview = fetch_overview(tournament)
    fetch_matches(overview, with_points=False)
    return make_crosstables(overview)


def cells(table) -> list[list[str]]:
    """The text of each cell, line by line; the last one is the score."""
    return [
        [
            str(row.place),
            row.bot.name,
            *("".join(result.points for result in results or ()) for results in row.cells),
            row.score,
        ]
        for row in table.rows
    ]


def test_everybody_stands_against_everybody():
    (table,) = tables(play_out(begin(make_bots(3), Settings(format="round-robin"))))
    assert [line[:5] for line in cells(table)] == [
        ["1", "Bot 1", "", "1", "1"],
        ["2", "Bot 2", "0", "", "1"],
        ["3", "Bot 3", "0", "0", ""],
    ]
    assert table.title == "Crosstable"
    assert [[results is None for results in row.cells].index(True) for row in table.rows] == [0, 1, 2]


def test_who_meets_twice_has_both_in_a_cell():
    (table,) = tables(play_out(begin(make_bots(3), Settings(format="double-round-robin"))))
    assert cells(table)[0][3] == "11" and cells(table)[1][2] == "00"


def test_a_cell_leads_to_the_first_match_and_is_open_before_that():
    tournament = begin(make_bots(3), Settings(format="round-robin"))
    (table,) = tables(tournament)
    match = PairingMatch.objects.get().match_id
    linked = [result for row in table.rows for results in row.cells for result in results or ()]
    assert [(result.points, result.match) for result in linked] == [("·", match)] * 2
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
    assert [one.title, other.title] == ["Group A", "Group B"]
    assert [line[1] for line in cells(one)] == ["Bot 1", "Bot 4", "Bot 5"]
    assert [line[1] for line in cells(other)] == ["Bot 2", "Bot 3", "Bot 6"]


def test_other_formats_and_very_many_have_none(monkeypatch):
    bots = make_bots(4)
    assert tables(begin(bots)) == []
    monkeypatch.setattr(crosstable, "MAX_CROSSTABLE_ENTRANTS", 3)
    assert tables(begin(bots, Settings(format="round-robin"))) == []


@pytest.mark.parametrize("key", ["round-robin", "double-round-robin"])
def test_rows_sum_up_to_the_score_byes_included(key: str) -> None:
    (cross,) = tables(play_out(begin(make_bots(5), Settings(format=key))))
    assert cross.has_byes
    for row in cross.rows:
        won = [float(result.points.replace("½", ".5")) for cell in row.cells if cell for result in cell]
        assert sum(won) + row.byes == float(row.score.replace("½", ".5"))
        assert row.byes == (1 if key == "round-robin" else 2)


def test_an_even_field_has_no_column_of_byes() -> None:
    tournament = play_out(begin(make_bots(4), Settings(format="round-robin")))
    (cross,) = tables(tournament)
    assert not cross.has_byes and not build_table(fetch_overview(tournament)).has_byes


def test_a_knockout_has_no_tie_breaks_and_nothing_is_placed_before_the_first_result() -> None:
    tournament = begin(make_bots(4), Settings(format="single-elimination"))
    before = build_table(fetch_overview(tournament))
    assert before.columns == [] and not any(row.is_ranked for row in before.rows)
    after = build_table(fetch_overview(play_out(tournament)))
    assert after.columns == [] and all(row.is_ranked for row in after.rows)

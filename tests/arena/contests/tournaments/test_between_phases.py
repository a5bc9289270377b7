"""What may happen while one phase of a tournament is over and the next is drawn."""

import pytest

from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.entering import disqualify, withdraw
from arena.contests.tournaments.services.organising import replay_rounds
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from tests.arena.contests.tournaments.world import begin, favourite, finish, make_bots, play_out, play_round

pytestmark = pytest.mark.django_db


def read_draw(tournament: Tournament) -> dict[str, list[int | None]]:
    """The seeds in each pairing of the current round, by the names of the pairings."""
    last = tournament.rounds.get(is_latest_attempt=True, finished_at=None)
    return {
        pairing.name: list(pairing.seats.order_by("index").values_list("entrant__number", flat=True))
        for pairing in last.pairings.order_by("board")
    }


def test_who_leaves_between_the_phases_makes_room_and_who_leaves_later_loses():
    tournament = begin(make_bots(7), Settings(format="swiss-knockout", rounds=2, third_place_match=True))
    play_round(tournament)
    first, second = (tournament.entrants.get(number=number) for number in (1, 2))
    own = tournament.rounds.get(finished_at=None).pairings.get(seats__entrant=first)
    finish(own.pairing_matches.get().match, [1, 2])
    advance_tournament(tournament=tournament)
    withdraw(entrant=first, user=first.bot.owner)
    play_round(tournament)
    drawn = read_draw(tournament)
    assert list(drawn) == ["W1.1", "W1.2"] and 1 not in [*drawn["W1.1"], *drawn["W1.2"]]
    disqualify(entrant=second, organiser=tournament.organiser, reason="Told not to.")
    advance_tournament(tournament=tournament)
    play_out(tournament)
    places = dict(tournament.entrants.values_list("number", "place"))
    assert places[2] is None and places[3] == 1 and (places[1] or 0) > 3
    assert sorted(place for place in places.values() if place) == [1, 2, 3, 4, 5, 6]


def test_if_the_first_phase_is_replayed_the_knockout_is_drawn_again():
    tournament = begin(make_bots(6), Settings(format="swiss-knockout", rounds=2))
    play_round(play_round(tournament))
    before = read_draw(tournament)
    replay_rounds(tournament=tournament, organiser=tournament.organiser, number=2, reason="Wrong rules.")
    advance_tournament(tournament=tournament)
    assert list(read_draw(tournament)) == [""]
    play_round(tournament, lambda bots: favourite(bots)[::-1])
    assert list(read_draw(tournament)) == list(before) and read_draw(tournament) != before
    play_out(tournament)
    assert (
        tournament.state == Tournament.State.FINISHED and tournament.rounds.filter(is_latest_attempt=True).count() == 4
    )

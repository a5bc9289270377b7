"""Pairings are decided after the fact: what was drawn stays, what counts follows, and both are checked."""

from collections.abc import Callable
from copy import deepcopy

import pytest
from django.test import Client

from arena.contests.tournaments.document import list_problems, read_document
from arena.contests.tournaments.models import OrganiserAct, OrganiserActKind, Pairing, Round, Tournament
from arena.contests.tournaments.overview import fetch_overview
from arena.contests.tournaments.services.matches import read_standings
from arena.contests.tournaments.services.organising import cancel, replay_rounds
from arena.contests.tournaments.services.playing import (
    DecidedOutcome,
    PairingDecision,
    advance_tournament,
    decide_pairing,
    undo_decision,
)
from arena.contests.tournaments.settings import GAME_POINTS, Settings
from arena.core.errors import ArenaError, Conflict
from arena.matches.models import Match
from arena.people.notices.models import Event, Notice
from engine.core import Json
from tests.arena.contests.tournaments.world import begin, make_bots, placing, play_out, play_round

pytestmark = pytest.mark.django_db
FORMATS = {
    "swiss": Settings(format="swiss", rounds=3),
    "game points": Settings(format="swiss", rounds=3, scoring=GAME_POINTS),
    "round robin": Settings(format="round-robin"),
    "knockout": Settings(format="single-elimination", third_place_match=True),
    "double": Settings(format="double-elimination"),
    "swiss and knockout": Settings(format="swiss-knockout", rounds=2, knockout_size=4),
    "groups": Settings(format="groups", groups=2, advance_per_group=2),
}


def find(tournament: Tournament, number: int, board: int = 1) -> Pairing:
    rounds = Round.objects.latest_attempts().filter(tournament=tournament, number=number)
    return Pairing.objects.get(round__in=rounds, board=board)


def name_bots(pairing: Pairing) -> list[str]:
    return [seat.entrant.bot.slug for seat in pairing.seats.select_related("entrant__bot")]


def find_loser(pairing: Pairing) -> str:
    return pairing.seats.order_by("points").first().entrant.bot.slug


def turn(tournament: Tournament, number: int, board: int = 1) -> str:
    """Give the win to who has lost, and return its slug."""
    loser = find_loser(find(tournament, number, board))
    decision = PairingDecision(DecidedOutcome.WIN, "The winner had read its hand.", loser)
    decide_pairing(tournament=tournament, organiser=tournament.organiser, number=number, board=board, decision=decision)
    tournament.refresh_from_db()
    return loser


def undo(tournament: Tournament, number: int, board: int = 1, reason: str = "It had not.") -> None:
    undo_decision(tournament=tournament, organiser=tournament.organiser, number=number, board=board, reason=reason)
    tournament.refresh_from_db()


def fetch(tournament: Tournament) -> Json:
    found: Json = Client().get(f"/tournaments/{tournament.slug}/tournament.json").json()
    return found


def problems(found: Json) -> list[str]:
    return list(list_problems(read_document(found)))


def points_by_bot(tournament: Tournament) -> dict[str, float]:
    bots = fetch_overview(tournament).by_number
    return {bots[one.number].bot.slug: one.points for one in read_standings(tournament)}


@pytest.mark.parametrize("settings", FORMATS.values(), ids=FORMATS)
def test_every_format_goes_on_from_a_decision_and_is_checked_with_it(settings: Settings) -> None:
    tournament = play_round(begin(make_bots(8), settings))
    drawn = fetch_overview(tournament).boards

    winner = turn(tournament, 1)
    assert fetch_overview(tournament).boards.keys() == drawn.keys()
    assert find(tournament, 1).seats.get(entrant__bot__slug=winner).points == 1
    assert problems(fetch(tournament)) == []
    play_round(tournament)
    turn(tournament, 1, board=2)
    turn(tournament, 2)
    undo(tournament, 1)
    assert problems(fetch(tournament)) == []
    play_out(tournament)
    found = fetch(tournament)
    assert tournament.state == Tournament.State.FINISHED and found["secret"] and problems(found) == []


def test_decision_stands_above_matches_that_stay_as_they_are() -> None:
    tournament = play_round(begin(make_bots(4), Settings(format="swiss", rounds=2)))
    before = fetch(tournament)["rounds"][0]["pairings"][0]
    winner = turn(tournament, 1)
    after = fetch(tournament)["rounds"][0]["pairings"][0]
    assert after["matches"] == before["matches"] and after["points"] == before["points"][::-1]
    assert points_by_bot(tournament)[winner] == 1
    pairings = fetch(tournament)["rounds"][1]["pairings"]
    assert len(pairings) == 2, "the round that was drawn stays"
    act = OrganiserAct.objects.get(tournament=tournament, act=OrganiserActKind.DECIDE_PAIRING)
    assert (act.reason, act.is_public) == ("The winner had read its hand.", True)
    undo(tournament, 1)
    assert fetch(tournament)["rounds"][0]["pairings"][0]["points"] == before["points"]
    assert OrganiserAct.objects.filter(tournament=tournament, act=OrganiserActKind.UNDO_DECISION).exists()


def test_bots_whose_result_was_decided_do_not_meet_again() -> None:
    tournament = play_round(begin(make_bots(4), Settings(format="swiss", rounds=3)))
    turn(tournament, 1)
    play_out(tournament)
    met = [frozenset(name_bots(pairing)) for pairing in Pairing.objects.filter(round__tournament=tournament)]
    assert len(set(met)) == len(met) == 6


def change_points(found: Json) -> None:
    found["rounds"][0]["pairings"][0]["given_points"].reverse()


def change_points_everywhere(found: Json) -> None:
    pairing = found["rounds"][0]["pairings"][0]
    pairing["given_points"].reverse()
    pairing["decisions"][-1]["given_points"].reverse()


def forget_decisions(found: Json) -> None:
    found["rounds"][0]["pairings"][0]["decisions"] = []


def date_back(found: Json) -> None:
    found["rounds"][0]["pairings"][0]["decisions"][0]["after"] = 1


def drop_decision(found: Json) -> None:
    pairing = found["rounds"][0]["pairings"][0]
    pairing["given_points"], pairing["decisions"] = None, []


def keep_old_places(found: Json) -> None:
    found["standings"][0]["points"], found["standings"][1]["points"] = 2.0, 1.0
    found["standings"][0]["place"], found["standings"][1]["place"] = 2, 1


TAMPERED: dict[Callable[[Json], None], str] = {
    change_points: "its decisions don't lead to what is given now",
    change_points_everywhere: "does not follow from what its organiser decided",
    forget_decisions: "round 2 has other pairings",
    date_back: "round 2 has other pairings",
    drop_decision: "does not follow from its matches",
    keep_old_places: "in the standings",
}


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda one: one.__name__)
def test_document_with_a_tampered_decision_is_refuted(tamper: Callable[[Json], None]) -> None:
    tournament = play_round(begin(make_bots(4), Settings(format="swiss", rounds=2)))
    turn(tournament, 1)
    play_out(tournament)
    found = fetch(tournament)
    assert problems(found) == []
    changed = deepcopy(found)
    tamper(changed)
    assert any(TAMPERED[tamper] in one for one in problems(changed)), problems(changed)


def test_bracket_goes_on_as_it_was_drawn_until_it_is_drawn_again() -> None:
    tournament = play_round(begin(make_bots(4), Settings(format="single-elimination")))
    final = name_bots(find(tournament, 2))
    winner = turn(tournament, 1)
    assert winner not in final and name_bots(find(tournament, 2)) == final
    play_out(tournament, lambda bots: [1, 2])
    assert tournament.entrants.get(place=1).bot.slug == final[0] and problems(fetch(tournament)) == []
    with pytest.raises(Conflict, match="only while the tournament is running"):
        replay_rounds(tournament=tournament, organiser=tournament.organiser, number=2, reason="It was wrong.")


def test_round_that_is_drawn_again_follows_the_decision() -> None:
    tournament = play_round(begin(make_bots(4), Settings(format="single-elimination")))
    winner, old = turn(tournament, 1), find(tournament, 2)
    assert fetch_overview(tournament).boards[find(tournament, 1).round_id][0].stale_rounds == [2]
    replay_rounds(tournament=tournament, organiser=tournament.organiser, number=2, reason="Drawn again.")
    advance_tournament(tournament=tournament)
    assert winner in name_bots(find(tournament, 2)) and find(tournament, 2) != old
    assert fetch_overview(tournament).boards[find(tournament, 1).round_id][0].stale_rounds == []
    assert old.pairing_matches.get().match.state == Match.State.VOID
    tournament.refresh_from_db()
    play_out(tournament)
    assert problems(fetch(tournament)) == []


def test_places_of_a_finished_tournament_follow_and_who_moved_is_told() -> None:
    tournament = play_out(begin(make_bots(4), Settings(format="single-elimination")))
    first, second = (name for _place, name in placing(tournament)[:2])
    Notice.objects.all().delete()
    assert turn(tournament, 2) == tournament.entrants.get(bot__name=second).bot.slug
    assert tournament.state == Tournament.State.FINISHED
    assert [name for _place, name in placing(tournament)[:2]] == [second, first]
    told = Notice.objects.filter(event=Event.TOURNAMENT_FINISHED)
    said = sorted(str(notice.text).rsplit(": ", 1)[1] for notice in told)
    assert said == sorted([f"{second} is now 1st.", f"{first} is now 2nd."])
    undo(tournament, 2)
    assert [name for _place, name in placing(tournament)[:2]] == [first, second]
    assert problems(fetch(tournament)) == []


def test_final_of_two_brackets_decided_after_the_end_shares_first_place() -> None:
    tournament = play_out(begin(make_bots(4), Settings(format="double-elimination")))
    last = Round.objects.latest_attempts().filter(tournament=tournament).last()
    turn(tournament, last.number)
    assert [place for place, _slug in placing(tournament)] == [1, 1, 3, 4]
    assert problems(fetch(tournament)) == []


def test_what_cannot_be_decided_later_is_refused() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    decision = PairingDecision(DecidedOutcome.EVEN, "Both machines burnt.")
    place = {"tournament": tournament, "organiser": tournament.organiser}
    decide_pairing(**place, number=1, board=1, decision=decision)
    play_round(tournament)
    with pytest.raises(Conflict, match="weren't played"):
        undo(tournament, 1)
    turn(tournament, 1, board=2)
    with pytest.raises(ArenaError, match="Give a reason"):
        undo(tournament, 1, board=2, reason=" ")
    with pytest.raises(Conflict, match="hasn't started"):
        decide_pairing(**place, number=3, board=1, decision=decision)
    undo(tournament, 1, board=2)
    with pytest.raises(Conflict, match="wasn't decided by an organiser"):
        undo(tournament, 1, board=2)
    cancel(tournament=tournament, organiser=tournament.organiser)
    with pytest.raises(Conflict, match="unless it was cancelled"):
        decide_pairing(**place, number=1, board=2, decision=decision)


def test_rows_and_documents_from_before_decisions_were_kept_are_checked_and_decided() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    decision = PairingDecision(DecidedOutcome.EVEN, "Both machines burnt.")
    place = {"tournament": tournament, "organiser": tournament.organiser}
    decide_pairing(**place, number=1, board=1, decision=decision)
    Pairing.objects.update(decisions=[])
    play_round(tournament)
    found = fetch(tournament)
    for each in found["rounds"]:
        del each["order"]
        for pairing in each["pairings"]:
            del pairing["decisions"]
    assert problems(found) == []
    winner = name_bots(find(tournament, 1))[0]
    decide_pairing(**place, number=1, board=1, decision=PairingDecision(DecidedOutcome.WIN, "One of them.", winner))
    tournament.refresh_from_db()
    play_out(tournament)
    assert problems(fetch(tournament)) == []

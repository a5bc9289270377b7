"""Organisers decide pairings, and everything that is shown, exported and checked follows."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from arena.accounts.models import User
from arena.bot_acts.renaming import rename_bot_everywhere
from arena.errors import ArenaError, Conflict, NotYours
from arena.matches.models import Match
from arena.notices.models import Notice
from arena.tournaments.acts import Act
from arena.tournaments.document import list_problems, read_document
from arena.tournaments.models import OrganiserAct, Pairing, Tournament
from arena.tournaments.queries.overview import fetch_overview
from arena.tournaments.services.deciding import Outcome, PairingDecision, decide_pairing, undo_decision
from arena.tournaments.services.organisers import add_co_organiser
from arena.tournaments.services.organising import pause
from arena.tournaments.services.playing import advance_tournament
from arena.tournaments.services.recording import forget_name_in_acts
from arena.tournaments.services.rows import read_standings
from arena.tournaments.settings import GAME_POINTS, Settings
from engine.core import Json
from tests.arena.tournaments.world import begin, finish, make_bots, placing, play_out, play_round, waiting

pytestmark = pytest.mark.django_db


def decide(tournament: Tournament, board: int, outcome: Outcome, winner: str = "", number: int = 1) -> Pairing:
    return decide_pairing(
        tournament=tournament,
        organiser=tournament.organiser,
        number=number,
        board=board,
        decision=PairingDecision(outcome, "Its machine burnt.", winner),
    )


def fetch(tournament: Tournament) -> Json:
    found: Json = Client().get(f"/tournaments/{tournament.slug}/tournament.json").json()
    return found


def problems(tournament: Tournament) -> list[str]:
    return list(list_problems(read_document(fetch(tournament))))


def slugs(tournament: Tournament, board: int) -> list[str]:
    pairing = Pairing.objects.get(round__tournament=tournament, round__is_latest_attempt=True, board=board)
    return [seat.entrant.bot.slug for seat in pairing.seats.select_related("entrant__bot")]


def test_given_win_counts_as_a_walkover_and_cancels_what_waits() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2, matches_per_pairing=3))
    loser = slugs(tournament, 1)[0]
    winner = slugs(tournament, 1)[1]
    decide(tournament, 1, Outcome.WIN, winner)
    assert Match.objects.filter(pairing_match__pairing__board=1, state=Match.State.QUEUED).count() == 0
    play_round(tournament)
    lines = {fetch_overview(tournament).by_number[one.number].bot.slug: one for one in read_standings(tournament)}
    assert (lines[winner].points, lines[winner].byes, lines[winner].played) == (1, 1, 0)
    assert (lines[loser].points, lines[loser].byes, lines[loser].losses) == (0, 0, 0)
    assert problems(tournament) == []


def test_even_and_lost_results_are_recomputed_from_the_document() -> None:
    tournament = begin(make_bots(4), Settings(format="round-robin", scoring=GAME_POINTS))
    decide(tournament, 1, Outcome.EVEN)
    decide(tournament, 2, Outcome.LOST)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert problems(tournament) == []
    play_out(tournament)
    assert tournament.state == Tournament.State.FINISHED
    found = fetch(tournament)
    assert found["secret"] and problems(tournament) == []
    assert [one["given_points"] for one in found["rounds"][0]["pairings"]] == [[0.5, 0.5], [0.0, 0.0]]
    assert sorted(place for place, _bot in placing(tournament) if place) == [1, 2, 3, 4]
    assert [line["act"] for line in found["decisions"]].count(Act.DECIDE_PAIRING) == 2


def test_document_with_other_given_points_is_refuted() -> None:
    tournament = begin(make_bots(4), Settings(format="single-elimination"))
    decide(tournament, 1, Outcome.WIN, slugs(tournament, 1)[1])
    play_out(tournament)
    found = fetch(tournament)
    found["rounds"][0]["pairings"][0]["given_points"] = [0.5, 0.5]
    assert "what its organiser decided" in next(iter(list_problems(read_document(found))))


def test_who_advances_cannot_be_even() -> None:
    tournament = begin(make_bots(4), Settings(format="single-elimination"))
    for outcome in (Outcome.EVEN, Outcome.LOST):
        with pytest.raises(ArenaError, match="has to win"):
            decide(tournament, 1, outcome)
    decide(tournament, 1, Outcome.WIN, slugs(tournament, 1)[1])
    assert play_out(tournament).state == Tournament.State.FINISHED
    assert problems(tournament) == []


def test_decision_is_taken_back_until_the_next_round_has_started() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    organiser = tournament.organiser
    running = waiting(tournament)[0]
    Match.objects.filter(pk=running.pk).update(state=Match.State.RUNNING)
    board = running.pairing_match.pairing.board
    decide(tournament, board, Outcome.WIN, slugs(tournament, board)[0])
    undo_decision(tournament=tournament, organiser=organiser, number=1, board=board, reason="Wrong board.")
    pairing = Pairing.objects.get(round__tournament=tournament, board=board)
    assert (pairing.is_over, pairing.given_points, pairing.given_reason) == (False, None, "")
    advance_tournament(tournament=tournament)
    assert len(waiting(tournament)) == 2, "the match is queued again with its number"
    decide(tournament, board, Outcome.EVEN)
    play_round(tournament)
    with pytest.raises(Conflict, match="isn't the current one"):
        undo_decision(tournament=tournament, organiser=organiser, number=1, board=board)
    finish(running, [1, 2])
    assert problems(tournament) == [], "a match that ends late decides nothing"


def test_decided_pairings_and_other_people_are_refused() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    stranger = User.objects.create_user("stranger")
    good = PairingDecision(Outcome.EVEN, "Both machines burnt.")
    with pytest.raises(NotYours):
        decide_pairing(tournament=tournament, organiser=stranger, number=1, board=1, decision=good)
    with pytest.raises(ArenaError, match="Give a reason"):
        silent = PairingDecision(Outcome.EVEN, " ")
        decide_pairing(tournament=tournament, organiser=tournament.organiser, number=1, board=1, decision=silent)
    with pytest.raises(ArenaError, match="Choose which"):
        decide(tournament, 1, Outcome.WIN, slugs(tournament, 2)[0])
    with pytest.raises(Conflict, match="has no board 9"):
        decide(tournament, 9, Outcome.EVEN)
    with pytest.raises(Conflict, match="No organiser has decided"):
        undo_decision(tournament=tournament, organiser=tournament.organiser, number=1, board=1)
    decide(tournament, 1, Outcome.EVEN)
    with pytest.raises(Conflict, match="decided already"):
        decide(tournament, 1, Outcome.LOST)


def test_authors_are_told_and_the_act_is_recorded() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    pause(tournament=tournament, organiser=tournament.organiser, reason="Lunch.")
    decide(tournament, 1, Outcome.WIN, slugs(tournament, 1)[0])
    told = Notice.objects.filter(url=f"/tournaments/{tournament.slug}/rounds/1/")
    assert len({notice.user for notice in told}) == 2
    assert all("Its machine burnt." in str(notice.text) for notice in told)
    acts = list(OrganiserAct.objects.filter(tournament=tournament).values_list("act", "reason", "is_public"))
    assert acts[:2] == [(Act.DECIDE_PAIRING, "Its machine burnt.", True), (Act.PAUSE, "Lunch.", True)]


def test_name_of_a_co_organiser_is_forgotten_with_the_account() -> None:
    tournament, mari = begin(make_bots(2)), User.objects.create_user("mari")
    add_co_organiser(tournament=tournament, organiser=tournament.organiser, username="mari")
    forget_name_in_acts(user=mari, name="mari", pseudonym="author-7")
    acts = [str(act.text) for act in OrganiserAct.objects.filter(act=Act.ADD_ORGANISER)]
    assert acts == ["author-7 organises it, too"] and not tournament.co_organisers.exists()


def test_renamed_bot_has_its_new_name_in_the_record() -> None:
    bots = make_bots(2)
    tournament = begin(bots, Settings(format="swiss", rounds=1))
    decide(tournament, 1, Outcome.WIN, bots[0].slug)
    rename_bot_everywhere(bot=bots[0], name="Lark", in_records=False)
    text = str(OrganiserAct.objects.get(act=Act.DECIDE_PAIRING).text)
    assert "Lark wins" in text and "Bot 1" not in text and "Bot 2" in text


def test_command_decides_and_takes_back(capsys: pytest.CaptureFixture[str]) -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    place, why = [tournament.slug, "1", "1"], ["--why", "It rains."]
    call_command("decide_pairing", *place, "--winner", slugs(tournament, 1)[1], *why)
    assert Pairing.objects.get(round__tournament=tournament, board=1).given_points == [0.0, 1.0]
    call_command("decide_pairing", *place, "--undo", *why)
    assert not Pairing.objects.get(round__tournament=tournament, board=1).is_over
    call_command("decide_pairing", *place, "--even", *why, "--by", "olga")
    assert "Board 1 of round 1 is decided." in capsys.readouterr().out
    with pytest.raises(CommandError, match="decided already"):
        call_command("decide_pairing", *place, "--lost", *why)
    with pytest.raises(CommandError, match="Only the organiser"):
        call_command("decide_pairing", *place, "--lost", *why, "--by", "author1")
    with pytest.raises(CommandError, match="no tournament at"):
        call_command("decide_pairing", "spring-cup", "1", "1", "--even", *why)

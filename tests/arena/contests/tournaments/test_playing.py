"""How a tournament goes from the draft to its end, and what may come between."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.contests.ladders.models import LadderMatch
from arena.contests.ladders.services.entering import enter_version as enter_ladder
from arena.contests.lifecycle import forget_name_in_acts
from arena.contests.tournaments.document import list_problems, read_document
from arena.contests.tournaments.models import (
    Entrant,
    OrganiserAct,
    OrganiserActKind,
    Pairing,
    PairingMatch,
    Round,
    Tournament,
)
from arena.contests.tournaments.overview import fetch_overview
from arena.contests.tournaments.queries import find_tournament_of_match
from arena.contests.tournaments.services.access import add_co_organiser
from arena.contests.tournaments.services.entering import disqualify, enter, withdraw
from arena.contests.tournaments.services.matches import read_rounds, read_standings
from arena.contests.tournaments.services.organising import (
    TournamentPlan,
    cancel,
    close_entries,
    create,
    delete_tournament,
    edit,
    open_entries,
    pause,
    replay_rounds,
    resume,
)
from arena.contests.tournaments.services.playing import (
    DecidedOutcome,
    PairingDecision,
    advance_tournament,
    decide_pairing,
    undo_decision,
)
from arena.contests.tournaments.settings import GAME_POINTS, Settings
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.matches.models import Match
from arena.operations.lifecycle import rename_bot_everywhere
from arena.people.accounts.models import User
from arena.people.notices.models import Event, Notice
from engine.core import Json
from engine.message import literal
from tests.arena.contests.tournaments.world import (
    begin,
    favourite,
    finish,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    placing,
    play_out,
    play_round,
    waiting,
)

State = Tournament.State
KNOCKOUT = Settings(format="single-elimination")
pytestmark = pytest.mark.django_db


def look_again(tournament: Tournament) -> Tournament:
    tournament.refresh_from_db()
    return tournament


@pytest.mark.parametrize(
    "format",
    [
        "swiss",
        "round-robin",
        "double-round-robin",
        "single-elimination",
        "double-elimination",
        "groups",
        "swiss-knockout",
    ],
)
def test_every_format_comes_to_its_end_and_the_best_wins(format):
    tournament = play_out(begin(make_bots(4), Settings(format=format)))
    assert tournament.state == State.FINISHED and tournament.finished_at
    assert placing(tournament)[0] == (1, "Bot 1")
    assert not Match.objects.queued().exists()
    assert len(read_rounds(tournament)) == Round.objects.filter(finished_at__isnull=False).count()


def test_going_on_again_changes_nothing():
    tournament = begin(make_bots(5))
    before = (Match.objects.count(), Round.objects.count(), Pairing.objects.count())
    for _ in range(3):
        assert advance_tournament(tournament=tournament) == []
    assert (Match.objects.count(), Round.objects.count(), Pairing.objects.count()) == before


def test_the_next_round_waits_for_the_last_match_of_this_one():
    tournament = begin(make_bots(4))
    first, second = waiting(tournament)
    finish(first, [1, 2])
    assert advance_tournament(tournament=tournament) == [] and Round.objects.count() == 1
    finish(second, [1, 2])
    assert len(advance_tournament(tournament=tournament)) == 2 and Round.objects.count() == 2


def test_seeds_follow_the_ladder_and_then_the_order_of_entry(ladder):
    bots = make_bots(4)
    for bot, rating in ((bots[2], 1700.0), (bots[3], 1600.0)):
        entry = enter_ladder(ladder=ladder, version=bot.versions.get())
        entry.rating, entry.is_ranked = rating, True
        entry.save()
    tournament = begin(bots)
    seeded = Entrant.objects.seeded().filter(tournament=tournament).values_list("number", "bot__name", "rating")
    assert list(seeded) == [(1, "Bot 3", 1700.0), (2, "Bot 4", 1600.0), (3, "Bot 1", None), (4, "Bot 2", None)]


def test_the_deadline_freezes_and_begins_by_itself():
    tournament = make_tournament(make_bots(3), entries_close_at=now() + timedelta(hours=1))
    pass_checks(tournament)
    assert look_again(tournament).state == State.OPEN
    Tournament.objects.update(
        entries_close_at=now() - timedelta(seconds=1), last_advanced_at=now() - timedelta(minutes=1)
    )
    assert list(Tournament.objects.stalled()) == [tournament]
    advance_tournament(tournament=tournament)
    assert look_again(tournament).state == State.RUNNING
    assert Notice.objects.filter(event=Event.TOURNAMENT_STARTED).count() == 3


def test_who_fails_its_check_is_told_and_left_out():
    bots = make_bots(3)
    tournament = make_tournament(bots)
    pass_checks(tournament, failing=bots[:1])
    failed = Entrant.objects.get(bot=bots[0])
    assert failed.state == Entrant.State.FAILED and str(failed.state_reason) == "Crashed during its check."
    assert str(failed.state_detail) == "It ended."
    told = {notice.user: str(notice.text) for notice in Notice.objects.filter(event=Event.TOURNAMENT_CHECK)}
    assert told.keys() == {bots[0].owner, tournament.organiser}
    assert "Upload a better version before entries close." in told[bots[0].owner]
    close_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    assert look_again(tournament).state == State.RUNNING
    assert [name for _, name in placing(tournament)] == ["Bot 2", "Bot 3"]


def test_a_void_check_says_nothing_of_a_bot_and_is_made_again():
    tournament = make_tournament(make_bots(1))
    (check,) = advance_tournament(tournament=tournament)
    Match.objects.filter(pk=check.pk).update(state=Match.State.VOID, finished_at=now(), settled_at=now())
    assert len(advance_tournament(tournament=tournament)) == 1
    assert Entrant.objects.get().state == Entrant.State.CHECKING


def test_with_fewer_than_two_it_waits_for_the_organiser_who_opens_entries_again():
    bots = make_bots(3)
    tournament = begin(bots[:1])
    assert tournament.state == State.PAUSED and "It needs two ready bots to start, but has 1" in str(
        tournament.state_reason
    )
    open_entries(tournament=tournament, organiser=tournament.organiser)
    tournament.refresh_from_db()
    assert (tournament.state, tournament.entries_close_at, tournament.state_reason) == (State.OPEN, None, None)
    enter(tournament=tournament, bot=bots[1], user=bots[1].owner)
    pass_checks(tournament)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.state == State.RUNNING
    with pytest.raises(Conflict, match="entries are closed"):
        open_entries(tournament=tournament, organiser=tournament.organiser)


def test_settings_that_so_few_can_not_play_wait_for_the_organiser():
    tournament = begin(make_bots(3), Settings(format="groups"))
    assert tournament.state == State.PAUSED and "groups need at least 4" in str(tournament.state_reason)
    tournament = begin(list(Bot.objects.order_by("pk")), Settings(format="swiss-knockout"), title="Other Cup")
    assert tournament.state == State.PAUSED and "needs at least 4 entrants, not 3" in str(tournament.state_reason)


def test_a_pairing_of_several_matches_is_counted_when_all_are_over():
    tournament = begin(make_bots(2), Settings(format="round-robin", matches_per_pairing=3))
    first, second, third = waiting(tournament)
    for match, places in ((first, [1, 2]), (second, [2, 1]), (third, [1, 2])):
        assert not Pairing.objects.get().is_over
        finish(match, places)
        advance_tournament(tournament=tournament)
    assert list(Pairing.objects.get().seats.values_list("points", "game_points")) == [(1.0, 26.0), (0.0, 22.0)]
    assert look_again(tournament).state == State.FINISHED


def test_a_best_of_three_ends_when_it_can_not_be_turned():
    tournament = begin(make_bots(2), Settings(format="single-elimination", matches_per_pairing=3))
    for _ in range(2):
        (match,) = waiting(tournament)
        finish(match, [1, 2])
        advance_tournament(tournament=tournament)
    assert look_again(tournament).state == State.FINISHED and PairingMatch.objects.count() == 2


def test_an_even_knockout_plays_on_and_then_the_better_seed_goes_through():
    tournament = begin(
        make_bots(2), Settings(format="single-elimination", matches_per_pairing=1, max_tiebreak_matches=2)
    )
    for _ in range(3):
        (match,) = waiting(tournament)
        finish(match, [1, 1])
        advance_tournament(tournament=tournament)
    assert placing(look_again(tournament)) == [(1, "Bot 1"), (2, "Bot 2")]


def test_a_void_match_is_made_again_on_the_same_deal_and_after_three_people_look_at_it():
    tournament = begin(make_bots(2))
    deals = []
    for _ in range(3):
        (match,) = waiting(tournament)
        deals.append(match.deal)
        Match.objects.filter(pk=match.pk).update(state=Match.State.VOID, finished_at=now())
        advance_tournament(tournament=tournament)
    assert deals[0] == deals[1] == deals[2]
    assert look_again(tournament).state == State.PAUSED and "in round 1 after 3 attempts" in str(
        tournament.state_reason
    )
    resume(tournament=tournament, organiser=tournament.organiser)
    assert len(advance_tournament(tournament=tournament)) == 1


def test_a_pause_takes_out_what_waits_and_resuming_puts_it_back_with_the_same_deals():
    tournament = begin(make_bots(4))
    before = {(match.pairing_match.pairing_id): match.deal for match in waiting(tournament)}
    pause(tournament=tournament, organiser=tournament.organiser)
    assert not waiting(tournament) and advance_tournament(tournament=tournament) == []
    resume(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    assert {(match.pairing_match.pairing_id): match.deal for match in waiting(tournament)} == before
    assert play_out(look_again(tournament)).state == State.FINISHED


def test_what_ends_in_a_pause_counts():
    tournament = begin(make_bots(2), Settings(format="round-robin"))
    (match,) = waiting(tournament)
    Match.objects.filter(pk=match.pk).update(state=Match.State.RUNNING)
    pause(tournament=tournament, organiser=tournament.organiser)
    finish(match, [2, 1])
    assert advance_tournament(tournament=tournament) == []
    resume(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    assert placing(look_again(tournament)) == [(1, "Bot 2"), (2, "Bot 1")]


def test_who_withdraws_in_the_middle_loses_what_goes_on_and_is_paired_no_more():
    bots = make_bots(4)
    tournament = begin(bots, Settings(rounds=3))
    entrant = Entrant.objects.get(bot=bots[0])
    withdraw(entrant=entrant, user=bots[0].owner)
    advance_tournament(tournament=tournament)
    tournament = play_out(look_again(tournament))
    assert tournament.state == State.FINISHED
    last = Pairing.objects.filter(round__number=1, seats__entrant=entrant).get()
    assert not last.played and last.seats.get(entrant=entrant).points == 0
    assert not Pairing.objects.filter(round__number__gt=1, seats__entrant=entrant).exists()


def test_who_is_disqualified_from_a_bracket_lets_the_other_through():
    bots = make_bots(4)
    tournament = begin(bots, KNOCKOUT)
    with pytest.raises(NotYours):
        disqualify(entrant=Entrant.objects.get(bot=bots[0]), organiser=bots[1].owner, reason="Spite.")
    disqualify(entrant=Entrant.objects.get(bot=bots[0]), organiser=tournament.organiser, reason="Copied files.")
    advance_tournament(tournament=tournament)
    play_out(look_again(tournament))
    assert {(1, "Bot 2"), (None, "Bot 1")} <= set(placing(tournament))
    assert "Copied files." in str(Notice.objects.get(event=Event.TOURNAMENT_LEFT).text)


def test_everybody_may_leave():
    bots = make_bots(4)
    tournament = begin(bots, Settings(format="double-elimination"))
    for bot in bots:
        withdraw(entrant=Entrant.objects.get(bot=bot), user=bot.owner)
    advance_tournament(tournament=tournament)
    assert look_again(tournament).state == State.FINISHED


def test_a_round_is_replayed_with_all_that_followed_on_new_deals():
    tournament = begin(make_bots(4), Settings(format="single-elimination"))
    deals = [match.deal for match in waiting(tournament)]
    play_round(tournament)
    assert Round.objects.latest_attempts().count() == 2
    final = waiting(tournament)
    replay_rounds(tournament=tournament, organiser=tournament.organiser, number=1, reason="The power went out.")
    advance_tournament(tournament=tournament)
    assert Round.objects.filter(is_latest_attempt=False, replay_reason=literal("The power went out.")).count() == 2
    again = waiting(tournament)
    assert len(again) == 2 and [match.deal for match in again] != deals
    assert Match.objects.get(pk=final[0].pk).state == Match.State.VOID
    play_out(look_again(tournament), lambda bots: favourite(bots)[::-1])
    assert placing(tournament)[0] == (1, "Bot 4")
    with pytest.raises(Conflict):
        replay_rounds(tournament=tournament, organiser=tournament.organiser, number=2, reason="")


def test_a_cancelled_one_keeps_what_was_played():
    tournament = play_round(begin(make_bots(4)))
    cancel(tournament=tournament, organiser=tournament.organiser, reason="No power.")
    assert look_again(tournament).state == State.CANCELLED and len(read_rounds(tournament)) == 1
    assert not waiting(tournament) and advance_tournament(tournament=tournament) == []


def test_ladders_are_left_alone_unless_it_counts(ladder):
    bots = make_bots(2)
    for bot in bots:
        enter_ladder(ladder=ladder, version=bot.versions.get())
    play_out(begin(bots))
    assert not LadderMatch.objects.exists()
    play_out(begin(bots, title="Rated", is_rated=True))
    assert LadderMatch.objects.count() == PairingMatch.objects.filter(pairing__round__tournament__title="Rated").count()


def test_standings_don_t_hang_on_the_order_in_which_results_arrive():
    bots, orders = make_bots(6), []
    for backwards in (False, True):
        tournament = begin(bots, Settings(rounds=3), title=f"Backwards: {backwards}")
        while tournament.state == State.RUNNING:
            matches = waiting(tournament)
            for match in matches[::-1] if backwards else matches:
                finish(match, favourite([one.version.bot for one in match.participants.all()]))
                advance_tournament(tournament=tournament)
            tournament.refresh_from_db()
        standings = read_standings(tournament)
        orders.append({one.number: (one.score, one.direct, one.buchholz, one.wins) for one in standings})
    assert orders[0] == orders[1]


def test_a_match_knows_its_tournament():
    tournament = begin(make_bots(2))
    (match,) = waiting(tournament)
    assert find_tournament_of_match(match) == tournament
    match.pairing_match.delete()
    assert find_tournament_of_match(match) is None


def test_only_who_may_organises(ana):
    with pytest.raises(NotYours):
        create(organiser=ana, plan=TournamentPlan(title="Mine", game="battleline", edition="standard"))
    tournament = make_tournament()
    with pytest.raises(NotYours):
        close_entries(tournament=tournament, organiser=ana)


def test_two_of_a_title_carry_numbers_if_one_organiser_has_them_and_addresses_never_repeat():
    plan = TournamentPlan(title="Spring Cup", game="battleline", edition="standard")
    made = [create(organiser=make_organiser(name), plan=plan) for name in ("olga", "olga", "olga", "otto")]
    assert [one.title for one in made] == ["Spring Cup", "Spring Cup 2", "Spring Cup 3", "Spring Cup"]
    assert [one.slug for one in made] == ["spring-cup", "spring-cup-2", "spring-cup-3", "spring-cup-4"]
    edited = edit(tournament=made[1], organiser=made[1].organiser, plan=replace(plan, title="spring cup"))
    assert edited.title == "spring cup 2"
    long = replace(plan, title="A" * 60)
    assert {len(create(organiser=make_organiser(), plan=long).title) for _ in range(2)} == {60}


def test_a_cancelled_tournament_is_deleted_unless_it_counts_for_a_ladder():
    tournament = begin(make_bots(2), Settings(format="round-robin"))
    finish(waiting(tournament)[0], [1, 2])
    matches = Match.objects.count()
    with pytest.raises(Conflict, match="Only a draft or a cancelled"):
        delete_tournament(tournament=tournament, organiser=tournament.organiser)
    cancel(tournament=tournament, organiser=tournament.organiser)
    delete_tournament(tournament=tournament, organiser=tournament.organiser)
    assert not Tournament.objects.exists() and Match.objects.count() == matches


def test_who_was_disqualified_stands_last_without_a_place_and_is_not_told_one():
    tournament = begin(make_bots(3), Settings(format="round-robin"))
    best = tournament.entrants.get(number=1)
    while State(tournament.state) == State.RUNNING:
        for match in waiting(tournament):
            first = match.participants.get(index=0).version.bot_id == best.bot_id
            second = match.participants.get(index=1).version.bot_id == best.bot_id
            finish(match, [1, 2] if first or not second else [2, 1])
        if best.state != Entrant.State.DISQUALIFIED:
            disqualify(entrant=best, organiser=tournament.organiser, reason="It cheated.")
            best.refresh_from_db()
        advance_tournament(tournament=tournament)
        tournament.refresh_from_db()
    standings = read_standings(tournament)
    assert standings[-1].number == 1 and [standing.place for standing in standings] == [1, 2, 0]
    places = dict(tournament.entrants.values_list("number", "place"))
    assert places[1] is None and sorted([places[2], places[3]]) == [1, 2]
    told = Notice.objects.filter(event=Event.TOURNAMENT_FINISHED).exclude(user=tournament.organiser)
    assert not told.filter(user=best.bot.owner).exists() and told.count() == 2


# Organisers decide pairings, and everything that is shown, exported and checked follows.


def decide(tournament: Tournament, board: int, outcome: DecidedOutcome, winner: str = "", number: int = 1) -> Pairing:
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
    decide(tournament, 1, DecidedOutcome.WIN, winner)
    assert Match.objects.filter(pairing_match__pairing__board=1, state=Match.State.QUEUED).count() == 0
    play_round(tournament)
    lines = {fetch_overview(tournament).by_number[one.number].bot.slug: one for one in read_standings(tournament)}
    assert (lines[winner].points, lines[winner].byes, lines[winner].played) == (1, 1, 0)
    assert (lines[loser].points, lines[loser].byes, lines[loser].losses) == (0, 0, 0)
    assert problems(tournament) == []


def test_even_and_lost_results_are_recomputed_from_the_document() -> None:
    tournament = begin(make_bots(4), Settings(format="round-robin", scoring=GAME_POINTS))
    decide(tournament, 1, DecidedOutcome.EVEN)
    decide(tournament, 2, DecidedOutcome.LOST)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert problems(tournament) == []
    play_out(tournament)
    assert tournament.state == Tournament.State.FINISHED
    found = fetch(tournament)
    assert found["secret"] and problems(tournament) == []
    assert [one["given_points"] for one in found["rounds"][0]["pairings"]] == [[0.5, 0.5], [0.0, 0.0]]
    assert sorted(place for place, _bot in placing(tournament) if place) == [1, 2, 3, 4]
    assert [line["act"] for line in found["decisions"]].count(OrganiserActKind.DECIDE_PAIRING) == 2


def test_document_with_other_given_points_is_refuted() -> None:
    tournament = begin(make_bots(4), Settings(format="single-elimination"))
    decide(tournament, 1, DecidedOutcome.WIN, slugs(tournament, 1)[1])
    play_out(tournament)
    found = fetch(tournament)
    found["rounds"][0]["pairings"][0]["given_points"] = [0.5, 0.5]
    assert "its decisions don't lead to what is given now" in next(iter(list_problems(read_document(found))))


def test_who_advances_cannot_be_even() -> None:
    tournament = begin(make_bots(4), Settings(format="single-elimination"))
    for outcome in (DecidedOutcome.EVEN, DecidedOutcome.LOST):
        with pytest.raises(ArenaError, match="must win"):
            decide(tournament, 1, outcome)
    decide(tournament, 1, DecidedOutcome.WIN, slugs(tournament, 1)[1])
    assert play_out(tournament).state == Tournament.State.FINISHED
    assert problems(tournament) == []


def test_decision_is_taken_back_until_the_next_round_has_started() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    organiser = tournament.organiser
    running = waiting(tournament)[0]
    Match.objects.filter(pk=running.pk).update(state=Match.State.RUNNING)
    board = running.pairing_match.pairing.board
    decide(tournament, board, DecidedOutcome.WIN, slugs(tournament, board)[0])
    undo_decision(tournament=tournament, organiser=organiser, number=1, board=board, reason="Wrong board.")
    pairing = Pairing.objects.get(round__tournament=tournament, board=board)
    assert (pairing.is_over, pairing.given_points, pairing.given_reason) == (False, None, "")
    advance_tournament(tournament=tournament)
    assert len(waiting(tournament)) == 2, "the match is queued again with its number"
    decide(tournament, board, DecidedOutcome.EVEN)
    play_round(tournament)
    with pytest.raises(Conflict, match="weren't played"):
        undo_decision(tournament=tournament, organiser=organiser, number=1, board=board, reason="It was wrong.")
    finish(running, [1, 2])
    assert problems(tournament) == [], "a match that ends late decides nothing"


def test_decided_pairings_and_other_people_are_refused() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    stranger = User.objects.create_user("stranger")
    good = PairingDecision(DecidedOutcome.EVEN, "Both machines burnt.")
    with pytest.raises(NotYours):
        decide_pairing(tournament=tournament, organiser=stranger, number=1, board=1, decision=good)
    with pytest.raises(ArenaError, match="Give a reason"):
        silent = PairingDecision(DecidedOutcome.EVEN, " ")
        decide_pairing(tournament=tournament, organiser=tournament.organiser, number=1, board=1, decision=silent)
    with pytest.raises(ArenaError, match="Choose which"):
        decide(tournament, 1, DecidedOutcome.WIN, slugs(tournament, 2)[0])
    with pytest.raises(Conflict, match="has no board 9"):
        decide(tournament, 9, DecidedOutcome.EVEN)
    with pytest.raises(Conflict, match="wasn't decided by an organiser"):
        undo_decision(tournament=tournament, organiser=tournament.organiser, number=1, board=1)
    decide(tournament, 1, DecidedOutcome.EVEN)
    with pytest.raises(Conflict, match="already has this result"):
        decide(tournament, 1, DecidedOutcome.EVEN)


def test_authors_are_told_and_the_act_is_recorded() -> None:
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    pause(tournament=tournament, organiser=tournament.organiser, reason="Lunch.")
    decide(tournament, 1, DecidedOutcome.WIN, slugs(tournament, 1)[0])
    told = Notice.objects.filter(url=f"/tournaments/{tournament.slug}/rounds/1/")
    assert len({notice.user for notice in told}) == 2
    assert all("Its machine burnt." in str(notice.text) for notice in told)
    acts = list(OrganiserAct.objects.filter(tournament=tournament).values_list("act", "reason", "is_public"))
    assert acts[:2] == [
        (OrganiserActKind.DECIDE_PAIRING, "Its machine burnt.", True),
        (OrganiserActKind.PAUSE, "Lunch.", True),
    ]


def test_name_of_a_co_organiser_is_forgotten_with_the_account() -> None:
    tournament, mari = begin(make_bots(2)), User.objects.create_user("mari")
    add_co_organiser(tournament=tournament, organiser=tournament.organiser, username="mari")
    forget_name_in_acts(user=mari, name="mari", pseudonym="author-7")
    acts = [str(act.text) for act in OrganiserAct.objects.filter(act=OrganiserActKind.ADD_ORGANISER)]
    assert acts == ["author-7 added as co-organiser"] and not tournament.co_organisers.exists()


def test_renamed_bot_has_its_new_name_in_the_record() -> None:
    bots = make_bots(2)
    tournament = begin(bots, Settings(format="swiss", rounds=1))
    decide(tournament, 1, DecidedOutcome.WIN, bots[0].slug)
    rename_bot_everywhere(bot=bots[0], name="Lark", in_records=False)
    text = str(OrganiserAct.objects.get(act=OrganiserActKind.DECIDE_PAIRING).text)
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
    with pytest.raises(CommandError, match="already has this result"):
        call_command("decide_pairing", *place, "--even", *why)
    with pytest.raises(CommandError, match="Only the tournament's organiser can do that"):
        call_command("decide_pairing", *place, "--lost", *why, "--by", "author1")
    with pytest.raises(CommandError, match="no tournament with the address"):
        call_command("decide_pairing", "spring-cup", "1", "1", "--even", *why)

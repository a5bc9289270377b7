"""Puzzles of the day: where they come from, how they are chosen, and what an answer counts."""

from collections import Counter
from datetime import date, timedelta

import pytest
from django.conf import LazySettings
from django.test import override_settings
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.analysis.models import LegAnalysis, pack
from arena.contests.comparisons.models import Comparison, ComparisonMatch
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.lifecycle import list_expired_answers
from arena.contests.puzzles.models import Answer, Puzzle, Solver
from arena.contests.puzzles.queries import (
    compute_streak,
    fetch_answers,
    fetch_streak,
    find_answer,
    find_newest,
    find_puzzle,
    find_solver,
    find_today,
    list_archive,
    today,
)
from arena.contests.puzzles.services import NotShownYet, choose_daily, stock_puzzles, submit_answer
from arena.core.errors import ArenaError
from arena.matches.models import Leg, Match
from arena.matches.recorded_games import RecordedGame, read_recorded_games
from arena.operations.lifecycle import anonymise_user
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from tests.arena.api.played import queue_rated as queue_rated
from tests.arena.api.played import versions as versions
from tests.arena.contests.analysis.finished import finish_match

pytestmark = pytest.mark.django_db
CLAIM, BEST = Puzzle.Kind.CLAIM, Puzzle.Kind.BEST
MONDAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def stock(module_db: None) -> int:
    with override_settings(RECORDED_GAMES=True):
        return stock_puzzles()


@pytest.fixture
def claim(stock: int) -> Puzzle:
    choose_daily()
    puzzle = find_today(CLAIM)
    assert puzzle is not None
    return puzzle


@pytest.fixture
def best(claim: Puzzle) -> Puzzle:
    puzzle = find_today(BEST)
    assert puzzle is not None
    return puzzle


def answer_wrongly(puzzle: Puzzle) -> dict:
    """Return a checked answer that is wrong."""
    if puzzle.kind == BEST:
        return {"action": next(one for one in puzzle.question["legal"] if one != puzzle.solution["best"])}
    return {"claim": True} if not puzzle.solution["claim"] else {"claim": False, "card": list_unseen(puzzle)[0]}


def answer_rightly(puzzle: Puzzle) -> dict:
    return puzzle.solution if puzzle.kind == CLAIM else {"action": puzzle.solution["best"]}


def list_unseen(puzzle: Puzzle) -> list[str]:
    flags = puzzle.state.view(0)["flags"]
    shown = {card for flag in flags for side in flag["cards"] for card in side}
    return [f"{colour}{value}" for colour in "ROYGBP" for value in range(1, 11) if f"{colour}{value}" not in shown]


def test_a_young_arena_takes_puzzles_from_the_recorded_games(stock):
    assert stock == Puzzle.objects.count() > 10
    kinds = set(Puzzle.objects.values_list("kind", flat=True))
    assert kinds == {CLAIM, BEST}
    for puzzle in Puzzle.objects.all():
        assert puzzle.match is None and puzzle.recorded_game
        state = puzzle.state
        assert state.to_act == puzzle.seat
        if puzzle.kind == CLAIM:
            assert (f"claim {puzzle.question['flag']}" in state.actions()) == puzzle.solution["claim"]
        else:
            assert set(puzzle.question["legal"]) == set(state.actions())
            assert puzzle.solution["best"] in state.actions() and puzzle.solution["best"] != puzzle.solution["played"]
            first, second, *_ = sorted(puzzle.solution["chances"].values(), reverse=True)
            assert first - second >= max(0.05, 2 * puzzle.solution["error"])


def test_stocking_again_adds_nothing(stock, settings: LazySettings):
    settings.RECORDED_GAMES = True
    choose_daily()
    Puzzle.objects.filter(kind=BEST, day=None).delete()
    assert stock_puzzles() == Puzzle.objects.filter(kind=BEST, day=None).count() > 0
    assert Puzzle.objects.count() == stock


def test_an_arena_without_recorded_games_has_no_puzzle(stock):
    Puzzle.objects.all().delete()
    assert choose_daily() == [] and find_today(CLAIM) is None and find_newest(CLAIM) is None


# Puzzles from matches.


@pytest.fixture
def played(versions: list[BotVersion], ladder: Ladder) -> Match:
    """A rated match of two legs in which flags can be claimed."""
    match = finish_match(versions, decisions=None)
    LadderMatch.objects.create(ladder=ladder, match=match, number=1000)
    assert append_finished_matches(ladder=ladder) == 1
    match.refresh_from_db()
    return match


@pytest.fixture
def empty(db: None) -> None:
    Puzzle.objects.all().delete()


def test_an_arena_with_matches_takes_its_own(empty, played):
    assert stock_puzzles() == Puzzle.objects.count() > 0
    for puzzle in Puzzle.objects.all():
        leg = Leg.objects.get(match=played, number=puzzle.leg)
        assert (puzzle.match, puzzle.recorded_game, puzzle.kind) == (played, "", CLAIM)
        entries = leg.record_data["actions"][: puzzle.turn]
        assert puzzle.play["actions"] == [[entry["seat"], entry["action"]] for entry in entries]
        assert (f"claim {puzzle.question['flag']}" in puzzle.state.actions()) == puzzle.solution["claim"]
    per_leg = Counter(Puzzle.objects.values_list("leg", "solution__claim"))
    assert set(per_leg.values()) == {1}
    assert stock_puzzles() == 0


def test_a_puzzle_outlives_the_record_of_its_leg(empty, played):
    stock_puzzles()
    Leg.objects.update(record=None)
    (puzzle, *_) = choose_daily(MONDAY)
    assert puzzle.state.to_act == puzzle.seat


def test_matches_that_not_everybody_sees_give_no_puzzle(empty, played, ana):
    group = Group.objects.create(name="Class", slug="class")
    Match.objects.update(group=group)
    assert stock_puzzles() == 0
    Match.objects.update(group=None, is_withheld=True)
    assert stock_puzzles() == 0


def test_a_deal_that_is_played_again_gives_no_puzzle(empty, played, queue_rated, ana):
    first, second = played.participants.select_related("version")
    comparison = Comparison.objects.create(
        owner=ana, version=first.version, baseline=second.version, edition="standard", next_virtual_start=0
    )
    waiting = queue_rated()
    for match in (played, waiting):
        is_second = match == waiting
        ComparisonMatch.objects.create(comparison=comparison, match=match, number=1, of_baseline=is_second)
    assert stock_puzzles() == 0
    Match.objects.filter(pk=waiting.pk).update(state=Match.State.VOID)
    assert stock_puzzles() > 0


def test_best_choices_come_from_analyses_of_public_matches(stock, played):
    """A recorded game's leg and analysis stand in for those of a match."""
    taken = Puzzle.objects.filter(kind=BEST).first()
    assert taken is not None
    game = find_recorded_game_of(taken)
    Puzzle.objects.all().delete()
    leg = played.legs.get(number=1)
    leg.record = pack(game.record)
    leg.save()
    LegAnalysis.objects.create(
        leg=leg,
        function_version="1",
        function_hash="0",
        state=LegAnalysis.State.DONE,
        result=pack(game.analysis),
        finished_at=now(),
    )
    stock_puzzles()
    found = Puzzle.objects.get(kind=BEST, position_hash=taken.position_hash)
    assert (found.match, found.leg, found.question, found.solution) == (played, 1, taken.question, taken.solution)
    Puzzle.objects.filter(kind=BEST).delete()
    Match.objects.update(is_withheld=True)
    assert stock_puzzles() == 0


def find_recorded_game_of(puzzle: Puzzle) -> RecordedGame:
    return next(game for game in read_recorded_games() if game.slug == puzzle.recorded_game)


# Days.


def test_a_day_gets_one_puzzle_of_each_kind(stock):
    chosen = choose_daily(MONDAY)
    assert [puzzle.kind for puzzle in chosen] == [CLAIM, BEST]
    assert choose_daily(MONDAY) == []
    assert {(one.day, one.number) for one in chosen} == {(MONDAY, 1)}


def test_days_get_different_puzzles_and_the_same_ones_everywhere(stock):
    days = [MONDAY + timedelta(ahead) for ahead in range(7)]
    chosen = [choose_daily(day)[0] for day in days]
    assert len({puzzle.pk for puzzle in chosen}) == 7
    assert [puzzle.number for puzzle in chosen] == [1, 2, 3, 4, 5, 6, 7]
    hashes = [puzzle.position_hash for puzzle in chosen]
    Puzzle.objects.update(day=None, number=None)
    assert [choose_daily(day)[0].position_hash for day in days] == hashes


def test_nobody_sees_the_puzzle_of_tomorrow(claim, ana):
    tomorrow = today() + timedelta(1)
    choose_daily(tomorrow)
    assert find_puzzle(CLAIM, tomorrow) is None
    assert list(list_archive(CLAIM)) == [claim]
    hidden = Puzzle.objects.get(kind=CLAIM, day=tomorrow)
    with pytest.raises(NotShownYet):
        submit_answer(puzzle=hidden, user=ana, answer={"claim": True})


def test_the_first_answer_counts(claim, ana):
    first = submit_answer(puzzle=claim, user=ana, answer=answer_wrongly(claim), seconds=12.4)
    again = submit_answer(puzzle=claim, user=ana, answer=answer_rightly(claim), seconds=3)
    assert first == again and not again.is_right and again.seconds == 12 and again.tries == 2
    claim.refresh_from_db()
    assert (claim.first_tries, claim.first_right, claim.right_percent) == (1, 0, 0)
    assert find_answer(claim, ana) == again and fetch_answers([claim], ana) == {claim.pk: again}


def test_an_answer_rates_the_solver_and_the_puzzle(claim, best, ana, ben):
    before = claim.rating
    submit_answer(puzzle=claim, user=ana, answer=answer_rightly(claim))
    submit_answer(puzzle=best, user=ana, answer=answer_rightly(best))
    submit_answer(puzzle=claim, user=ben, answer=answer_wrongly(claim))
    right, wrong = find_solver(ana), find_solver(ben)
    assert right is not None and wrong is not None
    assert right.rating > 1500 > wrong.rating and right.deviation < 300
    assert (right.answered, right.right, wrong.answered, wrong.right) == (2, 2, 1, 0)
    claim.refresh_from_db()
    assert claim.deviation < 300 and claim.rating != before
    assert (claim.first_tries, claim.first_right, claim.right_percent) == (2, 1, 50)


def test_guests_are_counted_and_rate_nothing(claim):
    before = claim.rating
    first = submit_answer(puzzle=claim, user=None, guest="a" * 64, answer=answer_rightly(claim))
    submit_answer(puzzle=claim, user=None, guest="b" * 64, answer=answer_wrongly(claim))
    claim.refresh_from_db()
    assert (claim.first_tries, claim.first_right, claim.rating) == (2, 1, before)
    assert find_answer(claim, None, "a" * 64) == first and find_answer(claim, None) is None
    assert not Solver.objects.exists()


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        ({}, "claim"),
        ({"claim": "yes"}, "claim"),
        ({"claim": False}, "card"),
        ({"claim": False, "card": "X1"}, "card"),
        ({"claim": False, "card": ["G7"]}, "card"),
    ],
)
def test_an_answer_to_a_claim_is_yes_or_an_unseen_troop(claim, ana, answer, field):
    with pytest.raises(ArenaError) as caught:
        submit_answer(puzzle=claim, user=ana, answer=answer)
    assert caught.value.fields == [field]
    shown = next(cards for flag in claim.state.view(0)["flags"] for cards in flag["cards"] if cards)
    with pytest.raises(ArenaError):
        submit_answer(puzzle=claim, user=ana, answer={"claim": False, "card": shown[0]})
    assert not Answer.objects.exists()


def test_an_answer_to_a_best_choice_is_a_legal_action(best, ana):
    with pytest.raises(ArenaError) as caught:
        submit_answer(puzzle=best, user=ana, answer={"action": "play R1 77"})
    assert caught.value.fields == ["action"]
    assert submit_answer(puzzle=best, user=ana, answer=answer_rightly(best)).is_right


# Streaks.


def days(*ago: int) -> set[date]:
    return {MONDAY - timedelta(one) for one in ago}


@pytest.mark.parametrize(
    ("solved", "wrong", "expected", "week"),
    [
        ((), (), 0, "mmmmmmt"),
        ((0,), (), 1, "mmmmmms"),
        ((1, 2, 3), (), 3, "mmmssst"),
        ((0, 1, 3, 4), (), 4, "mmssfss"),
        ((0, 2, 4), (), 2, "mmsmsfs"),
        ((0, 1, 3, 4, 5, 6, 7, 8, 10, 11), (), 10, "ssssfss"),
        ((0, 1, 3, 4, 5, 6, 7, 9, 10), (), 7, "ssssfss"),
        ((1, 2), (0,), 0, "mmmmssm"),
        ((0, 2), (1,), 1, "mmmmsms"),
        ((0, 3), (), 1, "mmmsmms"),
    ],
)
def test_one_missed_day_a_week_is_forgiven(solved, wrong, expected, week):
    streak = compute_streak(MONDAY, days(*solved), days(*wrong))
    assert (streak.days, "".join(state[0] for _, state in streak.week)) == (expected, week)
    assert streak.week[-1][0] == MONDAY and len(streak.week) == 7


def test_only_answers_of_the_day_itself_make_a_streak(claim, ana):
    submit_answer(puzzle=claim, user=ana, answer=answer_rightly(claim))
    assert fetch_streak(ana).days == 1
    Answer.objects.update(at=now() + timedelta(1))
    assert fetch_streak(ana).days == 0


# What is known of a person.


def test_a_pseudonym_has_no_answers(claim, ana):
    submit_answer(puzzle=claim, user=ana, answer=answer_rightly(claim))
    anonymise_user(user=User.objects.get(pk=ana.pk))
    assert not Answer.objects.exists() and not Solver.objects.exists()
    claim.refresh_from_db()
    assert claim.first_tries == 1


def test_answers_of_guests_are_kept_for_a_while(claim, ana):
    submit_answer(puzzle=claim, user=None, guest="guest", answer=answer_rightly(claim))
    submit_answer(puzzle=claim, user=ana, answer=answer_rightly(claim))
    (expired,) = list_expired_answers(before=now() + timedelta(days=1))
    assert [answer.guest for answer in expired.rows] == ["guest"]

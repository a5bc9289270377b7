"""Keep puzzles in stock, choose those of a day, and take answers."""

import hashlib
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Max, OuterRef

from arena.contests.analysis.models import LegAnalysis
from arena.contests.comparisons.services import list_matches_with_deal_in_play
from arena.contests.ladders.models import LadderMatch
from arena.contests.ladders.rating import PairResult, Rating, update_ratings
from arena.contests.ladders.showing import exclude_incomplete, filter_public_rated
from arena.contests.puzzles.models import MAX_GUEST_KEY_LENGTH, MAX_SECONDS, Answer, Puzzle, Solver
from arena.contests.puzzles.queries import today
from arena.core.errors import ArenaError
from arena.matches.models import Leg
from arena.matches.recorded_games import list_recorded_games
from arena.people.accounts.models import User
from engine.analysis.best_choice import BestChoice, find_best_choices
from engine.analysis.evaluators import find_evaluator
from engine.core import Json
from engine.games.battleline.plain_proof import count_unseen
from engine.games.battleline.puzzles import GAME_KEY, ClaimPuzzle, ProofsDisagree, find_claim_puzzles
from engine.message import gettext_noop, message
from engine.registry import GAMES

logger = logging.getLogger(__name__)
Kind = Puzzle.Kind

# Keep puzzles in stock: find them in public rated matches whose deals nobody plays any more, or in recorded games.

WANTED_IN_STOCK = 40
"""Puzzles of each kind that wait for their day; more aren't looked for."""
MATCHES_PER_RUN = 20
"""Matches in which one run looks for claims, the newest first: each takes some 50 ms."""
ANALYSES_PER_RUN = 10
"""Analyses in which one run looks for best choices: each takes a second or two."""
RATINGS_BY_DIFFICULTY = {1: 1200.0, 2: 1350.0, 3: 1500.0, 4: 1650.0, 5: 1800.0}
"""Ratings of puzzles before anybody has answered them, in Elo."""


@dataclass(frozen=True, slots=True)
class Source:
    """A leg in which puzzles are looked for."""

    record: Json
    match: int | None
    leg: int
    slug: str = ""
    """Slug of a recorded game."""


def stock_puzzles() -> int:
    """Look for puzzles where too few are in stock. Return the number of those added."""
    stock = count_stock()
    added = 0
    if stock[Kind.CLAIM] < WANTED_IN_STOCK:
        added += sum(stock_claims(source) for source in list_legs_for_claims())
    if stock[Kind.BEST] < WANTED_IN_STOCK:
        added += sum(stock_best_choices(source, analysis) for source, analysis in list_analysed_legs())
    if not all(count_stock()[kind] for kind in Kind):
        added += stock_recorded_games()
    return added


def count_stock() -> Counter[str]:
    """Return how many puzzles of each kind wait for their day."""
    return Counter(Puzzle.objects.filter(day=None).values_list("kind", flat=True))


def list_legs_for_claims() -> Iterator[Source]:
    """Yield the legs of the newest public rated matches without puzzles, complete and without faults."""
    used = Puzzle.objects.filter(match=OuterRef("match"), kind=Kind.CLAIM)
    rated = LadderMatch.objects.filter(~Exists(used), match__game=GAME_KEY)
    found = exclude_incomplete(filter_public_rated(rated)).order_by("-match").values_list("match", flat=True)
    keys = list(found[:MATCHES_PER_RUN])
    yield from read_legs(keys)


def list_analysed_legs() -> Iterator[tuple[Source, Json]]:
    """Yield the newest analysed legs of public rated matches without a puzzle of a best choice."""
    used = Puzzle.objects.filter(match=OuterRef("leg__match"), kind=Kind.BEST)
    rated = filter_public_rated(LadderMatch.objects.all()).values("match")
    done = LegAnalysis.objects.filter(
        ~Exists(used),
        state=LegAnalysis.State.DONE,
        leg__match__in=rated,
        leg__match__game=GAME_KEY,
        leg__record__isnull=False,
    )
    for analysis in done.select_related("leg").defer("parts", "leg__deal").order_by("-pk")[:ANALYSES_PER_RUN]:
        leg = analysis.leg
        assert leg is not None
        if not list_matches_with_deal_in_play([leg.match_id]):
            yield Source(leg.record_data, leg.match_id, leg.number), analysis.result_data


def read_legs(matches: Sequence[int]) -> Iterator[Source]:
    """Yield the legs of these matches whose deals aren't in play elsewhere."""
    hidden = list_matches_with_deal_in_play(matches)
    legs = Leg.objects.filter(match__in=[match for match in matches if match not in hidden])
    for leg in legs.exclude(record=None).defer("deal").order_by("-match", "number"):
        yield Source(leg.record_data, leg.match_id, leg.number)


def stock_recorded_games() -> int:
    """Add the puzzles of the recorded games that come with the product. Return the number of those added."""
    added = 0
    for game in list_recorded_games():
        source = Source(game.record, None, 1, game.slug)
        added += stock_claims(source, takes_all=True)
        if game.analysis is not None:
            added += stock_best_choices(source, game.analysis)
    return added


def stock_claims(source: Source, *, takes_all: bool = False) -> int:
    """Add the hardest claim puzzle of a leg with each answer, or all of them. Return the number of those added."""
    try:
        found = sorted(find_claim_puzzles(source.record), key=lambda one: one.difficulty)
    except ProofsDisagree:
        logger.exception("The proofs of a claim disagree in leg %s of match %s", source.leg, source.match)
        return 0
    chosen = found if takes_all else {one.card is None: one for one in found}.values()
    return sum(add_puzzle(Kind.CLAIM, source, puzzle) for puzzle in chosen)


def stock_best_choices(source: Source, analysis: Json) -> int:
    """Add the best choices of an analysed leg. Return the number of those added."""
    record = source.record
    evaluator = find_evaluator(record["game"], record["edition"], record["options"])
    if evaluator is None:
        return 0
    found = find_best_choices(record, analysis, evaluator)
    return sum(add_puzzle(Kind.BEST, source, puzzle) for puzzle in found)


def add_puzzle(kind: Kind, source: Source, found: ClaimPuzzle | BestChoice) -> bool:
    """Store a puzzle, and return whether its position is new."""
    record = source.record
    fields: dict[str, Any] = {
        "kind": kind,
        "match_id": source.match,
        "recorded_game": source.slug,
        "leg": source.leg,
        "turn": found.turn,
        "game": record["game"],
        "edition": record["edition"],
        "seat": found.seat,
        "play": {
            "options": record["options"],
            "deal": record["deal"],
            "actions": [[one["seat"], one["action"]] for one in record["actions"][: found.turn]],
        },
        "question": found.question,
        "solution": found.solution,
        "difficulty": found.difficulty,
        "rating": RATINGS_BY_DIFFICULTY[found.difficulty],
    }
    return Puzzle.objects.get_or_create(position_hash=found.position_hash, defaults=fields)[1]


# Choose the puzzles of a day: by the stock and the date alone, so that it doesn't matter when or how often this runs.

DIFFICULTY_BY_WEEKDAY = (1, 2, 2, 3, 3, 4, 5)
"""From Monday to Sunday."""
DAYS_BETWEEN_SAME_MATCH = 30


def choose_daily(day: date | None = None) -> list[Puzzle]:
    """Give each kind its puzzle of a day, today by default, where it has none. Return those that were chosen now.

    Where an arena has never had any of a kind, it looks for some first.
    """
    day = day or today()
    shown = set(Puzzle.objects.filter(day=day).values_list("kind", flat=True))
    missing = [kind for kind in Kind if kind not in shown]
    if set(missing) - set(Puzzle.objects.values_list("kind", flat=True)):
        stock_puzzles()
    chosen = (choose_puzzle(kind, day) for kind in missing)
    return [puzzle for puzzle in chosen if puzzle is not None]


def choose_puzzle(kind: Kind, day: date) -> Puzzle | None:
    """Give a day its puzzle of a kind. Return it; None where none is in stock, or it was chosen at the same time."""
    recent = Puzzle.objects.filter(kind=kind, day__gte=day - timedelta(DAYS_BETWEEN_SAME_MATCH), day__lt=day)
    sources: set[tuple[int | None, str]] = {
        (match, slug) for match, slug in recent.values_list("match", "recorded_game")
    }
    stock = Puzzle.objects.filter(kind=kind, day=None, game__in=list(GAMES)).defer("play")
    best = min(stock, key=lambda puzzle: rank_for_day(puzzle, day, sources), default=None)
    if best is None:
        return None
    number = (Puzzle.objects.filter(kind=kind).aggregate(last=Max("number"))["last"] or 0) + 1
    try:
        with transaction.atomic():
            taken = Puzzle.objects.filter(pk=best.pk, day=None).update(day=day, number=number)
    except IntegrityError:
        return None
    best.day, best.number = day, number
    return best if taken else None


def rank_for_day(puzzle: Puzzle, day: date, recent: set[tuple[int | None, str]]) -> tuple[bool, int, bool, str]:
    """Return what is lowest for the puzzle that a day gets.

    It isn't of a match that was shown lately, it is as hard as its weekday wants it, and of its two answers the date
    draws one. The rest is drawn by the date, too.
    """
    draw = hashlib.sha256(f"{day} {puzzle.position_hash}".encode()).hexdigest()
    wants_claim = hashlib.sha256(f"{day}".encode()).digest()[0] % 2 == 0
    is_other_answer = puzzle.kind == Kind.CLAIM and puzzle.solution["claim"] != wants_claim
    misfit = abs(puzzle.difficulty - DIFFICULTY_BY_WEEKDAY[day.weekday()])
    return (puzzle.match_id, puzzle.recorded_game) in recent, misfit, is_other_answer, draw


# Take answers. The first one of a person counts, and rates both the puzzle and a user as its solver.

DISPERSION_OF_ANSWER = 2.0
"""An answer is one game, while a pair result stands for a match of two legs: it counts half of that."""


class NotShownYet(ArenaError):
    """The puzzle's day hasn't come."""

    status = 404


@transaction.atomic
def submit_answer(
    *, puzzle: Puzzle, user: User | None, guest: str = "", answer: Json, seconds: float | None = None
) -> Answer:
    """Store a person's answer if it is the first one, else count it. Return the first one.

    An answer to a claim is `{"claim": true}` or `{"claim": false, "card": "G7"}`, to a best choice `{"action": "play G7
    4"}`. `guest` is a key of a person who isn't signed in. Raise ArenaError where it is no answer to the question.
    """
    assert (user is None) != (not guest) and len(guest) <= MAX_GUEST_KEY_LENGTH
    puzzle = Puzzle.objects.select_for_update().get(pk=puzzle.pk)
    if puzzle.day is None or puzzle.day > today():
        raise NotShownYet(message(gettext_noop("This puzzle isn't out yet.")))
    checked = check_answer(puzzle, answer)
    is_right = puzzle.is_right(checked)
    first, is_first = Answer.objects.get_or_create(
        puzzle=puzzle,
        user=user,
        guest=guest,
        defaults={"answer": checked, "is_right": is_right, "seconds": check_seconds(seconds)},
    )
    if not is_first:
        Answer.objects.filter(pk=first.pk).update(tries=F("tries") + 1)
        first.tries += 1
        return first
    puzzle.first_tries += 1
    puzzle.first_right += is_right
    if user is not None:
        rate_answer(puzzle, user, is_right)
    puzzle.save(update_fields=["first_tries", "first_right", "rating", "deviation"])
    return first


def check_answer(puzzle: Puzzle, answer: Json) -> Json:
    """Return an answer with the keys that count. Raise ArenaError unless it answers the question."""
    return check_claim_answer(puzzle, answer) if puzzle.kind == Kind.CLAIM else check_best_answer(puzzle, answer)


def check_claim_answer(puzzle: Puzzle, answer: Json) -> Json:
    """Return a checked answer to a claim: yes, or no with an unseen troop. Raise ArenaError."""
    claim, card = answer.get("claim"), answer.get("card") or None
    if not isinstance(claim, bool):
        raise ArenaError(message(gettext_noop("Say whether the flag can be claimed.")), fields=["claim"])
    if claim:
        return {"claim": True}
    if card is None:
        raise ArenaError(message(gettext_noop("Choose the card that refutes the claim.")), fields=["card"])
    unseen = count_unseen(puzzle.play["options"], puzzle.state.view(puzzle.seat))
    if not isinstance(card, str) or card not in unseen:
        problem = gettext_noop("Choose a troop that isn't on the table.")
        raise ArenaError(message(problem), fields=["card"])
    return {"claim": False, "card": card}


def check_best_answer(puzzle: Puzzle, answer: Json) -> Json:
    """Return a checked answer to a best choice: a legal action. Raise ArenaError."""
    action = answer.get("action")
    if not isinstance(action, str) or action not in puzzle.question["legal"]:
        raise ArenaError(message(gettext_noop("Choose one of the legal moves.")), fields=["action"])
    return {"action": action}


def check_seconds(seconds: float | None) -> int | None:
    """Return the whole seconds that an answer took; None where the browser didn't say, or nobody takes as long."""
    return round(seconds) if seconds is not None and 0 <= seconds <= MAX_SECONDS else None


def rate_answer(puzzle: Puzzle, user: User, is_right: bool) -> None:
    """Rate the solver and the puzzle by an answer, as a game between the two. Only the solver is stored."""
    Solver.objects.get_or_create(user=user)
    solver = Solver.objects.select_for_update().get(user=user)
    result = PairResult(first=0, second=1, halves=4 if is_right else 0, seats=2)
    before = [Rating(solver.rating, solver.deviation), Rating(puzzle.rating, puzzle.deviation)]
    own, others = update_ratings(before, [result], DISPERSION_OF_ANSWER)
    solver.rating, solver.deviation = own.rating, own.deviation
    puzzle.rating, puzzle.deviation = others.rating, others.deviation
    solver.answered += 1
    solver.right += is_right
    solver.save()


def forget_solver(*, user: User) -> None:
    """Delete a user's answers and rating. The counts of the puzzles stay."""
    Answer.objects.filter(user=user).delete()
    Solver.objects.filter(user=user).delete()

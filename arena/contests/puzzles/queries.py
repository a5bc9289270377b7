"""Find puzzles, the answers to them, and how many days in a row a user has solved them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from django.db.models import QuerySet
from django.utils.timezone import get_default_timezone, localdate

from arena.contests.puzzles.models import Answer, Puzzle, Solver
from arena.people.accounts.models import User
from engine.registry import GAMES

# Find puzzles. A puzzle is public from its day on, which begins at midnight of the arena's time zone.


def today() -> date:
    """Return the arena's date, whatever the reader's time zone."""
    return localdate(timezone=get_default_timezone())


def list_shown(kind: str | None = None) -> QuerySet[Puzzle]:
    """List the puzzles that have been shown by now, newest first, of games that are installed."""
    shown = Puzzle.objects.filter(day__lte=today(), game__in=list(GAMES))
    return (shown if kind is None else shown.filter(kind=kind)).order_by("-day", "kind")


def find_puzzle(kind: str, day: date) -> Puzzle | None:
    """Return the puzzle of a day; None where that day has none, or hasn't come."""
    return list_shown(kind).select_related("match").defer("match__deal").filter(day=day).first()


def find_today(kind: str) -> Puzzle | None:
    """Return today's puzzle, or None."""
    return find_puzzle(kind, today())


def find_newest(kind: str) -> Puzzle | None:
    """Return the newest puzzle: today's, or an older one where today has none."""
    return list_shown(kind).select_related("match").defer("match__deal").first()


def list_archive(kind: str | None = None) -> QuerySet[Puzzle]:
    """List the puzzles that have been shown, newest first, without plays and solutions. Pages slice them by number."""
    return list_shown(kind).defer("play", "solution")


def find_neighbours(puzzle: Puzzle) -> tuple[date | None, date | None]:
    """Return the days of the puzzles of its kind before and after a shown one; None where there is none."""
    days = list_shown(puzzle.kind).order_by()
    earlier = days.filter(day__lt=puzzle.day).order_by("-day").values_list("day", flat=True).first()
    later = days.filter(day__gt=puzzle.day).order_by("day").values_list("day", flat=True).first()
    return earlier, later


# Find answers.


def find_answer(puzzle: Puzzle, user: User | None, guest: str = "") -> Answer | None:
    """Return the first answer of a user, or else of a guest, to a puzzle; None without one."""
    if user is not None:
        return Answer.objects.filter(puzzle=puzzle, user=user).first()
    return Answer.objects.filter(puzzle=puzzle, guest=guest).first() if guest else None


def fetch_answers(puzzles: Sequence[Puzzle], user: User | None, guest: str = "") -> dict[int, Answer]:
    """Return the first answers of a user, or else of a guest, by the key of the puzzle."""
    answers = Answer.objects.filter(puzzle__in=[puzzle.pk for puzzle in puzzles])
    own = answers.filter(user=user) if user is not None else answers.filter(guest=guest) if guest else answers.none()
    return {answer.puzzle_id: answer for answer in own}


def list_answers_of(user: User) -> QuerySet[Answer]:
    """List all answers of a user with their puzzles, oldest first."""
    return Answer.objects.filter(user=user).select_related("puzzle").defer("puzzle__play").order_by("pk")


def find_solver(user: User) -> Solver | None:
    """Return the rating of a user as a solver; None before the first answer."""
    return Solver.objects.filter(user=user).first()


# Count how many days in a row a user has solved a puzzle of the day.

DayState = Literal["solved", "missed", "forgiven", "today"]
WEEK = 7


@dataclass(frozen=True, slots=True)
class Streak:
    """Days in a row with a puzzle solved on its own day."""

    days: int
    """Days solved. Forgiven ones don't count."""
    week: list[tuple[date, DayState]]
    """The last seven days, oldest first. Today is "today" until a puzzle of it is solved or answered wrongly."""


def fetch_streak(user: User) -> Streak:
    """Return the streak of a user today."""
    rows = Answer.objects.filter(user=user, puzzle__day__isnull=False)
    zone = get_default_timezone()
    on_the_day = [
        (day, is_right)
        for day, at, is_right in rows.values_list("puzzle__day", "at", "is_right")
        if day == at.astimezone(zone).date()
    ]
    solved = {day for day, is_right in on_the_day if is_right}
    wrong = {day for day, is_right in on_the_day if not is_right} - solved
    return compute_streak(today(), solved, wrong)


def compute_streak(today: date, solved: Collection[date], wrong: Collection[date]) -> Streak:
    """Return the streak at the end of these days.

    A day without an answer is forgiven where none of the six days after it was, and the streak goes on before it. A
    day on which every answer was wrong ends the streak.
    """
    states: dict[date, DayState] = {}
    count, day = 0, today
    pending: list[date] = []
    if today not in solved and today not in wrong:
        states[today] = "today"
        day -= timedelta(1)
    while day not in wrong and (day in solved or may_forgive(day, pending, states)):
        if day in solved:
            count += 1
            states[day] = "solved"
            states |= dict.fromkeys(pending, "forgiven")
            pending = []
        else:
            pending.append(day)
        day -= timedelta(1)
    week = [today - timedelta(ago) for ago in range(WEEK - 1, -1, -1)]
    return Streak(count, [(one, states.get(one, "solved" if one in solved else "missed")) for one in week])


def may_forgive(day: date, pending: Iterable[date], states: dict[date, DayState]) -> bool:
    """Return whether a day without an answer is the only one that is forgiven in the week that begins with it."""
    after = [day + timedelta(ahead) for ahead in range(1, WEEK)]
    return not any(one in pending or states.get(one) == "forgiven" for one in after)

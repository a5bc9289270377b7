"""Daily puzzles: read them, answer them, and see how you solve them."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateField,
    DateTimeField,
    FloatField,
    IntegerField,
    JSONField,
    Serializer,
    SerializerMethodField,
)

from arena.api.frame import ChoiceField, HtmlUrlField, Resource, operation
from arena.api.requests import require_row
from arena.contests.puzzles import queries
from arena.contests.puzzles.models import MAX_SECONDS, Answer, Puzzle, Solver
from arena.contests.puzzles.services import submit_answer
from arena.core.messages import gettext as _
from arena.people.accounts.models import User
from engine.core import Json

TODAY = "today"
"""Stands for the date of today in an address."""


class PuzzleQuery(Serializer):
    """Filters for puzzles."""

    kind = ChoiceField(Puzzle.Kind.values, required=False, help_text="Only puzzles of this kind.")


class GivenAnswerSerializer(Serializer):
    """Your first answer to a puzzle."""

    answer = JSONField(help_text="The answer, in the form of a request.")
    is_right = BooleanField(help_text="Whether it was right.")
    seconds = IntegerField(allow_null=True, help_text="Seconds you took; null if unknown.")
    tries = IntegerField(help_text="Number of answers you gave. Only the first one counts.")
    at = DateTimeField(help_text="When you gave it.")


class ShownPuzzleSerializer(Serializer):
    """A puzzle in a list."""

    kind = CharField(help_text="`claim` (can this seat claim this flag?) or `best` (which card is best?).")
    number = IntegerField(help_text="Number of the puzzle in its kind, starting at 1.")
    day = DateField(help_text="Day on which it was new, in the arena's time zone.")
    html_url = HtmlUrlField()
    game = CharField(help_text="Key of the game.")
    edition = CharField(help_text="Key of the edition.")
    difficulty = IntegerField(help_text="Difficulty of the position, from 1 to 5.")
    rating = FloatField(help_text="How hard solvers find it, in Elo.")
    deviation = FloatField(help_text="Standard deviation of the rating, in Elo.")
    first_tries = IntegerField(help_text="Number of people who answered.")
    first_right = IntegerField(help_text="Number of people whose first answer was right.")
    given = SerializerMethodField(help_text="Your first answer; null before you answer.")

    @extend_schema_field(GivenAnswerSerializer(allow_null=True))
    def get_given(self, puzzle: Puzzle) -> Any:
        """Return the reader's first answer."""
        answer = self.find_given(puzzle)
        return GivenAnswerSerializer(answer).data if answer else None

    def find_given(self, puzzle: Puzzle) -> Answer | None:
        """Return the reader's first answer as a row."""
        given: dict[int, Answer] = self.context["given"]
        return given.get(puzzle.pk)


class PuzzleSerializer(ShownPuzzleSerializer):
    """A puzzle with its position. Its solution and source are null until you've answered it."""

    options = SerializerMethodField(help_text="All rule options in force.")
    seat = IntegerField(help_text="Seat that the question is about, and that is to act.")
    view = SerializerMethodField(help_text="What that seat sees, in the form that bots get.")
    question = JSONField(help_text="`claim`: `flag`, counted from 1. `best`: `hand` and `legal` actions.")
    solution = SerializerMethodField(
        help_text="`claim`: `claim`, and `card` (the one troop that refutes it) if false. `best`: `best` and `played` "
        "actions, `chances` to win after each choice, and the standard `error` of the best one's lead."
    )
    match = SerializerMethodField(help_text="ID of the match it's from; null for a recorded game of the product.")
    leg = SerializerMethodField(help_text="Number of the leg in that match.")
    turn = SerializerMethodField(help_text="Number of actions in that leg before the position.")

    def get_options(self, puzzle: Puzzle) -> Json:
        """Return all rule options in force."""
        options: Json = puzzle.play["options"]
        return options

    def get_view(self, puzzle: Puzzle) -> Json:
        """Return what the seat sees."""
        return puzzle.state.view(puzzle.seat)

    def get_solution(self, puzzle: Puzzle) -> Json | None:
        """Return the solution, to those who have answered."""
        solution: Json | None = self._reveal(puzzle, puzzle.solution)
        return solution

    def get_match(self, puzzle: Puzzle) -> int | None:
        """Return the match, to those who have answered."""
        match: int | None = self._reveal(puzzle, puzzle.match_id)
        return match

    def get_leg(self, puzzle: Puzzle) -> int | None:
        """Return the leg, to those who have answered."""
        leg: int | None = self._reveal(puzzle, puzzle.leg)
        return leg

    def get_turn(self, puzzle: Puzzle) -> int | None:
        """Return the number of actions, to those who have answered."""
        turn: int | None = self._reveal(puzzle, puzzle.turn)
        return turn

    def _reveal(self, puzzle: Puzzle, value: Any) -> Any:
        return None if self.find_given(puzzle) is None else value


class NewAnswerSerializer(Serializer):
    """An answer to a puzzle."""

    claim = BooleanField(required=False, help_text="`claim`: whether the seat can claim the flag.")
    card = CharField(
        required=False, max_length=20, help_text="`claim`, if false: the unseen troop that refutes it, such as `G7`."
    )
    action = CharField(required=False, max_length=100, help_text="`best`: the legal action that is best.")
    seconds = FloatField(
        required=False, min_value=0, max_value=MAX_SECONDS, help_text="Seconds you took; omitted if unknown."
    )


class StreakDaySerializer(Serializer):
    """A day of the last seven."""

    day = DateField(help_text="The day, in the arena's time zone.")
    state = ChoiceField(
        ["solved", "missed", "forgiven", TODAY],
        help_text="`solved`, `missed`, `forgiven` (missed without ending the streak), or `today` (still to solve).",
    )


class SolverSerializer(Serializer):
    """How you solve puzzles."""

    rating = FloatField(source="solver.rating", help_text="Your rating, on the scale of the puzzles' ratings, in Elo.")
    deviation = FloatField(source="solver.deviation", help_text="Standard deviation of the rating, in Elo.")
    answered = IntegerField(source="solver.answered", help_text="Number of puzzles you answered.")
    right = IntegerField(source="solver.right", help_text="Number of puzzles you answered right at once.")
    streak = IntegerField(source="streak.days", help_text="Days in a row with a puzzle solved; one miss a week is OK.")
    week = StreakDaySerializer(many=True, help_text="The last seven days, oldest first.")


class Puzzles(Resource):
    """Puzzles of the day."""

    @operation("puzzles_list", "List puzzles", [ShownPuzzleSerializer], query=PuzzleQuery)
    def list(self, request: Request) -> Response:
        """List all puzzles so far, newest first."""
        rows = queries.list_archive(self.query.get("kind"))
        return self.respond_page(rows, ordering=("-day", "-pk"), attach=self.attach_given)

    @operation("puzzles_retrieve", "Get a puzzle", PuzzleSerializer)
    def show(self, request: Request, kind: str, day: str) -> Response:
        """Return the puzzle of a day: `today`, or a date such as `2026-11-30`."""
        puzzle = puzzle_or_404(kind, day)
        self.attach_given([puzzle])
        return self.respond(puzzle)

    @operation("puzzles_answer", "Answer a puzzle", PuzzleSerializer, reads=NewAnswerSerializer)
    def answer(self, request: Request, kind: str, day: str) -> Response:
        """Answer a puzzle, and get its solution. Only your first answer counts, and rates both you and the puzzle."""
        user, puzzle, answer = self.unrestricted_user, puzzle_or_404(kind, day), self.read_data()
        seconds = answer.pop("seconds", None)
        submit_answer(puzzle=puzzle, user=user, answer=answer, seconds=seconds)
        puzzle.refresh_from_db()
        self.attach_given([puzzle])
        return self.respond(puzzle)

    @operation("puzzles_solver", "Get your results with puzzles", SolverSerializer)
    def show_solver(self, request: Request) -> Response:
        """Return your rating as a solver, and your streak."""
        user = self.unrestricted_user
        streak = queries.fetch_streak(user)
        week = [{"day": day, "state": state} for day, state in streak.week]
        solver = queries.find_solver(user) or Solver(user=user)
        return self.respond({"solver": solver, "streak": streak, "week": week})

    def attach_given(self, puzzles: Sequence[Puzzle]) -> None:
        """Read the reader's answers to these puzzles."""
        user = self.request.user
        self.given = queries.fetch_answers(puzzles, user if isinstance(user, User) else None)

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context with the reader's answers."""
        return super().get_serializer_context() | {"given": getattr(self, "given", {})}


def puzzle_or_404(kind: str, day: str) -> Puzzle:
    """Return the puzzle of a kind and a day. Raise NotFound."""
    try:
        asked = queries.today() if day == TODAY else date.fromisoformat(day)
    except ValueError:
        raise NotFound(_("Give the day as `today` or as a date such as 2026-11-30.")) from None
    if kind not in Puzzle.Kind.values:
        raise NotFound(_("The kinds of puzzles are: %(kinds)s.") % {"kinds": ", ".join(Puzzle.Kind.values)})
    return require_row(queries.find_puzzle(kind, asked), _("That day has no puzzle."))

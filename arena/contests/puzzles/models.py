"""Puzzles, the answers that people gave, and the ratings of those who solve them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from arena.contests.ladders.rating import INITIAL_DEVIATION_ELO, INITIAL_RATING_ELO
from arena.matches.models import Match
from engine.core import Json, State
from engine.registry import find_game

MAX_GUEST_KEY_LENGTH = 64
MAX_SECONDS = 24 * 60 * 60
"""Nobody takes longer for an answer."""


class Puzzle(models.Model):
    """A position with a question and its one right answer. It is shown from its day on, and stays in the archive.

    The play up to the position is stored with it, so that it can be shown after the record of its leg is removed.
    """

    class Kind(models.TextChoices):
        CLAIM = "claim"
        """Can this seat claim this flag? If not, which unseen troop refutes it?"""
        BEST = "best"
        """Which of the seat's choices is best?"""

    kind = models.CharField(max_length=10, choices=Kind)
    number = models.PositiveIntegerField(null=True, help_text="Counted from 1 in its kind; null until it has a day.")
    day = models.DateField(null=True, help_text="The day on which it is new; null while it is in stock.")
    match = models.ForeignKey(
        Match, models.CASCADE, null=True, related_name="+", help_text="Null for one from a recorded game."
    )
    recorded_game = models.CharField(
        max_length=80, blank=True, help_text="Slug of the recorded game; empty for one from a match."
    )
    leg = models.PositiveSmallIntegerField(help_text="Number of the leg in its match.")
    turn = models.PositiveIntegerField(help_text="Number of actions played before the position.")
    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=40)
    seat = models.PositiveSmallIntegerField(help_text="The seat that is asked, which is to act.")
    play = models.JSONField(help_text="The play up to the position: options, deal, and actions as [seat, action].")
    question = models.JSONField(help_text="Of a claim: flag, from 1. Of a best choice: hand and legal actions.")
    solution = models.JSONField(
        help_text="Of a claim: claim, and card where it is false. Of a best choice: best, played, chances, error."
    )
    difficulty = models.PositiveSmallIntegerField(help_text="From 1 to 5, by the position alone.")
    rating = models.FloatField(default=INITIAL_RATING_ELO, help_text="How hard solvers find it, in Elo.")
    deviation = models.FloatField(default=INITIAL_DEVIATION_ELO, help_text="Standard deviation of the rating.")
    position_hash = models.CharField(max_length=64, unique=True, help_text="Equal for equal positions.")
    first_tries = models.PositiveIntegerField(default=0, help_text="Number of people who answered, guests included.")
    first_right = models.PositiveIntegerField(default=0, help_text="How many of them were right at once.")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["-day", "kind", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["kind", "day"], name="one_puzzle_of_a_kind_per_day"),
            models.UniqueConstraint(fields=["kind", "number"], name="one_puzzle_of_a_kind_per_number"),
        ]
        indexes = [models.Index(fields=["kind", "id"], condition=Q(day=None), name="puzzles_in_stock")]

    def __str__(self) -> str:
        return f"{self.kind} puzzle {self.pk}" if self.number is None else f"{self.kind} puzzle number {self.number}"

    def get_absolute_url(self) -> str:
        """Return the address of its page, once it has a day."""
        return f"/puzzles/{self.day}/{'' if self.kind == self.Kind.CLAIM else f'{self.kind}/'}"

    @property
    def right_percent(self) -> int | None:
        """Return the percentage of people who were right at once; None while nobody has answered."""
        return round(100 * self.first_right / self.first_tries) if self.first_tries else None

    @property
    def state(self) -> State:
        """Return the position, replayed by the engine."""
        play: Json = self.play
        state = find_game(self.game).start(play["options"], 2, play["deal"])
        for _seat, action in play["actions"]:
            state.play(state.parse(action))
        return state

    def is_right(self, answer: Json) -> bool:
        """Return whether a checked answer is the right one."""
        if self.kind == self.Kind.CLAIM:
            return bool(answer == self.solution)
        return bool(answer["action"] == self.solution["best"])


class Answer(models.Model):
    """The first answer of a person to a puzzle. It never changes; later ones are only counted."""

    puzzle = models.ForeignKey(Puzzle, models.CASCADE, related_name="answers")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="puzzle_answers", help_text="Null: a guest."
    )
    guest = models.CharField(
        max_length=MAX_GUEST_KEY_LENGTH, blank=True, help_text="Hash of a guest's session; empty for a user."
    )
    answer = models.JSONField(help_text="Of a claim: claim, and card where it is false. Of a best choice: action.")
    is_right = models.BooleanField()
    seconds = models.PositiveIntegerField(null=True, help_text="Time taken, as the browser measured it.")
    tries = models.PositiveIntegerField(default=1, help_text="Number of answers given, the first one included.")
    at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["puzzle", "user"], name="one_answer_per_user"),
            models.UniqueConstraint(fields=["puzzle", "guest"], condition=~Q(guest=""), name="one_answer_per_guest"),
            models.CheckConstraint(
                condition=Q(user__isnull=False, guest="") | (Q(user=None) & ~Q(guest="")), name="answer_of_one_person"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-at"], name="answers_of_user"),
            models.Index(fields=["at"], condition=Q(user=None), name="answers_of_guests"),
        ]

    def __str__(self) -> str:
        return f"answer of {self.user or 'a guest'} to {self.puzzle}"


class Solver(models.Model):
    """The rating of a user as a solver of puzzles, on the scale of the puzzles' own ratings."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="solver")
    rating = models.FloatField(default=INITIAL_RATING_ELO)
    deviation = models.FloatField(default=INITIAL_DEVIATION_ELO, help_text="Standard deviation of the rating.")
    answered = models.PositiveIntegerField(default=0, help_text="Number of puzzles answered.")
    right = models.PositiveIntegerField(default=0, help_text="How many of them were answered right at once.")

    class Meta:
        ordering = ["-rating"]

    def __str__(self) -> str:
        return f"solver {self.user}"

"""Formations of Battalion, their uses in rated legs, and how far the ledgers of ladders have been read for them."""

from urllib.parse import urlencode

from django.conf import settings
from django.db import models
from django.db.models import Q

from arena.bots.models import BotVersion
from arena.contests.ladders.models import Ladder
from arena.matches.models import Match, Participant
from engine.games.battalion import formations as library
from engine.games.battalion.geometry import Rows

GAME_KEY = "battalion"
MAX_SHAPE_LENGTH = 60
"""Characters; the longest shape has twelve cells of two digits each."""
MAX_NAME_LENGTH = 30


class FormationQuerySet(models.QuerySet["Formation"]):
    """Filters of formations."""

    def of_library(self) -> "FormationQuerySet":
        """Return those that the engine names."""
        return self.filter(shape__in=library_shapes())

    def named(self) -> "FormationQuerySet":
        """Return those with a name, of the engine or given by staff."""
        return self.filter(~Q(name="") | Q(shape__in=library_shapes()))

    def unnamed(self) -> "FormationQuerySet":
        """Return those without a name."""
        return self.filter(name="").exclude(shape__in=library_shapes())

    def used(self) -> "FormationQuerySet":
        """Return those that were laid out in a rated leg that counts."""
        return self.filter(Q(deployed__gt=0) | Q(reformed__gt=0))


class Formation(models.Model):
    """A shape: which cells a formation has, whatever cards lie in them. A shape and its mirror image are the same."""

    shape = models.CharField(
        max_length=MAX_SHAPE_LENGTH, unique=True, help_text="Half-columns of each row, front to back: 0,2,4/1,3."
    )
    index = models.CharField(max_length=5, help_text="Number of cells in each of three rows, from the front.")
    cells = models.PositiveSmallIntegerField(help_text="Number of cells, without the guard's.")
    name = models.CharField(max_length=MAX_NAME_LENGTH, blank=True, help_text="English name given by staff.")
    name_hu = models.CharField("Hungarian name", max_length=MAX_NAME_LENGTH, blank=True, help_text="Given by staff.")
    named_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    named_at = models.DateTimeField(null=True)

    first_version = models.ForeignKey(
        BotVersion, models.SET_NULL, null=True, related_name="+", help_text="Version that laid it out first."
    )
    first_match = models.ForeignKey(
        Match, models.SET_NULL, null=True, related_name="+", help_text="Rated match in which it was laid out first."
    )
    deployed = models.PositiveIntegerField(default=0, help_text="How often it was deployed in rated legs.")
    deployed_points = models.FloatField(default=0.0, help_text="Sum of the points of these legs, at most 1 each.")
    reformed = models.PositiveIntegerField(default=0, help_text="How often bots reformed into it in rated legs.")
    reformed_points = models.FloatField(default=0.0, help_text="Sum of the points of these legs, at most 1 each.")

    objects = FormationQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=~Q(name=""), name="one_formation_per_name"),
            models.UniqueConstraint(fields=["name_hu"], condition=~Q(name_hu=""), name="one_formation_per_name_hu"),
        ]
        indexes = [models.Index(fields=["-deployed", "id"], name="formation_by_use")]

    def __str__(self) -> str:
        return f"{self.english_name or 'unnamed'}, {self.index}"

    def get_absolute_url(self) -> str:
        """Return the address of the library with this formation alone."""
        return f"/rules/battalion/formations/?{urlencode({'shape': self.shape})}"

    @property
    def rows(self) -> Rows:
        """The half-columns of each row, front to back."""
        return library.read_shape(self.shape)

    @property
    def library_name(self) -> str:
        """The engine's name of it, which the catalogue translates; empty if it has none."""
        named = library.find_named(self.rows)
        return named.name if named else ""

    @property
    def english_name(self) -> str:
        """Its name in English; empty if it has none."""
        return self.library_name or self.name

    @property
    def is_library(self) -> bool:
        """Return whether the engine names it."""
        return bool(self.library_name)

    @property
    def is_named(self) -> bool:
        """Return whether it has a name."""
        return bool(self.english_name)

    @property
    def hand(self) -> int:
        """Number of cards in hand once it is deployed."""
        return library.count_hand(self.rows)

    @property
    def example(self) -> str:
        """An action that deploys it."""
        return library.example_of(self.rows)

    @property
    def deployed_mean(self) -> float | None:
        """Mean points of the legs in which it was deployed; None if it never was."""
        return self.deployed_points / self.deployed if self.deployed else None

    @property
    def reformed_mean(self) -> float | None:
        """Mean points of the legs in which a bot reformed into it; None if none did."""
        return self.reformed_points / self.reformed if self.reformed else None


def library_shapes() -> list[str]:
    """Return the shapes that the engine names, in its order."""
    return [library.print_shape(rows) for rows in library.LIBRARY]


def make_formation(shape: str) -> Formation:
    """Return a formation of this shape, which is not stored yet."""
    rows = library.read_shape(shape)
    lengths = [len(row) for row in rows]
    return Formation(shape=shape, index=library.format_formation_index(lengths), cells=sum(lengths))


class FormationUse(models.Model):
    """The uses of a formation by a participant of a rated match, and their points. A match counts once."""

    class Kind(models.TextChoices):
        DEPLOY = "deploy"
        REFORM = "reform"

    formation = models.ForeignKey(Formation, models.CASCADE, related_name="uses")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="formation_uses")
    kind = models.CharField(max_length=6, choices=Kind)
    legs = models.PositiveSmallIntegerField(help_text="Number of legs in which it did.")
    points = models.FloatField(help_text="Sum of the points of these legs, at most 1 each.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "formation", "kind"], name="one_use_per_participant_and_formation"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.formation} by {self.participant}"


class FormationProgress(models.Model):
    """The position up to which the ledger of a ladder has been read for formations."""

    ladder = models.OneToOneField(Ladder, models.CASCADE, related_name="formation_progress")
    sequence = models.PositiveIntegerField(default=0, help_text="The last line that was read.")
    counted_at = models.DateTimeField(null=True, help_text="When the sums changed last; null before that was kept.")

    def __str__(self) -> str:
        return f"{self.ladder}: formations up to line {self.sequence}"

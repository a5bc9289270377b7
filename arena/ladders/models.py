from django.db import models

from arena.bots.models import BotVersion
from arena.matches.models import Match
from engine.registry import find_game


class Ladder(models.Model):
    """A standing contest in one edition of a game."""

    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=40)
    title = models.CharField(max_length=80)

    class Meta:
        ordering = ["game", "pk"]
        constraints = [models.UniqueConstraint(fields=["game", "edition"], name="one_ladder_per_edition")]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/ladders/{self.game}/{self.edition}/"

    @property
    def edition_name(self) -> str:
        """Its title among the ladders of its game."""
        return find_game(self.game).editions[self.edition]

    @property
    def rules_url(self) -> str:
        return f"/rules/{self.game}/{self.edition}/"


class EntryQuerySet(models.QuerySet["Entry"]):
    def active(self) -> "EntryQuerySet":
        return self.filter(active=True)

    def standing(self, ladder: Ladder) -> "EntryQuerySet":
        """The active entries, best first, with version, bot and owner read along."""
        return (
            self.active()
            .filter(ladder=ladder)
            .select_related("version__bot__owner")
            .defer("version__build_log")
            .order_by("-rating", "-matches", "pk")
        )


class Entry(models.Model):
    """One version on one ladder."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="entries")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="entries")
    parent = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="children", help_text="The entry it took over from."
    )
    first_rating = models.FloatField(default=1500.0)
    rating = models.FloatField(default=1500.0)
    matches = models.PositiveIntegerField(default=0, help_text="Rated ones.")
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["ladder", "version"], name="one_entry_per_version")]
        indexes = [models.Index(fields=["ladder", "active", "-rating"], name="entry_standing")]

    def __str__(self) -> str:
        return f"{self.version} on {self.ladder}"


class LadderMatchQuerySet(models.QuerySet["LadderMatch"]):
    def rated(self) -> "LadderMatchQuerySet":
        """In the order in which they were rated."""
        return self.exclude(sequence=None).order_by("ladder", "sequence")


class LadderMatch(models.Model):
    """A match played for a ladder."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="ladder_matches")
    match = models.OneToOneField(Match, models.CASCADE, related_name="ladder_match")
    sequence = models.PositiveIntegerField(
        null=True, help_text="Place in the ladder's order of rating, from 1; null until rated."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LadderMatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "ladder matches"
        constraints = [models.UniqueConstraint(fields=["ladder", "sequence"], name="one_rated_match_per_sequence")]

    def __str__(self) -> str:
        return f"{self.match} on {self.ladder}"


class RatingChange(models.Model):
    """What one rated match did to one entry."""

    ladder_match = models.ForeignKey(LadderMatch, models.CASCADE, related_name="changes")
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="changes")
    before = models.FloatField()
    after = models.FloatField()

    class Meta:
        ordering = ["ladder_match__sequence", "pk"]
        constraints = [models.UniqueConstraint(fields=["ladder_match", "entry"], name="one_change_per_entry")]

    def __str__(self) -> str:
        return f"{self.entry}: {self.before:.0f} → {self.after:.0f}"

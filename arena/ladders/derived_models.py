"""Models of what is computed from the results of a ladder and kept: sums, fits, daily ratings and reports."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.timezone import now


class PairStat(models.Model):
    """Sums of the rated results of two entries in matches with this many seats. Integers: order doesn't matter."""

    ladder = models.ForeignKey("ladders.Ladder", models.CASCADE, related_name="pair_stats")
    low = models.ForeignKey("ladders.Entry", models.CASCADE, related_name="+", help_text="The entry with the lower id.")
    high = models.ForeignKey("ladders.Entry", models.CASCADE, related_name="+")
    seats = models.PositiveSmallIntegerField(
        help_text="Number of seats, which is also the number of legs of each match."
    )
    matches = models.PositiveIntegerField(default=0)
    halves = models.PositiveBigIntegerField(
        default=0, help_text="Half points of `low` in all legs: 2 for a better place, 1 for a shared one."
    )
    squares = models.PositiveBigIntegerField(default=0, help_text="Sum of the squared half points of `low` per match.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["low", "high", "seats"], name="one_stat_per_pair_and_seats"),
            models.CheckConstraint(condition=Q(low__lt=F("high")), name="low_before_high"),
        ]

    def __str__(self) -> str:
        return f"{self.low_id} and {self.high_id} at {self.seats}: {self.halves} of {2 * self.matches * self.seats}"


class Fit(models.Model):
    """A computation of all ratings of a ladder."""

    ladder = models.ForeignKey("ladders.Ladder", models.CASCADE, related_name="fits")
    sequence = models.PositiveIntegerField(help_text="Number of the last line of the ledger in the fit.")
    entries = models.PositiveIntegerField()
    dispersion = models.FloatField()
    pair_interaction_sd = models.FloatField(null=True)
    seconds = models.FloatField()
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["ladder", "pk"]

    def __str__(self) -> str:
        return f"fit of {self.ladder} at {self.sequence}"


class RatingPoint(models.Model):
    """The rating of an entry at the last fit of a day."""

    entry = models.ForeignKey("ladders.Entry", models.CASCADE, related_name="history")
    day = models.DateField()
    rating = models.FloatField()
    deviation = models.FloatField()
    rank = models.PositiveIntegerField(null=True, help_text="Rank on that day; null if not ranked.")
    matches = models.PositiveIntegerField(help_text="Number of rated matches until then.")

    class Meta:
        ordering = ["entry", "day"]
        constraints = [models.UniqueConstraint(fields=["entry", "day"], name="one_point_per_day")]

    def __str__(self) -> str:
        return f"{self.entry} on {self.day}: {self.rating:.0f}"


class CollusionReport(models.Model):
    """An entry whose results against the bots of an author are out of line with all ratings, for staff to judge."""

    entry = models.ForeignKey("ladders.Entry", models.CASCADE, related_name="collusion_reports")
    opponent = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", help_text="Author of the opponents."
    )
    z = models.FloatField(help_text="Deviation of the score from the expected one, in standard deviations.")
    matches = models.PositiveIntegerField()
    found_at = models.DateTimeField(default=now)
    dismissed_at = models.DateTimeField(
        null=True, blank=True, help_text="When staff dismissed the report; null if they did not."
    )

    class Meta:
        ordering = ["-found_at"]
        constraints = [models.UniqueConstraint(fields=["entry", "opponent"], name="one_suspicion_per_owner")]

    def __str__(self) -> str:
        return f"{self.entry} against {self.opponent}: {self.z:+.1f}"

"""Sums of what happens in rated legs, by ladder and by entry, what each leg added to them, and how far that is."""

from django.db import models

from arena.contests.ladders.models import Entry, Ladder
from arena.matches.models import Leg, Match
from engine.replay import MAX_WORD_LENGTH


class Cell(models.Model):
    """A cell of a chart of a ladder: how often it happened in all counted legs.

    What is true of a whole leg, as its length, counts once a leg here, and once for each of its entries there.
    """

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="+")
    chart = models.CharField(max_length=MAX_WORD_LENGTH)
    row = models.CharField(max_length=MAX_WORD_LENGTH)
    column = models.CharField(max_length=MAX_WORD_LENGTH, blank=True, help_text="Empty in charts without columns.")
    count = models.PositiveIntegerField(default=0)
    points = models.FloatField(
        default=0.0, help_text="Points of the legs of who did it, from 0 to 1, once each time; 0 of whole legs."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ladder", "chart", "row", "column"], name="one_cell_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.chart} {self.row} {self.column}: {self.count}"


class EntryCell(models.Model):
    """How often it happened to an entry, in the same sense."""

    cell = models.ForeignKey(Cell, models.CASCADE, related_name="entries")
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="+")
    count = models.PositiveIntegerField(default=0)
    points = models.FloatField(default=0.0, help_text="As those of the cell.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entry", "cell"], name="one_sum_per_entry_and_cell")]

    def __str__(self) -> str:
        return f"{self.entry_id} in {self.cell_id}: {self.count}"


class LegCounts(models.Model):
    """What a leg added to the sums. A leg is counted while it has this row."""

    leg = models.OneToOneField(Leg, models.CASCADE, primary_key=True, related_name="+")
    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="+")
    match = models.ForeignKey(Match, models.CASCADE, related_name="+", db_index=False)
    entries = models.JSONField(help_text="Keys of the entries, by participant.")
    points = models.JSONField(help_text="Points in the leg, from 0 to 1, by participant.")
    cells = models.JSONField(
        help_text="Keys of the cells, by participant, as often as it happened; then those of the leg as a whole."
    )

    class Meta:
        verbose_name_plural = "leg counts"
        indexes = [models.Index(fields=["ladder", "-match"], name="leg_counts_newest")]

    def __str__(self) -> str:
        return f"counts of leg {self.leg_id}"


class AtlasProgress(models.Model):
    """How far the ledger of a ladder is counted."""

    ladder = models.OneToOneField(Ladder, models.CASCADE, related_name="atlas_progress")
    sequence = models.PositiveIntegerField(default=0, help_text="The last line that was read.")
    legs = models.PositiveIntegerField(default=0, help_text="Number of legs in the sums.")
    version = models.CharField(max_length=20, help_text="What was counted: the site's and the game's counting version.")
    counted_at = models.DateTimeField(null=True, help_text="When the sums changed last; null before that was kept.")

    class Meta:
        verbose_name_plural = "atlas progress"

    def __str__(self) -> str:
        return f"{self.ladder}: {self.legs} legs, up to line {self.sequence}"

"""A story of a day."""

from django.db import models

from arena.contests.ladders.models import Entry
from arena.matches.models import Match


class Story(models.Model):
    """The story of its kind of a day. It is chosen anew every hour until the day is over, and then stays."""

    class Kind(models.TextChoices):
        MATCH_OF_THE_DAY = "match of the day"
        UPSET = "upset"
        LONGEST = "longest"
        NARROWEST_CLAIM = "narrowest claim"
        CLIMBER = "climber"
        RIVALRY = "rivalry"
        SAME_CARDS = "same cards"
        ONE_WIN_EACH = "one win each"

    day = models.DateField()
    kind = models.CharField(max_length=20, choices=Kind)
    match = models.ForeignKey(
        Match, models.CASCADE, null=True, related_name="+", help_text="The match that it tells of; null if of none."
    )
    leg = models.PositiveSmallIntegerField(null=True, help_text="Number of the leg that is shown.")
    first = models.ForeignKey(Entry, models.CASCADE, related_name="+", help_text="Whom it is about: who won or rose.")
    second = models.ForeignKey(Entry, models.CASCADE, null=True, related_name="+", help_text="The other one, if any.")
    facts = models.JSONField(default=dict, help_text="The figures of its sentence, by name.")

    class Meta:
        ordering = ["-day", "pk"]
        verbose_name_plural = "stories"
        constraints = [models.UniqueConstraint(fields=["day", "kind"], name="one_story_of_a_kind_per_day")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.day}"

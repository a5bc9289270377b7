"""Challenges: unrated matches requested by an author."""

from django.conf import settings
from django.db import models
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.tournaments.models import Tournament
from arena.matches.models import Match


class Challenge(models.Model):
    """An unrated match requested by an author."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="challenges")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="challenges")
    match = models.OneToOneField(Match, models.CASCADE, related_name="challenge")
    tournament = models.ForeignKey(
        Tournament,
        models.SET_NULL,
        null=True,
        related_name="practice",
        help_text="The tournament by whose rules it is practice; null: of none.",
    )
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["owner", "-created_at"], name="challenges_of_owner")]

    def __str__(self) -> str:
        return f"challenge by {self.version}: {self.match}"

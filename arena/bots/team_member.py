"""The people who work on a bot together."""

from django.conf import settings
from django.db import models
from django.utils.timezone import now


class TeamMemberQuerySet(models.QuerySet["TeamMember"]):
    """Selections of the people on teams."""

    def joined(self) -> "TeamMemberQuerySet":
        """Return those who have accepted their invitation."""
        return self.filter(joined_at__isnull=False)

    def invited(self) -> "TeamMemberQuerySet":
        """Return those who have not answered their invitation."""
        return self.filter(joined_at=None, declined_at=None)


class TeamMember(models.Model):
    """A person who works on a bot beside the one who leads, which is the bot's owner, or is invited to."""

    bot = models.ForeignKey("bots.Bot", models.CASCADE, related_name="team")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="team_places")
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    invited_at = models.DateTimeField(default=now)
    joined_at = models.DateTimeField(null=True, help_text="When the invitation was accepted; null before that.")
    declined_at = models.DateTimeField(
        null=True, help_text="When the invitation was refused or withdrawn: there is no other for a while after that."
    )

    objects = TeamMemberQuerySet.as_manager()

    class Meta:
        ordering = ["joined_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["bot", "user"], name="one_team_place_each")]

    def __str__(self) -> str:
        return f"{self.user} for {self.bot}"

"""What organisers decide about a tournament: one line for each act, which is added with it."""

from django.conf import settings
from django.db import models
from django.utils.timezone import now

from arena.fields import MessageField


class Act(models.TextChoices):
    """Something that an organiser decides about a tournament."""

    OPEN_ENTRIES = "entries.open"
    CLOSE_ENTRIES = "entries.close"
    APPROVE_ENTRY = "entry.approve"
    REFUSE_ENTRY = "entry.refuse"
    WITHDRAW_ENTRANT = "entrant.withdraw"
    DISQUALIFY_ENTRANT = "entrant.disqualify"
    CHANGE_SETTINGS = "settings.change"
    SET_SEEDS = "seeds.set"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    REPLAY_ROUND = "round.replay"
    DECIDE_PAIRING = "pairing.decide"
    UNDO_DECISION = "pairing.undo"
    RENEW_CODE = "code.renew"
    PUBLISH = "publish"
    ADD_ORGANISER = "organiser.add"
    REMOVE_ORGANISER = "organiser.remove"


ORGANISERS_ACTS = frozenset(
    {
        Act.APPROVE_ENTRY,
        Act.REFUSE_ENTRY,
        Act.RENEW_CODE,
        Act.PUBLISH,
        Act.ADD_ORGANISER,
        Act.REMOVE_ORGANISER,
    }
)
"""The acts that touch no result: only organisers read them."""


class OrganiserAct(models.Model):
    """An act of an organiser: who did what when, and why. Acts are never changed."""

    tournament = models.ForeignKey("tournaments.Tournament", models.CASCADE, related_name="acts")
    at = models.DateTimeField(default=now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Who did it; null where the arena did it by itself, or the account is gone.",
    )
    act = models.CharField(max_length=20, choices=Act)
    text = MessageField(help_text="What was done.")
    reason = models.TextField(blank=True, help_text="Why, in the words of who did it.")
    is_public = models.BooleanField(help_text="Whether everybody who sees the tournament may read it.")

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["tournament", "-id"], name="acts_of_tournament")]

    def __str__(self) -> str:
        return f"{self.tournament}: {self.text}"

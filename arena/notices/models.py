import secrets
from base64 import b64encode

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.timezone import now

KEY_PREFIX = "whsec_"


class Event(models.TextChoices):
    """What people and their programs are told of."""

    TRIAL_OVER = "trial.over"
    MATCH_OVER = "match.over"
    SUSPENDED = "bot.suspended"
    COMPARISON_DECIDED = "comparison.decided"
    TOURNAMENT_CHECK = "tournament.check"
    TOURNAMENT_BEGUN = "tournament.begun"
    TOURNAMENT_LEFT = "tournament.left"
    TOURNAMENT_OVER = "tournament.over"
    WEBHOOK_OFF = "webhook.off"
    PING = "ping"


class NoticeQuerySet(models.QuerySet["Notice"]):
    def unseen(self) -> "NoticeQuerySet":
        return self.filter(seen_at=None)


class Notice(models.Model):
    """Something that a user should know, on the site."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices")
    event = models.CharField(max_length=30, choices=Event)
    text = models.TextField()
    url = models.CharField(max_length=200, blank=True, help_text="The page it is about, from the root of the site.")
    about = models.CharField(max_length=60, blank=True, help_text="What it is about, so that it is told once.")
    created_at = models.DateTimeField(default=now)
    seen_at = models.DateTimeField(null=True)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "event", "about"], condition=~Q(about=""), name="one_notice_each")
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="notices_of_user"),
            models.Index(fields=["user"], condition=Q(seen_at=None), name="notices_unseen"),
        ]

    def __str__(self) -> str:
        return self.text


def new_key() -> str:
    return KEY_PREFIX + b64encode(secrets.token_bytes(32)).decode()


class Webhook(models.Model):
    """An address of a user's that is told of events, signed."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks")
    url = models.URLField(max_length=300)
    key = models.CharField(max_length=80, default=new_key, help_text="Signs what is sent; its owner's to see.")
    events = models.JSONField(default=list, help_text="Which it wants.")
    is_active = models.BooleanField(default=True)
    failures = models.PositiveIntegerField(default=0, help_text="In a row.")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One event for one webhook, tried until it is taken or given up."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given up"

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=30, choices=Event)
    about = models.CharField(max_length=60, blank=True, help_text="What it is about, so that it is told once.")
    payload = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=now, help_text="Not to be tried before.")
    status = models.PositiveSmallIntegerField(null=True, help_text="Of the last answer, where there was one.")
    error = models.TextField(blank=True, help_text="What was wrong with the last try.")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["webhook", "event", "about"], condition=~Q(about=""), name="one_delivery_each"
            )
        ]
        indexes = [models.Index(fields=["next_at"], condition=Q(state="waiting"), name="deliveries_waiting")]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook}"

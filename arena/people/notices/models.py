"""Notices for users, and webhooks that send events to their programs."""

import secrets
from base64 import b64encode

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from arena.core.messages import MessageField

WEBHOOK_KEY_PREFIX = "whsec_"


class Event(models.TextChoices):
    """An event that users and their webhooks are notified of."""

    TRIAL_FINISHED = "trial.finished"
    MATCH_FINISHED = "match.finished"
    SUSPENDED = "bot.suspended"
    COMPARISON_DECIDED = "comparison.decided"
    TOURNAMENT_CHECK = "tournament.check"
    TOURNAMENT_STARTED = "tournament.started"
    TOURNAMENT_LEFT = "tournament.left"
    TOURNAMENT_FINISHED = "tournament.finished"
    WEBHOOK_DISABLED = "webhook.disabled"
    NAME_CONFUSABLE = "name.confusable"
    LUCK_SUSPENDED = "luck.suspended"
    VERSION_HELD_BACK = "version.held_back"
    ACCOUNT_WAITING = "account.waiting"
    ACCOUNT_APPROVED = "account.approved"
    ACCOUNT_SUSPENDED = "account.suspended"
    ACCOUNT_REINSTATED = "account.reinstated"
    ACCOUNT_LINK = "account.link"
    FOLLOWED_NEWS = "following.news"
    GROUP_INVITATION = "group.invitation"
    TOURNAMENT_REMINDER = "tournament.reminder"
    ANNOUNCEMENT = "announcement"
    PING = "ping"


class NoticeQuerySet(models.QuerySet["Notice"]):
    """Filters of notices."""

    def unseen(self) -> "NoticeQuerySet":
        """Return those that their user has not seen yet."""
        return self.filter(seen_at=None)


class Notice(models.Model):
    """A notification of one user, shown on the site."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices")
    event = models.CharField(max_length=30, choices=Event)
    text = MessageField()
    url = models.CharField(max_length=200, blank=True, help_text="The page it is about, from the root of the site.")
    about = models.CharField(
        max_length=60, blank=True, help_text="Its subject: there is one notice of an event for each."
    )
    created_at = models.DateTimeField(default=now)
    seen_at = models.DateTimeField(null=True)
    mail_due_at = models.DateTimeField(
        null=True,
        help_text="Since when its mail is due, or until when somebody sends it; null where none is to be sent.",
    )

    objects = NoticeQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "event", "about"], condition=~Q(about=""), name="one_notice_each")
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="notices_of_user"),
            models.Index(fields=["user"], condition=Q(seen_at=None), name="notices_unseen"),
            models.Index(fields=["mail_due_at"], condition=~Q(mail_due_at=None), name="notices_to_mail"),
        ]

    def __str__(self) -> str:
        return str(self.text or "")


class Announcement(models.Model):
    """What organisers announced to their group or tournament, or what the arena told these of a deadline."""

    text = MessageField(help_text="What was announced; the words of organisers are literal, and plain text.")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", help_text="Who announced or changed it."
    )
    created_at = models.DateTimeField(default=now)

    class Meta:
        abstract = True
        ordering = ["-pk"]

    def __str__(self) -> str:
        return str(self.text or "")

    @property
    def about(self) -> str:
        """Return the subject of its notices."""
        return f"{self._meta.model_name} {self.pk}"


def new_key() -> str:
    """Return a new random key for the signatures of a webhook."""
    return WEBHOOK_KEY_PREFIX + b64encode(secrets.token_bytes(32)).decode()


class Webhook(models.Model):
    """An address of a user that events are sent to, signed."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks")
    url = models.URLField(max_length=300)
    key = models.CharField(max_length=80, default=new_key, help_text="Signs what is sent; shown to its owner only.")
    events = models.JSONField(default=list, help_text="The events it is sent.")
    is_active = models.BooleanField(default=True)
    failures = models.PositiveIntegerField(default=0, help_text="Consecutive events that could not be delivered.")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One event for one webhook, tried until it is accepted or given up."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GAVE_UP = "gave_up"

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=30, choices=Event)
    about = models.CharField(max_length=60, blank=True, help_text="Its subject: there is one delivery for each.")
    payload = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=now, help_text="When the next attempt is due.")
    status = models.PositiveSmallIntegerField(null=True, help_text="HTTP status of the last answer, if any.")
    error = MessageField(help_text="Why the last attempt failed.")
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

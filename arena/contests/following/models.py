"""Whom and what a user follows, how its news reach the user, and the news."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.contests.ladders.models import Ladder
from arena.contests.tournaments.models import Tournament
from arena.matches.models import Match


class Follow(models.Model):
    """A user follows a bot, an author, or a ladder of an edition in all its seasons."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="follows")
    bot = models.ForeignKey(Bot, models.CASCADE, null=True, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    game = models.CharField(max_length=40, blank=True, help_text="Key of the ladder's game; empty if it is no ladder.")
    edition = models.CharField(max_length=40, blank=True, help_text="Key of the ladder's edition.")
    clock = models.CharField(max_length=8, blank=True, help_text="Clock of an open ladder; empty for all others.")
    created_at = models.DateTimeField(default=now)

    ladder: "Ladder | None"
    """The latest season of the ladder, None for a bot or an author; set by the queries that list follows."""

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "bot"], name="one_follow_per_bot"),
            models.UniqueConstraint(fields=["user", "author"], name="one_follow_per_author"),
            models.UniqueConstraint(
                fields=["user", "game", "edition", "clock"], condition=~Q(game=""), name="one_follow_per_ladder"
            ),
            models.CheckConstraint(
                condition=Q(bot__isnull=False, author=None, game="")
                | Q(bot=None, author__isnull=False, game="")
                | (Q(bot=None, author=None) & ~Q(game="")),
                name="follow_of_one_thing",
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="follows_of_user"),
            models.Index(fields=["game", "edition"], condition=~Q(game=""), name="follows_of_ladder"),
        ]

    def __str__(self) -> str:
        return f"{self.user} follows {self.bot or self.author or self.ladder_path}"

    @property
    def ladder_key(self) -> tuple[str, str, str]:
        """Return the ladder's game, edition and clock."""
        return self.game, self.edition, self.clock

    @property
    def ladder_path(self) -> str:
        """Return what names the ladder in addresses, as battleline/standard/open."""
        return "/".join(filter(None, self.ladder_key))


class Timing(models.TextChoices):
    """When, and so by which way, news of what a user follows reach that user."""

    AT_ONCE = "at_once"
    DAILY = "daily"
    WEEKLY = "weekly"
    NEVER = "never"


DIGEST_TIMINGS = (Timing.DAILY, Timing.WEEKLY)


def new_unsubscribe_key() -> str:
    """Return a new random key for the link that ends digests."""
    return secrets.token_urlsafe(24)


class NewsPreference(models.Model):
    """How a user is told of news. Users without a row are told at once, on the site."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="news_preference")
    timing = models.CharField(max_length=10, choices=Timing, default=Timing.AT_ONCE)
    language = models.CharField(
        max_length=10, blank=True, help_text="Language of the digests: the one it chose them in."
    )
    site = models.CharField(max_length=300, blank=True, help_text="Address of the front page as its user opened it.")
    unsubscribe_key = models.CharField(
        max_length=40, default=new_unsubscribe_key, unique=True, help_text="Part of the link in mails that ends them."
    )
    mails_announcements = models.BooleanField(
        default=True, help_text="Whether it gets announcements of groups and tournaments by mail, too."
    )
    mailed_until = models.DateTimeField(default=now, help_text="News until then were in a digest, or weren't for one.")
    next_digest_at = models.DateTimeField(null=True, help_text="When the next digest is due; null if none is.")

    class Meta:
        indexes = [models.Index(fields=["next_digest_at"], condition=~Q(next_digest_at=None), name="digests_due")]

    def __str__(self) -> str:
        return f"{self.user}: {self.timing}"


class News(models.Model):
    """Something that happened to a bot or on a ladder, for those who follow what it concerns."""

    class Kind(models.TextChoices):
        NEW_BOT = "new_bot"
        VERSION = "version"
        PLACE = "place"
        LEADER = "leader"
        TITLE = "title"
        MATCH_OF_THE_DAY = "match_of_the_day"
        UPSET = "upset"
        SEASON = "season"

    kind = models.CharField(max_length=20, choices=Kind)
    about = models.CharField(max_length=60, help_text="Its subject: nobody is told twice of the same one.")
    bot = models.ForeignKey(Bot, models.CASCADE, null=True, related_name="+")
    other = models.ForeignKey(Bot, models.CASCADE, null=True, related_name="+", help_text="The opponent in a match.")
    ladder = models.ForeignKey(Ladder, models.CASCADE, null=True, related_name="+")
    match = models.ForeignKey(Match, models.CASCADE, null=True, related_name="+")
    tournament = models.ForeignKey(Tournament, models.CASCADE, null=True, related_name="+")
    facts = models.JSONField(default=dict, help_text="The figures of its sentence, by name.")
    happened_at = models.DateTimeField(default=now, help_text="When it was found.")
    told_at = models.DateTimeField(null=True, help_text="When those who want to know at once were told; null before.")

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "news"
        constraints = [models.UniqueConstraint(fields=["kind", "about"], name="one_news_of_a_kind_per_subject")]
        indexes = [
            models.Index(fields=["happened_at"], name="news_by_time"),
            models.Index(fields=["id"], condition=Q(told_at=None), name="news_untold"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.about}"


class LadderTop(models.Model):
    """Who led a season when its followers were last told."""

    ladder = models.OneToOneField(Ladder, models.CASCADE, related_name="+")
    leader = models.ForeignKey(Bot, models.SET_NULL, null=True, related_name="+")
    told_at = models.DateTimeField(null=True, help_text="When there was last news of its leader.")

    def __str__(self) -> str:
        return f"{self.leader} leads {self.ladder}"


class BotPlace(models.Model):
    """Where a bot stood on a ladder when its followers were last told; without a row it was below the first three."""

    class Level(models.IntegerChoices):
        FIRST = 1
        TOP = 2
        BELOW = 3

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="+")
    bot = models.ForeignKey(Bot, models.CASCADE, related_name="+")
    level = models.PositiveSmallIntegerField(choices=Level)
    told_at = models.DateTimeField(null=True, help_text="When there was last news of its place there.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ladder", "bot"], name="one_place_per_bot")]

    def __str__(self) -> str:
        return f"{self.bot} on {self.ladder}: {self.get_level_display()}"

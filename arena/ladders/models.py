import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.fields import MessageField
from arena.ladders.rating.elo import FIRST, FIRST_DEVIATION, INTERVAL
from arena.matches.models import Match
from engine.registry import find_game

INACTIVE_AFTER = timedelta(days=30)
"""Who had no rated match for so long leaves the standing, and keeps its rating."""


MATCH_SECONDS = 5.0
"""Taken to be how long a match lasts, before any was played."""


def new_secret() -> str:
    return secrets.token_hex(32)


class LadderQuerySet(models.QuerySet["Ladder"]):
    def open(self) -> "LadderQuerySet":
        """Those of the seasons that run: one for each edition."""
        return self.filter(closed_at=None)

    def usual_seconds(self, game: str, edition: str) -> float:
        """How long a match of that edition takes, as its ladder knows; a guess where there is none."""
        running = self.open().filter(game=game, edition=edition)
        return running.values_list("match_seconds", flat=True).first() or MATCH_SECONDS

    def due_for_fit(self) -> "LadderQuerySet":
        """Those with something that their last fit doesn't know, which was not just now."""
        news = self.filter(Q(last_sequence__gt=F("fitted_sequence")) | Q(is_stale=True))
        return news.filter(
            Q(fitted_at=None) | Q(fitted_at__lte=now() - timedelta(seconds=settings.LADDER_REFIT_SECONDS))
        )


class Ladder(models.Model):
    """One season of the standing contest in one edition of a game. Everything is counted afresh in the next."""

    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=40)
    season = models.PositiveIntegerField(default=1, help_text="From 1.")
    title = models.CharField(max_length=80)
    opened_at = models.DateTimeField(default=now)
    closed_at = models.DateTimeField(null=True, blank=True)
    secret = models.CharField(
        max_length=64,
        default=new_secret,
        help_text="All deals of the season come from it. Nobody's to see before its end.",
    )
    commitment = models.CharField(
        max_length=64, help_text="The hash of the secret, public from the start: hexadecimal."
    )

    last_number = models.PositiveIntegerField(default=0, help_text="Number of matches created.")
    last_sequence = models.PositiveIntegerField(default=0, help_text="Number of rated matches in the ledger.")
    next_turn = models.FloatField(
        default=0.0, help_text="Where in the queue's order its next match begins, in seconds."
    )
    match_seconds = models.FloatField(
        default=MATCH_SECONDS, help_text="How long one of its matches takes, a running mean."
    )

    anchor_mean = models.FloatField(default=FIRST, help_text="What the ratings of its anchors come to on average.")
    dispersion = models.FloatField(
        default=0.95, help_text="Dispersion of mirrored pairs: below 1 the deal's luck cancels out."
    )
    pair_interaction_sd = models.FloatField(
        null=True, help_text="Elo by which results of pairs differ from their ratings."
    )
    spread = models.FloatField(default=200.0, help_text="Standard deviation of the active bots' ratings.")
    top_rating = models.FloatField(null=True, help_text="The best tenth of the active bots begins here.")
    fitted_sequence = models.PositiveIntegerField(default=0, help_text="The ledger's last line that is in the fit.")
    fitted_at = models.DateTimeField(null=True)
    fitting_at = models.DateTimeField(null=True, help_text="When the computation began that runs now, if one does.")
    is_stale = models.BooleanField(default=False, help_text="Who plays has changed since the fit.")

    objects = LadderQuerySet.as_manager()

    class Meta:
        ordering = ["game", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["game", "edition", "season"], name="one_ladder_per_season"),
            models.UniqueConstraint(fields=["game", "edition"], condition=Q(closed_at=None), name="one_open_season"),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        """Of the season that runs, or of this one where it is over."""
        page = f"/ladders/{self.game}/{self.edition}/"
        return page if self.closed_at is None else f"{page}seasons/{self.season}/"

    @property
    def edition_name(self) -> str:
        """Its title among the ladders of its game."""
        return find_game(self.game).editions[self.edition]

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands among the ladders of its game: by edition as the game has them, then by season."""
        return list(find_game(self.game).editions).index(self.edition), self.season

    @property
    def idle_before(self) -> datetime:
        """Whose last rated match was earlier is not in its standing."""
        return (self.closed_at or now()) - INACTIVE_AFTER

    @property
    def rules_url(self) -> str:
        return f"/rules/{self.game}/{self.edition}/"


def is_before(entry: "Entry") -> Q:
    """What is true of those that come before this entry in a standing."""
    better = Q(rating__gt=entry.rating) | Q(rating=entry.rating, deviation__lt=entry.deviation)
    better |= Q(rating=entry.rating, deviation=entry.deviation, pk__lt=entry.pk)
    return Q(is_ranked=True) & better if entry.is_ranked else Q(is_ranked=True) | better


class EntryQuerySet(models.QuerySet["Entry"]):
    def active(self) -> "EntryQuerySet":
        return self.filter(state=Entry.State.ACTIVE)

    def standing(self, ladder: Ladder) -> "EntryQuerySet":
        """The active entries, settled ones first, best first; with version, bot and owner read along.

        Whose last rated match is long ago is left out.
        """
        placed = self.placed(ladder.pk, ladder.idle_before)
        return placed.select_related("version__bot__owner").defer("version__build_log")

    def placed(self, ladder: int, idle_before: datetime) -> "EntryQuerySet":
        """The same without what is read along."""
        here = self.active().filter(Q(rated_at=None) | Q(rated_at__gte=idle_before), ladder=ladder)
        return here.order_by("-is_ranked", "-rating", "deviation", "pk")

    def before(self, entry: "Entry") -> "EntryQuerySet":
        """Those of a standing that come before this entry of it."""
        return self.filter(is_before(entry))


class Entry(models.Model):
    """One version on one ladder: what is rated."""

    class State(models.TextChoices):
        ACTIVE = "active"
        SUSPENDED = "suspended"
        RETIRED = "retired"

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="entries")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="entries")
    parent = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="children", help_text="The entry it took over from."
    )
    state = models.CharField(max_length=10, choices=State, default=State.ACTIVE)
    state_reason = MessageField(help_text="Why it doesn't play.")
    is_anchor = models.BooleanField(default=False, help_text="The ladder's scale hangs on it.")

    first_rating = models.FloatField(default=FIRST)
    first_deviation = models.FloatField(default=FIRST_DEVIATION)
    rating = models.FloatField(default=FIRST, help_text="Elo.")
    deviation = models.FloatField(default=FIRST_DEVIATION, help_text="Standard deviation of the rating, Elo.")
    matches = models.PositiveIntegerField(default=0, help_text="Rated ones.")
    points = models.FloatField(default=0.0, help_text="Sum of the points of its rated matches.")
    opponents = models.PositiveIntegerField(default=0, help_text="How many different ones it met in rated matches.")
    is_ranked = models.BooleanField(default=False, help_text="Its rating is known well enough for a rank.")
    in_fit = models.BooleanField(
        null=True, help_text="Whether it counted as active in the ladder's last fit; null where it wasn't in it."
    )
    recent_legs = models.CharField(
        max_length=60,
        blank=True,
        help_text="Its last rated legs since it was last resumed, oldest first: x where it was at fault, . elsewhere.",
    )
    rank_low = models.PositiveIntegerField(null=True, help_text="Its plausible ranks: from this one …")
    rank_high = models.PositiveIntegerField(null=True, help_text="… to this one. Null until settled.")
    group = models.PositiveIntegerField(null=True, help_text="Entries of one group can't be told apart; 1 is the best.")

    last_match = models.ForeignKey(Match, models.SET_NULL, null=True, related_name="+", help_text="Its last rated one.")
    rated_at = models.DateTimeField(null=True, help_text="When its last match was rated.")
    paired_at = models.DateTimeField(default=now, help_text="When a match was last made for it, or it entered.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["ladder", "version"], name="one_entry_per_version")]
        indexes = [
            models.Index(
                "ladder", "state", F("is_ranked").desc(), F("rating").desc(), "deviation", "id", name="entry_standing"
            ),
            models.Index("ladder", "state", "rating", name="entry_by_rating"),
            models.Index("ladder", "state", F("deviation").desc(), name="entry_by_uncertainty"),
            models.Index("ladder", "state", "paired_at", name="entry_by_pairing"),
        ]

    def __str__(self) -> str:
        return f"{self.version} on {self.ladder}"

    @property
    def margin_95(self) -> float:
        """Half of the 95 % interval, Elo."""
        return INTERVAL * self.deviation

    @property
    def is_active(self) -> bool:
        return self.state == self.State.ACTIVE


class LadderMatchQuerySet(models.QuerySet["LadderMatch"]):
    def in_flight(self) -> "LadderMatchQuerySet":
        return self.filter(in_flight=True)

    def rated(self) -> "LadderMatchQuerySet":
        """In the order in which they were rated, those that were made void later included."""
        return self.exclude(sequence=None).order_by("ladder", "sequence")


class LadderMatch(models.Model):
    """A match played for a ladder. Its numbers in the ledger are given once and never change."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="ladder_matches")
    match = models.OneToOneField(Match, models.CASCADE, related_name="ladder_match")
    number = models.PositiveIntegerField(
        null=True, help_text="Which of the ladder's matches it is, from 1: its deal comes from that. Null: from before."
    )
    in_flight = models.BooleanField(default=True, help_text="Neither rated nor given up yet.")
    sequence = models.PositiveIntegerField(null=True, help_text="The line of the ledger, from 1, that counts it.")
    void_sequence = models.PositiveIntegerField(
        null=True, help_text="The line of the ledger that takes it back; the same one where it never counted."
    )
    void_reason = MessageField(help_text="Why it doesn't count.")
    created_at = models.DateTimeField(default=now)

    objects = LadderMatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "ladder matches"
        constraints = [
            models.UniqueConstraint(fields=["ladder", "number"], name="one_ladder_match_per_number"),
            models.UniqueConstraint(fields=["ladder", "sequence"], name="one_rated_match_per_sequence"),
            models.UniqueConstraint(fields=["ladder", "void_sequence"], name="one_void_per_sequence"),
        ]
        indexes = [models.Index(fields=["ladder"], condition=Q(in_flight=True), name="ladder_match_in_flight")]

    def __str__(self) -> str:
        return f"{self.match} on {self.ladder}"


class RatingChange(models.Model):
    """What one rated match did to one entry, as it was shown at that time."""

    ladder_match = models.ForeignKey(LadderMatch, models.CASCADE, related_name="changes")
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="changes")
    before = models.FloatField()
    after = models.FloatField()
    deviation = models.FloatField(default=FIRST_DEVIATION, help_text="Afterwards.")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["ladder_match", "entry"], name="one_change_per_entry")]
        indexes = [models.Index(fields=["entry", "id"], name="changes_of_entry")]

    def __str__(self) -> str:
        return f"{self.entry}: {self.before:.0f} → {self.after:.0f}"


class PairStat(models.Model):
    """All rated results of two entries at tables of one size. Whole numbers, so no order of adding changes them."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="pair_stats")
    low = models.ForeignKey(Entry, models.CASCADE, related_name="+", help_text="The one with the lower id.")
    high = models.ForeignKey(Entry, models.CASCADE, related_name="+")
    seats = models.PositiveSmallIntegerField(help_text="Of the tables, so legs of each match, too.")
    matches = models.PositiveIntegerField(default=0)
    halves = models.PositiveBigIntegerField(
        default=0, help_text="Half points of `low` over all legs: 2 for a better place, 1 for a shared one."
    )
    squares = models.PositiveBigIntegerField(default=0, help_text="Sum over the matches of its half points squared.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["low", "high", "seats"], name="one_stat_per_pair_and_seats"),
            models.CheckConstraint(condition=Q(low__lt=F("high")), name="low_before_high"),
        ]

    def __str__(self) -> str:
        return f"{self.low_id} and {self.high_id} at {self.seats}: {self.halves} of {2 * self.matches * self.seats}"


class Fit(models.Model):
    """One computation of all ratings of a ladder."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="fits")
    sequence = models.PositiveIntegerField(help_text="The ledger's last line that is in it.")
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
    """What an entry's rating was at the last fit of a day."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="history")
    day = models.DateField()
    rating = models.FloatField()
    deviation = models.FloatField()
    rank = models.PositiveIntegerField(null=True, help_text="Null where it wasn't settled.")
    matches = models.PositiveIntegerField(help_text="Rated until then.")

    class Meta:
        ordering = ["entry", "day"]
        constraints = [models.UniqueConstraint(fields=["entry", "day"], name="one_point_per_day")]

    def __str__(self) -> str:
        return f"{self.entry} on {self.day}: {self.rating:.0f}"


class CollusionReport(models.Model):
    """An entry whose results against the bots of one owner are out of line. For staff to look at."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="collusion_reports")
    opponent = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", help_text="Owner of the others."
    )
    z = models.FloatField(help_text="Standard deviations above (or below) what the ratings tell.")
    matches = models.PositiveIntegerField()
    found_at = models.DateTimeField(default=now)
    dismissed_at = models.DateTimeField(null=True, blank=True, help_text="Somebody of the staff found nothing in it.")

    class Meta:
        ordering = ["-found_at"]
        constraints = [models.UniqueConstraint(fields=["entry", "opponent"], name="one_suspicion_per_owner")]

    def __str__(self) -> str:
        return f"{self.entry} against {self.opponent}: {self.z:+.1f}"

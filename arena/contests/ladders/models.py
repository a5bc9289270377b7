"""Ladders, their entries, matches and ratings.

The rows of sums, fits, ratings by day and reports are in `computed.py`; Django looks for them here.
"""

import itertools
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.ladders.rating import (
    INITIAL_DEVIATION_ELO,
    INITIAL_DISPERSION,
    INITIAL_RATING_ELO,
    Z_SCORE_95,
)
from arena.core.database import is_past
from arena.core.messages import MessageField
from arena.matches.models import Match
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership, Reader
from engine.registry import GAMES

# Models of what is computed from the results of a ladder and kept: sums, fits, daily ratings and reports.


class PairStat(models.Model):
    """Sums of the rated results of two entries in matches with this many seats. Integers: order doesn't matter."""

    ladder = models.ForeignKey("ladders.Ladder", models.CASCADE, related_name="pair_stats")
    low = models.ForeignKey("ladders.Entry", models.CASCADE, related_name="+", help_text="The entry with the lower id.")
    high = models.ForeignKey("ladders.Entry", models.CASCADE, related_name="+")
    seats = models.PositiveSmallIntegerField(
        help_text="Number of seats, which is also the number of legs of each match; 1 is a single leg of two."
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
    place = models.PositiveIntegerField(
        null=True, help_text="Place on that day among all bots of the list, ranked or not."
    )
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


ENTRY_INACTIVITY_PERIOD = timedelta(days=30)
"""An entry without a rated match for this long leaves the standings and keeps its rating."""
LIST_ORDER = ("-rating", "deviation", "pk")
"""The order of a ladder's list, by rating."""
TITLE_ENDINGS = {"": "", "open": ": open ladder", "slow": ": slow open ladder"}
"""Endings of an open ladder's title, after its game and edition, by clock."""
DEFAULT_MATCH_SECONDS = 5.0
"""Duration assumed of a match before any was played."""


def new_secret() -> str:
    """Return a new secret of a season: 64 hexadecimal digits."""
    return secrets.token_hex(32)


class LadderQuerySet(models.QuerySet["Ladder"]):
    """Ladders, by what is to be done with them."""

    def public(self) -> "LadderQuerySet":
        """Return the public ladders on which only sandboxed bots play: neither a group's own nor the open ones."""
        return self.filter(group=None, clock="")

    def for_remote(self) -> "LadderQuerySet":
        """Return the open ladders, on which remote bots play. They're public."""
        return self.filter(group=None).exclude(clock="")

    def beside(self, ladder: "Ladder") -> "LadderQuerySet":
        """Return all seasons of a ladder's edition: the public ones, those of its group, or the open ones."""
        return self.filter(game=ladder.game, edition=ladder.edition, group=ladder.group_id, clock=ladder.clock)

    def followable(self) -> "LadderQuerySet":
        """Return the public ladders and the open ones: all that aren't a group's own."""
        return self.filter(group=None)

    def open(self) -> "LadderQuerySet":
        """Return the running seasons: one of each edition, and of each edition in each group."""
        return self.filter(closed_at=None)

    def playable(self) -> "LadderQuerySet":
        """Return the running seasons on which matches are paired: not paused, and of a game that is installed now."""
        return self.open().filter(game__in=list(GAMES), paused_at=None)

    def usual_seconds(self, game: str, edition: str) -> float:
        """Return the usual duration of a match of that edition on its public ladder, or a default without one."""
        running = self.public().open().filter(game=game, edition=edition)
        return running.values_list("match_seconds", flat=True).first() or DEFAULT_MATCH_SECONDS

    def due_for_fit(self) -> "LadderQuerySet":
        """Return the ladders that changed since their last fit, unless that was a moment ago."""
        due = is_past("fitted_at", timedelta(seconds=settings.LADDER_REFIT_INTERVAL_S))
        return self.filter(Q(last_sequence__gt=F("fitted_sequence")) | Q(is_stale=True), Q(fitted_at=None) | due)


class Ladder(models.Model):
    """One season of the permanent competition in an edition of a game. The next season counts everything anew."""

    class Clock(models.TextChoices):
        """The clocks of open ladders: the keys of arena.runner.program.REMOTE_LIMITS."""

        OPEN = "open"
        SLOW = "slow"

    game = models.CharField(max_length=40)
    edition = models.CharField(max_length=40)
    season = models.PositiveIntegerField(default=1, help_text="Season number, starting at 1.")
    title = models.CharField(max_length=80)
    group = models.ForeignKey(
        Group,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="ladders",
        help_text="The group whose members alone see it; null: it is public.",
    )
    clock = models.CharField(
        max_length=10,
        choices=Clock,
        blank=True,
        default="",
        help_text="The clock of an open ladder, on which remote bots play; empty: all bots run in the sandbox.",
    )
    opened_at = models.DateTimeField(default=now)
    closed_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(
        null=True, help_text="Since when no new matches are paired, as staff wants it; null if they are."
    )
    secret = models.CharField(
        max_length=64,
        default=new_secret,
        help_text="Secret that all deals of the season are derived from; published when the season has ended.",
    )
    commitment = models.CharField(
        max_length=64, help_text="Hash of the secret, published when the season opens; hexadecimal."
    )
    value_function = models.JSONField(
        null=True, help_text="What fixes the adjustment for luck, as published when the season opened; or null."
    )
    house_ratings = models.JSONField(
        null=True,
        help_text="What fixes the first ratings of the house's bots, as published when the season opened; or null.",
    )

    last_number = models.PositiveIntegerField(default=0, help_text="Number of matches created.")
    last_sequence = models.PositiveIntegerField(default=0, help_text="Number of rated matches in the ledger.")
    next_virtual_start = models.FloatField(
        default=0.0, help_text="Virtual start time of its next match in the queue, in seconds."
    )
    match_seconds = models.FloatField(
        default=DEFAULT_MATCH_SECONDS, help_text="Mean duration of its recent matches, in seconds."
    )

    anchor_mean = models.FloatField(
        default=INITIAL_RATING_ELO, help_text="Mean rating of its anchors, which fixes the scale."
    )
    dispersion = models.FloatField(
        default=INITIAL_DISPERSION,
        help_text="Dispersion of a match's score; below 1 where legs cancel the luck of the deal.",
    )
    pair_interaction_sd = models.FloatField(
        null=True, help_text="Standard deviation, in Elo, of the results of pairs from those their ratings predict."
    )
    spread = models.FloatField(default=200.0, help_text="Standard deviation of the active bots' ratings, in Elo.")
    top_rating = models.FloatField(null=True, help_text="Lowest rating of the best tenth of the active bots.")
    fitted_sequence = models.PositiveIntegerField(
        default=0, help_text="Number of the last line of the ledger in the last fit."
    )
    fitted_at = models.DateTimeField(null=True)
    fitting_at = models.DateTimeField(null=True, help_text="When the running fit began or last reported; or null.")
    is_stale = models.BooleanField(
        default=False, help_text="Whether entries were added, paused or resumed since the last fit."
    )

    objects = LadderQuerySet.as_manager()

    class Meta:
        ordering = ["game", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "edition", "clock", "season"], condition=Q(group=None), name="one_ladder_per_season"
            ),
            models.UniqueConstraint(
                fields=["game", "edition", "clock"], condition=Q(group=None, closed_at=None), name="one_open_season"
            ),
            models.UniqueConstraint(
                fields=["group", "game", "edition", "season"],
                condition=Q(group__isnull=False),
                name="one_group_ladder_per_season",
            ),
            models.UniqueConstraint(
                fields=["group", "game", "edition"],
                condition=Q(group__isnull=False, closed_at=None),
                name="one_open_season_per_group",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.group})" if self.group else self.title

    def get_absolute_url(self) -> str:
        """Return the address of the edition's page, or of the season's own page once it is over."""
        page = self.edition_url
        return page if self.closed_at is None else f"{page}seasons/{self.season}/"

    @property
    def edition_url(self) -> str:
        """Return the address of the running season, below which all pages of the edition's seasons are."""
        parent = self.group.get_absolute_url() if self.group else "/"
        page = f"{parent}ladders/{self.game}/{self.edition}/"
        return f"{page}{self.clock}/" if self.clock else page

    @property
    def edition_name(self) -> str:
        """The name of its edition; where the game is not installed now, as the title of the ladder has it."""
        if self.game in GAMES:
            return GAMES[self.game].editions.get(self.edition, self.edition)
        return self.title.removesuffix(TITLE_ENDINGS[self.clock]).partition(", ")[2] or self.edition

    @property
    def place(self) -> tuple[int, int]:
        """Sort key among the ladders of its game: position of the edition, then season."""
        editions = list(GAMES[self.game].editions) if self.game in GAMES else [self.edition]
        return editions.index(self.edition), self.season

    @property
    def fact_key(self) -> str:
        """The name of this season in the keys of facts that pages carry: the edition, unless that is ambiguous.

        An edition of a later game that has the name of an earlier one gets its game's name, too.
        """
        earlier = itertools.takewhile(lambda key: key != self.game, GAMES)
        is_taken = any(self.edition in GAMES[game].editions for game in earlier)
        key = f"{self.game}-{self.edition}" if is_taken else self.edition
        key = f"{self.group.slug}/{key}" if self.group else key
        key = f"{key}/{self.clock}" if self.clock else key
        return key if self.closed_at is None else f"{key}/{self.season}"

    @property
    def idle_before(self) -> datetime:
        """Entries whose last rated match was earlier are not in its standings."""
        return (self.closed_at or now()) - ENTRY_INACTIVITY_PERIOD

    @property
    def rules_url(self) -> str:
        """Address of the rules of its edition."""
        return f"/rules/{self.game}/{self.edition}/"


class EntryQuerySet(models.QuerySet["Entry"]):
    """Entries, by what they do on their ladder."""

    def active(self) -> "EntryQuerySet":
        """Return the entries that play."""
        return self.filter(state=Entry.State.ACTIVE)

    def public(self) -> "EntryQuerySet":
        """Return the entries on public ladders on which only sandboxed bots play."""
        return self.filter(ladder__group=None, ladder__clock="")

    def shown_to(self, reader: Reader) -> "EntryQuerySet":
        """Return the entries that pages of their bots show to a reader.

        Of a public bot these are those on public ladders, whoever reads; of a bot for a group only, those on the
        ladders of the group to which the reader belongs.
        """
        public = Q(ladder__group=None)
        if not isinstance(reader, User):
            return self.filter(public)
        own_groups = Membership.objects.filter(user=reader).values("group")
        return self.filter(public | Q(ladder__group=F("version__bot__group"), ladder__group__in=own_groups))

    def standing(self, ladder: Ladder) -> "EntryQuerySet":
        """Return the standings of a ladder with version, bot and owner: ranked entries first, best first.

        Entries without a recent rated match are left out.
        """
        placed = self.placed(ladder.pk, ladder.idle_before)
        return placed.select_related("version__bot__owner").defer("version__build_log")

    def placed(self, ladder: int, idle_before: datetime) -> "EntryQuerySet":
        """Return the standings as `standing` does, without related objects."""
        return self.present(idle_before).filter(ladder=ladder).order_by("-is_ranked", "-rating", "deviation", "pk")

    def by_rating(self, ladder: int, idle_before: datetime) -> "EntryQuerySet":
        """Return the list of a ladder as its pages show it: all of its bots, ranked or not, the best rating first."""
        return self.present(idle_before).filter(ladder=ladder).order_by(*LIST_ORDER)

    def present(self, idle_before: datetime) -> "EntryQuerySet":
        """Return the entries on the lists of ladders: those that play and were rated since then, or never."""
        return self.active().filter(Q(rated_at=None) | Q(rated_at__gte=idle_before))

    def before(self, entry: "Entry") -> "EntryQuerySet":
        """Return the entries of the standings that come before this one."""
        better = _build_better(entry)
        return self.filter(Q(is_ranked=True) & better if entry.is_ranked else Q(is_ranked=True) | better)

    def above(self, entry: "Entry") -> "EntryQuerySet":
        """Return the entries that come before this one in a list by rating."""
        return self.filter(_build_better(entry))


def _build_better(entry: "Entry") -> Q:
    better = Q(rating__gt=entry.rating) | Q(rating=entry.rating, deviation__lt=entry.deviation)
    return better | Q(rating=entry.rating, deviation=entry.deviation, pk__lt=entry.pk)


class Entry(models.Model):
    """A version of a bot on a ladder, with its rating there."""

    class State(models.TextChoices):
        ACTIVE = "active"
        SUSPENDED = "suspended"
        RETIRED = "retired"

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="entries")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="entries")
    parent = models.ForeignKey(
        "self", models.SET_NULL, null=True, related_name="children", help_text="Entry of the version it replaced."
    )
    state = models.CharField(max_length=10, choices=State, default=State.ACTIVE)
    state_reason = MessageField(help_text="Why the entry is suspended.")
    stopped_with_author = models.BooleanField(
        default=False, help_text="Whether it is suspended since its author is, and plays again when the author may."
    )
    is_anchor = models.BooleanField(
        default=False, help_text="Whether the mean rating of entries like this one fixes the ladder's scale."
    )
    is_known = models.BooleanField(
        default=False,
        help_text="Whether it began with a rating that was measured beforehand, and so has a rank from the start.",
    )

    first_rating = models.FloatField(default=INITIAL_RATING_ELO)
    first_deviation = models.FloatField(default=INITIAL_DEVIATION_ELO)
    rating = models.FloatField(default=INITIAL_RATING_ELO, help_text="Rating in Elo.")
    deviation = models.FloatField(default=INITIAL_DEVIATION_ELO, help_text="Standard deviation of the rating, in Elo.")
    matches = models.PositiveIntegerField(default=0, help_text="Number of rated matches.")
    points = models.FloatField(default=0.0, help_text="Sum of the points of its rated matches.")
    luck = models.FloatField(
        default=0.0,
        help_text="On an open ladder: what its luck and its opponents' gave it in its measured matches, in points: the "
        "published share of it.",
    )
    luck_matches = models.PositiveIntegerField(default=0, help_text="Number of rated matches whose luck was measured.")
    opponents = models.PositiveIntegerField(default=0, help_text="Number of different opponents in rated matches.")
    is_ranked = models.BooleanField(default=False, help_text="Whether its rating is certain enough for a rank.")
    was_ranked = models.BooleanField(default=False, help_text="Whether it has had a rank, which newcomers leave it.")
    has_sure_place = models.BooleanField(
        default=False,
        help_text="Whether the last fit left no doubt about its place, however uncertain its rating was.",
    )
    processor_s = models.FloatField(
        null=True, help_text="Mean processor seconds of its bot in its latest rated matches; null before the first."
    )
    in_fit = models.BooleanField(
        null=True, help_text="Whether it was active in the ladder's last fit; null if it wasn't part of it."
    )
    recent_legs = models.CharField(
        max_length=60,
        blank=True,
        help_text="Its last rated legs since it was last resumed, oldest first: x for a fault, . for none.",
    )
    rank_low = models.PositiveIntegerField(null=True, help_text="Best plausible rank; null if not ranked.")
    rank_high = models.PositiveIntegerField(null=True, help_text="Worst plausible rank; null if not ranked.")
    place_low = models.PositiveIntegerField(
        null=True, help_text="Best plausible place among all bots of the list; null if not ranked."
    )
    place_high = models.PositiveIntegerField(
        null=True, help_text="Worst plausible place among all bots of the list; null if not ranked."
    )
    group = models.PositiveIntegerField(
        null=True, help_text="Group of entries that can't be told apart from its best; 1 is the best group."
    )

    last_match = models.ForeignKey(
        Match, models.SET_NULL, null=True, related_name="+", help_text="Its last rated match."
    )
    rated_at = models.DateTimeField(null=True, help_text="When its last match was rated.")
    paired_at = models.DateTimeField(default=now, help_text="When a match was last queued for it, or when it entered.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["ladder", "version"], name="one_entry_per_version")]
        indexes = [
            models.Index(
                "ladder", "state", F("is_ranked").desc(), F("rating").desc(), "deviation", "id", name="entry_standing"
            ),
            models.Index("ladder", "state", F("rating").desc(), "deviation", "id", name="entry_on_list"),
            models.Index("ladder", "state", "rating", name="entry_by_rating"),
            models.Index("ladder", "state", F("deviation").desc(), name="entry_by_uncertainty"),
            models.Index("ladder", "state", "paired_at", name="entry_by_pairing"),
        ]

    def __str__(self) -> str:
        return f"{self.version} on {self.ladder}"

    @property
    def margin_95(self) -> float:
        """Half the width of the 95 % interval, in Elo."""
        return Z_SCORE_95 * self.deviation

    @property
    def mean_points(self) -> float | None:
        """Return its mean points in a match; None before the first."""
        return self.points / self.matches if self.matches else None

    @property
    def mean_points_less_luck(self) -> float | None:
        """Return its mean points in a match less its mean luck; None where no luck was measured.

        The mean of luck is 0 for a bot that doesn't know the deck, so it's the same mean with less variance, whichever
        matches were measured.
        """
        if self.mean_points is None or not self.luck_matches:
            return None
        return self.mean_points - self.luck / self.luck_matches

    @property
    def is_active(self) -> bool:
        """Return whether the entry plays."""
        return self.state == self.State.ACTIVE


class LadderMatchQuerySet(models.QuerySet["LadderMatch"]):
    """Matches of ladders, by their place in the ledger."""

    def in_flight(self) -> "LadderMatchQuerySet":
        """Return the matches that are neither rated nor given up."""
        return self.filter(in_flight=True)

    def rated(self) -> "LadderMatchQuerySet":
        """Return the rated matches in the ledger's order, including those excluded later."""
        return self.exclude(sequence=None).order_by("ladder", "sequence")


class LadderMatch(models.Model):
    """A match played for a ladder. Its numbers in the ledger are given once and never change."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="ladder_matches")
    match = models.OneToOneField(Match, models.CASCADE, related_name="ladder_match")
    number = models.PositiveIntegerField(
        null=True,
        help_text="Number of the match on the ladder, starting at 1, which determines its deal; null for old ones.",
    )
    in_flight = models.BooleanField(default=True, help_text="Whether it is neither rated nor given up.")
    sequence = models.PositiveIntegerField(
        null=True, help_text="Line of the ledger, starting at 1, that counts the match."
    )
    void_sequence = models.PositiveIntegerField(
        null=True, help_text="Line of the ledger that excludes the match; the line of its result if it never counted."
    )
    void_reason = MessageField(help_text="Why the match doesn't count.")
    luck = models.FloatField(
        null=True, help_text="On an open ladder: points that luck gave the first participant; null until measured."
    )
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
    """The change of an entry's rating by a match, as shown at that time."""

    ladder_match = models.ForeignKey(LadderMatch, models.CASCADE, related_name="changes")
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="changes")
    before = models.FloatField()
    after = models.FloatField()
    deviation = models.FloatField(
        default=INITIAL_DEVIATION_ELO, help_text="Standard deviation after the match, in Elo."
    )

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["ladder_match", "entry"], name="one_change_per_entry")]
        indexes = [models.Index(fields=["entry", "id"], name="changes_of_entry")]

    def __str__(self) -> str:
        return f"{self.entry}: {self.before:.0f} → {self.after:.0f}"

"""Open and close seasons, derive their deals, and publish what verifies them."""

from collections import defaultdict
from collections.abc import Sequence
from math import hypot
from statistics import fmean

from django.db import transaction
from django.utils.timezone import now

from arena.bots.samples import list_anchors
from arena.errors import Conflict
from arena.groups.models import Group
from arena.ladders.models import Entry, Ladder, LadderMatch, LadderMatchQuerySet, new_secret
from arena.ladders.rating.elo import VERSION_CHANGE_SD_ELO
from arena.ladders.services.ledger import lock_ladder
from arena.matches.models import Leg
from engine.analysis.evaluators import find_evaluator
from engine.analysis.luck import describe_value_function
from engine.core import Json
from engine.message import gettext_noop, message
from engine.registry import find_game
from engine.season import FORMAT, Season, commitment

CARRIED_ENTRY_STATES = (Entry.State.ACTIVE, Entry.State.SUSPENDED)

CARRIED_LADDER_FIELDS = (
    "anchor_mean", "dispersion", "spread", "top_rating", "match_seconds", "next_virtual_start", "paused_at",
)  # fmt: skip


@transaction.atomic
def open_season(*, game: str, edition: str, title: str, group: Group | None = None) -> Ladder:
    """Return the running season of an edition, or open the next one and commit to its secret and value function.

    With `group` it is one of the group's own ladder.
    """
    seasons = Ladder.objects.filter(game=game, edition=edition, group=group)
    if running := seasons.open().first():
        return running
    last = seasons.order_by("season").last()
    secret, evaluator = new_secret(), find_evaluator(game, edition)
    return Ladder.objects.create(
        game=game,
        edition=edition,
        season=last.season + 1 if last else 1,
        title=title,
        group=group,
        secret=secret,
        commitment=commitment(secret),
        value_function=evaluator and describe_value_function(evaluator),
    )


@transaction.atomic
def close_season(*, ladder: Ladder) -> Ladder:
    """End a season, open the next and return it. Raise Conflict if it is over already.

    Matches that wait or run are still played and rated; then the secret is published. Active entries start the next
    season from their ratings, with a larger deviation.
    """
    ladder = end_season(ladder=ladder)
    following = open_season(game=ladder.game, edition=ladder.edition, title=ladder.title, group=ladder.group)
    carry_over(last=ladder, following=following)
    make_samples_anchors(ladder=following)
    following.refresh_from_db()
    return following


@transaction.atomic
def end_season(*, ladder: Ladder) -> Ladder:
    """End a season without opening the next, and return it. Raise Conflict if it is over already."""
    ladder = lock_ladder(ladder)
    if ladder.closed_at is not None:
        problem = gettext_noop("Season %(season)s of %(ladder)s is over already.")
        raise Conflict(message(problem, season=ladder.season, ladder=str(ladder)))
    ladder.closed_at = now()
    ladder.save(update_fields=["closed_at"])
    return ladder


@transaction.atomic
def carry_over(*, last: Ladder, following: Ladder) -> None:
    """Let a new season begin with the scale and the entries of the last one."""
    for field in CARRIED_LADDER_FIELDS:
        setattr(following, field, getattr(last, field))
    following.is_stale = True
    following.save()
    goes_on = Entry.objects.filter(ladder=last, state__in=CARRIED_ENTRY_STATES).order_by("pk")
    Entry.objects.bulk_create(_copy_to_season(entry, following) for entry in goes_on)


def _copy_to_season(entry: Entry, following: Ladder) -> Entry:
    deviation = hypot(entry.deviation, VERSION_CHANGE_SD_ELO)
    return Entry(
        ladder=following,
        version_id=entry.version_id,
        parent=entry,
        state=entry.state,
        state_reason=entry.state_reason,
        stopped_with_author=entry.stopped_with_author,
        first_rating=entry.rating,
        first_deviation=deviation,
        rating=entry.rating,
        deviation=deviation,
    )


@transaction.atomic
def make_samples_anchors(*, ladder: Ladder) -> None:
    """Make the sample bots the anchors of a season. Do nothing once a match of it is rated."""
    ladder = lock_ladder(ladder)
    of_samples = Entry.objects.active().filter(
        ladder=ladder,
        version__bot__owner__is_house=True,
        version__bot__name__in=list_anchors(ladder.game),
    )
    ratings = list(of_samples.values_list("first_rating", flat=True))
    if ladder.last_sequence or not ratings:
        return
    of_samples.update(is_anchor=True)
    ladder.anchor_mean, ladder.is_stale = fmean(ratings), True
    ladder.save(update_fields=["anchor_mean", "is_stale"])


def derive_match_deal(ladder: Ladder, number: int, seats: int) -> tuple[Json, list[str]]:
    """Derive the deal and the salts, one per leg, of the match with this number."""
    season = Season(ladder.secret, ladder.game, ladder.edition, ladder.season)
    game = find_game(ladder.game)
    return season.deal(game, game.options(ladder.edition), seats, number), season.salts(seats, number)


def find_revealed_secret(ladder: Ladder) -> str | None:
    """Return the secret of a season, or None as long as a match dealt from it may be played."""
    if ladder.closed_at is None or LadderMatch.objects.in_flight().filter(ladder=ladder).exists():
        return None
    return ladder.secret


def build_season_document(ladder: Ladder) -> Json:
    """Return the public document of a season without its matches, which `build_deal_rows` returns."""
    game = find_game(ladder.game)
    return {
        "format": FORMAT,
        "game": ladder.game,
        "edition": ladder.edition,
        "season": ladder.season,
        "title": ladder.title,
        "options": game.options(ladder.edition),
        "rules_version": game.rules_version,
        "opened_at": ladder.opened_at.isoformat(),
        "closed_at": ladder.closed_at and ladder.closed_at.isoformat(),
        "commitment": ladder.commitment,
        "value_function": ladder.value_function,
        "secret": find_revealed_secret(ladder),
        "last_number": ladder.last_number,
    }


def list_dealt_matches(ladder: Ladder) -> LadderMatchQuerySet:
    """List the matches dealt from the season's secret, by number."""
    numbered = LadderMatch.objects.filter(ladder=ladder).exclude(number=None)
    return numbered.select_related("match").defer("match__deal", "match__limits").order_by("number")


def build_deal_rows(ladder: Ladder, matches: Sequence[LadderMatch]) -> list[Json]:
    """Return the rows of these matches in a season's document. Options are included where they differ from it."""
    options = find_game(ladder.game).options(ladder.edition)
    legs = Leg.objects.filter(match__in=[row.match_id for row in matches]).order_by("match", "number")
    deal_hashes, record_hashes = defaultdict(list), defaultdict(list)
    for match, deal_hash, record_hash in legs.values_list("match", "deal_hash", "record_hash"):
        deal_hashes[match].append(deal_hash)
        record_hashes[match].append(record_hash)
    return [_build_deal_row(row, deal_hashes[row.match_id], record_hashes[row.match_id], options) for row in matches]


def _build_deal_row(row: LadderMatch, deal_hashes: list[str], record_hashes: list[str], options: Json) -> Json:
    deal_row = {
        "number": row.number,
        "match": row.match_id,
        "state": row.match.state,
        "seats": len(deal_hashes),
        "rules_version": row.match.rules_version,
        "deal_hashes": deal_hashes,
    }
    if all(record_hashes):
        deal_row["record_hashes"] = record_hashes
    return deal_row if row.match.options == options else deal_row | {"options": row.match.options}

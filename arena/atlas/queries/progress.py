"""Read how far ledgers are counted."""

from django.db.models import F, Q

from arena.atlas.models import AtlasProgress, LegCounts
from arena.ladders.models import Ladder, LadderMatch
from arena.ladders.queries.showable import filter_public_rated
from engine.counting import COUNTING_VERSION
from engine.registry import GAMES


def find_progress(ladder: Ladder) -> AtlasProgress:
    """Return how far a ladder is counted; one that isn't stored where counting has not begun."""
    return AtlasProgress.objects.filter(ladder=ladder).first() or AtlasProgress(ladder=ladder)


def find_version(game: str) -> str:
    """Return what the sums of an installed game say that they count: the site's and the game's counting version."""
    return f"{COUNTING_VERSION}.{GAMES[game].counting_version}"


def list_ladders_behind() -> list[Ladder]:
    """List the public ladders of installed games that wait to be counted, at all or anew, the least counted first."""
    is_behind = Q(atlas_progress=None, last_sequence__gt=0) | Q(atlas_progress__sequence__lt=F("last_sequence"))
    for game in GAMES:
        is_behind |= Q(game=game, atlas_progress__isnull=False) & ~Q(atlas_progress__version=find_version(game))
    found = Ladder.objects.public().filter(is_behind, game__in=list(GAMES)).defer("secret")
    return list(found.order_by(F("atlas_progress__sequence").asc(nulls_first=True), "pk"))


def list_counted_ladders() -> list[Ladder]:
    """List the ladders of which legs were counted."""
    return list(Ladder.objects.filter(atlas_progress__isnull=False).defer("secret").order_by("pk"))


def list_matches_not_to_count(ladder: Ladder) -> list[int]:
    """List the counted matches of a ladder that are not rated any more, or that not everybody may see."""
    public = filter_public_rated(LadderMatch.objects.filter(ladder=ladder)).values("match")
    lost = LegCounts.objects.filter(ladder=ladder).exclude(match__in=public)
    return list(lost.values_list("match", flat=True).distinct())

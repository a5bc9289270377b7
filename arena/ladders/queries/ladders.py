"""Find ladders and their seasons: the public ones, or where a group is given those of the group.

Secrets are not read unless a season's document needs them.
"""

from collections.abc import Sequence

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery

from arena.groups.models import Group
from arena.ladders.models import Entry, Ladder, LadderMatch
from arena.ladders.queries.showable import filter_public_rated
from engine.registry import GAMES


def _annotate_active_bots(ladders: QuerySet[Ladder]) -> QuerySet[Ladder]:
    active = Count("entries", filter=Q(entries__state=Entry.State.ACTIVE))
    return ladders.defer("secret").annotate(bots=active)


def list_open_ladders(group: Group | None = None) -> QuerySet[Ladder]:
    """List the running seasons, each with its number of active bots and its best rating."""
    ranked = Q(entries__state=Entry.State.ACTIVE, entries__is_ranked=True)
    running = _annotate_active_bots(Ladder.objects.open().filter(group=group))
    return running.annotate(best=Max("entries__rating", filter=ranked)).select_related("group")


def find_open_ladder(game: str, edition: str, group: Group | None = None) -> Ladder | None:
    """Return the running season of an edition with its number of active bots, or None."""
    return list_open_ladders(group).filter(game=game, edition=edition).first()


def list_seasons(game: str, edition: str, group: Group | None = None) -> QuerySet[Ladder]:
    """List all seasons of an edition, each with its number of active bots."""
    seasons = Ladder.objects.filter(game=game, edition=edition, group=group)
    return _annotate_active_bots(seasons).select_related("group")


def find_season(game: str, edition: str, number: int, group: Group | None = None) -> Ladder | None:
    """Return that season with its secret, or None."""
    return Ladder.objects.filter(game=game, edition=edition, season=number, group=group).first()


def list_ladders_of_group(group: Group) -> list[Ladder]:
    """List the latest season of each edition of which a group has had a ladder, in the order of games and editions."""
    seasons = _annotate_active_bots(Ladder.objects.filter(group=group)).select_related("group").order_by("season")
    latest = {(one.game, one.edition): one for one in seasons}
    return sorted(latest.values(), key=lambda one: (one.game, one.place))


def list_editions() -> list[tuple[str, str]]:
    """List the keys of game and edition of all that can be played here, and of games that are gone with a ladder."""
    installed = [(key, edition) for key, game in GAMES.items() for edition in game.editions]
    return list(dict.fromkeys([*installed, *Ladder.objects.public().order_by("pk").values_list("game", "edition")]))


def list_ladders_of_game(game: str) -> list[Ladder]:
    """List all public seasons of all editions of a game, in the order of its editions."""
    return sorted(Ladder.objects.public().filter(game=game).defer("secret"), key=lambda one: one.place)


def list_main_ladders() -> list[Ladder]:
    """Return the running public ladder of each game's first edition."""
    firsts: dict[str, Ladder] = {}
    for ladder in sorted(Ladder.objects.public().open().defer("secret"), key=lambda one: one.place):
        firsts.setdefault(ladder.game, ladder)
    return [firsts[game] for game in GAMES if game in firsts]


def fetch_leaders(ladders: Sequence[int]) -> dict[int, Entry]:
    """Return the best ranked entry of each of these ladders that has one, with version and bot."""
    ranked = Entry.objects.active().filter(ladder=OuterRef("pk"), is_ranked=True)
    best = ranked.order_by("-is_ranked", "-rating", "deviation", "pk").values("pk")[:1]
    keys = Ladder.objects.filter(pk__in=ladders).annotate(leader=Subquery(best)).values("leader")
    entries = Entry.objects.filter(pk__in=keys).select_related("version__bot").defer("version__build_log")
    return {entry.ladder_id: entry for entry in entries}


def fetch_newest_results(ladders: Sequence[int]) -> dict[int, int]:
    """Return the key of the newest rated match that anybody may see, by ladder."""
    rated = filter_public_rated(LadderMatch.objects.filter(ladder=OuterRef("pk")))
    newest = rated.order_by("-sequence").values("match")[:1]
    rows = Ladder.objects.filter(pk__in=ladders).annotate(newest=Subquery(newest)).values_list("pk", "newest")
    return {ladder: match for ladder, match in rows if match is not None}

"""Find ladders and their seasons. Secrets are not read unless a season's document needs them."""

from django.db.models import Count, Max, Q, QuerySet

from arena.ladders.models import Entry, Ladder
from engine.registry import GAMES


def _annotate_active_bots(ladders: QuerySet[Ladder]) -> QuerySet[Ladder]:
    active = Count("entries", filter=Q(entries__state=Entry.State.ACTIVE))
    return ladders.defer("secret").annotate(bots=active)


def list_open_ladders() -> QuerySet[Ladder]:
    """List the running seasons, each with its number of active bots and its best rating."""
    ranked = Q(entries__state=Entry.State.ACTIVE, entries__is_ranked=True)
    return _annotate_active_bots(Ladder.objects.open()).annotate(best=Max("entries__rating", filter=ranked))


def find_open_ladder(game: str, edition: str) -> Ladder | None:
    """Return the running season of an edition with its number of active bots, or None."""
    return list_open_ladders().filter(game=game, edition=edition).first()


def list_seasons(game: str, edition: str) -> QuerySet[Ladder]:
    """List all seasons of an edition, each with its number of active bots."""
    return _annotate_active_bots(Ladder.objects.filter(game=game, edition=edition))


def find_season(game: str, edition: str, number: int) -> Ladder | None:
    """Return that season with its secret, or None."""
    return Ladder.objects.filter(game=game, edition=edition, season=number).first()


def list_editions() -> list[tuple[str, str]]:
    """List the keys of game and edition of all that can be played here, and of games that are gone with a ladder."""
    installed = [(key, edition) for key, game in GAMES.items() for edition in game.editions]
    return list(dict.fromkeys([*installed, *Ladder.objects.order_by("pk").values_list("game", "edition")]))


def list_ladders_of_game(game: str) -> list[Ladder]:
    """List all seasons of all editions of a game, in the order of its editions."""
    return sorted(Ladder.objects.filter(game=game).defer("secret"), key=lambda one: one.place)


def list_main_ladders() -> list[Ladder]:
    """Return the running ladder of each game's first edition."""
    firsts: dict[str, Ladder] = {}
    for ladder in sorted(Ladder.objects.open().defer("secret"), key=lambda one: one.place):
        firsts.setdefault(ladder.game, ladder)
    return [firsts[game] for game in GAMES if game in firsts]

"""Read the running ladders, their best entries, and where the bots of an author play."""

from django.db.models import QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.ladders.models import Entry, Ladder
from engine.registry import GAMES


def list_main_ladders() -> list[Ladder]:
    """Return the running ladder of each game's first edition."""
    firsts: dict[str, Ladder] = {}
    for ladder in sorted(Ladder.objects.open().defer("secret"), key=lambda one: one.place):
        firsts.setdefault(ladder.game, ladder)
    return [firsts[game] for game in GAMES if game in firsts]


def list_leaders(ladder: Ladder, limit: int) -> QuerySet[Entry]:
    """List the best entries of a ladder with version, bot and owner."""
    return Entry.objects.standing(ladder)[:limit]


def list_entries_of_author(author: User) -> list[Entry]:
    """Return what plays for an author on the running ladders, by game and edition."""
    entries = Entry.objects.active().filter(version__bot__owner=author, ladder__closed_at=None)
    entries = entries.select_related("ladder", "version__bot").defer("version__build_log", "ladder__secret")
    return sorted(entries, key=lambda one: (one.ladder.game, one.ladder.place))


def find_opponent(bot: Bot, edition: str, challenger: User) -> BotVersion | None:
    """Return the version that plays for a bot on the edition's ladder, else on another one.

    A challenger's own bot without a place on a ladder is met in its newest accepted version. None if there is none.
    """
    entries = Entry.objects.active().filter(version__bot=bot, ladder__closed_at=None).order_by("pk")
    playing = list(entries.select_related("ladder", "version__bot").defer("ladder__secret", "version__build_log"))
    here = [entry for entry in playing if entry.ladder.edition == edition]
    if playing:
        return (here or playing)[0].version
    if bot.owner_id != challenger.pk:
        return None
    return bot.versions.select_related("bot").accepted().order_by("-number").first()

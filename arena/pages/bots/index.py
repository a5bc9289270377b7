"""The list of all bots, with a search."""

from collections.abc import Mapping, Sequence

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.accounts.models import User
from arena.baked import baked
from arena.bots.lookups import ask_newest
from arena.bots.models import Bot, BotVersion
from arena.bots.services import MAX_NAME
from arena.ladders.models import Entry
from arena.runner.languages import LANGUAGES
from engine.registry import GAMES

PAGE = 25


def index(request: HttpRequest) -> HttpResponse:
    asked = {name: request.GET.get(name, "").strip() for name in ("q", "game", "language", "mine")}
    found = choose_bots(asked, request.user if request.user.is_authenticated else None)
    page = Paginator(found.values_list("pk", flat=True), PAGE).get_page(request.GET.get("page"))
    context = {
        **asked,
        "page": page,
        "bots": read_bots(list(page.object_list)),
        "games": list(GAMES.values()),
        "languages": list(LANGUAGES.values()),
        "is_filtered": any(asked[name] for name in ("q", "game", "language")),
    }
    return render(request, "bots/index.html", context)


def choose_bots(asked: Mapping[str, str], reader: User | None) -> QuerySet[Bot]:
    """By a part of the name, by game, by the language of any version, and one's own."""
    found = Bot.objects.all()
    if asked["mine"] and reader is not None:
        found = found.of(reader)
    if asked["q"]:
        found = found.called(asked["q"][:MAX_NAME])
    if asked["game"] in GAMES:
        found = found.filter(game=asked["game"])
    if asked["language"] in LANGUAGES:
        spoken = BotVersion.objects.filter(bot=OuterRef("pk"), language=asked["language"])
        found = found.filter(Exists(spoken))
    return found


def read_bots(pks: Sequence[int]) -> list[Bot]:
    """In this order, each with its newest version and what plays for it."""
    bots = {bot.pk: bot for bot in ask_listed(pks)}
    newest = {version.bot_id: version for version in ask_newest(pks)}
    playing: dict[int, list[Entry]] = {}
    for entry in ask_playing(pks):
        playing.setdefault(entry.version.bot_id, []).append(entry)
    for pk, bot in bots.items():
        bot.latest_version, bot.playing = newest.get(pk), playing.get(pk, [])
    return [bots[pk] for pk in pks]


@baked
def ask_listed(bots: Sequence[int]) -> QuerySet[Bot]:
    return Bot.objects.filter(pk__in=bots).select_related("owner").order_by()


@baked
def ask_playing(bots: Sequence[int]) -> QuerySet[Entry]:
    """What plays for them on ladders that run, the best first."""
    entries = Entry.objects.active().filter(version__bot__in=bots, ladder__closed_at=None)
    entries = entries.select_related("version").order_by("-is_ranked", "-rating")
    return entries.only("rating", "deviation", "is_ranked", "version__bot")

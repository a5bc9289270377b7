"""Find the bot or version that an address names, or answer that there is none."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from arena.bots.models import Bot, BotVersion
from arena.bots.queries.bots import find_visible_bot
from arena.bots.queries.versions import find_version
from arena.private_responses import forbid_caching


def bot_or_404(request: HttpRequest, slug: str) -> Bot:
    """Return the bot with its owner if the reader may see it. Raises Http404. One for a group is never cached."""
    bot = find_visible_bot(request.user, slug)
    if bot is None:
        raise Http404
    if bot.group_id is not None:
        forbid_caching(request)
    return bot


def own_bot_or_403(request: HttpRequest, slug: str) -> Bot:
    """Return a bot of which the reader is an author. Raises Http404 or PermissionDenied."""
    bot = bot_or_404(request, slug)
    if not bot.has_author(request.user):
        raise PermissionDenied
    return bot


def version_or_404(request: HttpRequest, slug: str, number: int) -> BotVersion:
    """Return that version with its bot and owner if the reader may see it. Raises Http404."""
    version = find_version(request.user, slug, number)
    if version is None:
        raise Http404
    if version.bot.group_id is not None:
        forbid_caching(request)
    return version


def own_version_or_403(request: HttpRequest, slug: str, number: int) -> BotVersion:
    """Return that version of a bot of which the reader is an author. Raises Http404 or PermissionDenied."""
    version = version_or_404(request, slug, number)
    if not version.bot.has_author(request.user):
        raise PermissionDenied
    return version

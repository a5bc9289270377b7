"""The reader's settings: look and language for everybody, tokens and webhooks for authors."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from arena.accounts.sessions import list_sessions
from arena.accounts.two_factor import has_second_factor
from arena.bots.queries.tokens import list_valid_tokens
from arena.following.queries.follows import count_follows, find_timing
from arena.groups.queries.groups import visible_to
from arena.notices.queries.notices import list_notices, list_webhooks
from arena.pages.account.following import TIMING_LABELS
from arena.pages.reader import reader_of


@never_cache
def show_settings(request: HttpRequest) -> HttpResponse:
    """Show the settings."""
    reader = reader_of(request)
    context = {}
    if reader is not None:
        context = {
            "has_second_factor": has_second_factor(reader),
            "sessions": len(list_sessions(reader)),
            "tokens": list_valid_tokens(reader).count(),
            "webhooks": list_webhooks(reader).count(),
            "follows": count_follows(reader),
            "timing": TIMING_LABELS[find_timing(reader)],
            "groups": visible_to(reader).count(),
            "unseen": list_notices(reader, only_unread=True).count(),
        }
    return render(request, "account/settings.html", context)

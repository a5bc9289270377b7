"""Where a reader is signed in, and the buttons that sign them out there."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from allauth.account.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from redis.exceptions import RedisError

from arena.accounts.sessions import end_other_sessions, end_session, find_session, list_sessions, note_session_use
from arena.pages.account.devices import describe_device
from arena.pages.reader import reader_of, signed_in_reader

logger = logging.getLogger(__name__)
LAST_SEEN_RESOLUTION_S = 300
"""When a session was last seen is stored this often at most, so that not every request writes."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session and its device in words."""

    session: UserSession
    device: str
    is_current: bool


@login_required
@never_cache
def show_sessions(request: HttpRequest) -> HttpResponse:
    """Show where the reader is signed in, this session first."""
    rows = [
        SessionRow(session, describe_device(session.user_agent), session.session_key == request.session.session_key)
        for session in list_sessions(signed_in_reader(request))
    ]
    rows.sort(key=lambda row: not row.is_current)
    return render(request, "account/sessions.html", {"rows": rows, "has_others": any(not r.is_current for r in rows)})


@require_POST
@login_required
def end_one(request: HttpRequest, pk: int) -> HttpResponse:
    """Sign the reader out of one session, which may be this one. Raises Http404 where it isn't theirs."""
    session = find_session(signed_in_reader(request), pk)
    if session is None:
        raise Http404
    end_session(session=session)
    device = describe_device(session.user_agent)
    messages.success(request, _("The session has been ended: %(device)s.") % {"device": device})
    return redirect("sessions")


@require_POST
@login_required
def end_others(request: HttpRequest) -> HttpResponse:
    """Sign the reader out everywhere else."""
    ended = end_other_sessions(user=signed_in_reader(request), current_key=request.session.session_key or "")
    sentence = ngettext("%(count)s other session has been ended.", "%(count)s other sessions have been ended.", ended)
    messages.success(request, sentence % {"count": ended})
    return redirect("sessions")


Handler = Callable[[HttpRequest], HttpResponseBase]


def note_use_of_sessions(get_response: Handler) -> Handler:
    """Return middleware that stores now and then where and when a session was seen. It never loads a session itself."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.session.accessed and request.session.session_key:
            note_now_and_then(request, request.session.session_key)
        return response

    return middleware


def note_now_and_then(request: HttpRequest, key: str) -> None:
    """Store that a session was seen, unless that was stored within the last minutes."""
    reader = reader_of(request)
    if reader is None:
        return
    try:
        is_due = cache.add(f"session-seen-{key}", True, LAST_SEEN_RESOLUTION_S)
        ip = get_adapter().get_client_ip(request)
    except RedisError:
        logger.exception("Uses of sessions can't be noted")
    except (PermissionDenied, ImproperlyConfigured):
        pass  # The request didn't come through the proxies, so there is no address to show.
    else:
        if is_due:
            user_agent = request.headers.get("User-Agent", "")
            note_session_use(user=reader, key=key, ip=ip, user_agent=user_agent)

"""The reader's time zone: its form, and the middleware by which pages show times in it."""

from collections.abc import Callable

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.timezone import override
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from arena.accounts.time_zones import choose_time_zone, find_time_zone, list_time_zones
from arena.errors import ArenaError
from arena.messages import render_message
from arena.pages.reader import signed_in_reader

READ_BY_PROGRAMS = ("/api/", "/health/", "/ready/")
"""Beginnings of addresses that have the arena's zone for everybody, and load no session for it."""
MAX_NAME_LENGTH = 64
Handler = Callable[[HttpRequest], HttpResponseBase]


class TimeZoneForm(forms.Form):
    """A time zone by its name."""

    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        label_suffix="",
        required=False,
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off", "autocapitalize": "none"}),
        help_text=gettext_lazy(
            "Type a part of its name, such as Budapest, and pick it from the list. Leave it empty to see times as the "
            "browser says."
        ),
    )


@login_required
@never_cache
def choose_own(request: HttpRequest) -> HttpResponse:
    """Show the reader's time zone, and store another one."""
    reader = signed_in_reader(request)
    form = TimeZoneForm(request.POST or None, initial={"time_zone": reader.time_zone})
    if request.method == "POST" and form.is_valid():
        try:
            choose_time_zone(user=reader, name=form.cleaned_data["time_zone"])
        except ArenaError as error:
            form.add_error("time_zone", render_message(error.message))
        else:
            chosen = reader.time_zone or _("as the browser says")
            messages.success(request, _("Time zone: %(zone)s") % {"zone": chosen})
            return redirect("settings")
    context = {"form": form, "zones": list_time_zones(), "arena_zone": settings.TIME_ZONE}
    return render(request, "account/time_zone.html", context, status=400 if form.errors else 200)


def use_own_time_zone(get_response: Handler) -> Handler:
    """Return middleware that lets pages show and read times in the zone that their reader chose.

    Files, pictures and the API stay in the arena's zone: they are the same for everybody, and load no session.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        is_page = request.path.endswith("/") and not request.path.startswith(READ_BY_PROGRAMS)
        if not is_page or settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return get_response(request)
        with override(find_time_zone(request.user)):
            return get_response(request)

    return middleware

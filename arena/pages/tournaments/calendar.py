"""Calendars of tournaments for calendar programs (RFC 5545), and the page with the link to the reader's own."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control
from django.utils.http import urlencode
from django.views.decorators.http import conditional_page, require_safe
from icalendar import Calendar, Event

from arena.contests.tournaments.models import Round, Tournament
from arena.contests.tournaments.queries import (
    Schedule,
    fetch_schedules,
    find_tournament,
    list_calendar_tournaments,
)
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.pages.serving import signed_in_reader, tournament_or_404
from arena.people.accounts.models import User
from arena.people.accounts.services import find_user_by_calendar_key, renew_calendar_link, sign_calendar_key
from arena.people.groups.services import find_group

# Write calendars. An event keeps its UID for good, whatever the arena's address is then; where what it says changes,
# its SEQUENCE grows. Times are UTC. Nothing in it depends on when it is read, so that what stays the same isn't sent.

CONTENT_TYPE = "text/calendar; charset=utf-8"
REFRESHED_EVERY = timedelta(minutes=30)
KEPT_S = 300
UID_LENGTH = 20


def write_calendar(request: HttpRequest, title: str, tournaments: Sequence[Tournament]) -> bytes:
    """Return the calendar of these tournaments: when entries close, and the rounds that have begun."""
    calendar = Calendar()
    calendar.add("prodid", "-//Pennant//Tournaments//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", title)
    calendar.add("refresh-interval", REFRESHED_EVERY, parameters={"VALUE": "DURATION"})
    schedules = fetch_schedules(tournaments)
    for tournament in tournaments:
        address = request.build_absolute_uri(tournament.get_absolute_url())
        for event in build_events(tournament, schedules[tournament.pk]):
            event.add("url", address)
            calendar.add_component(event)
    return bytes(calendar.to_ical())


def build_events(tournament: Tournament, schedule: Schedule) -> list[Event]:
    """Return the events of a tournament."""
    changed_at = schedule.changed_at or tournament.created_at
    events = []
    if tournament.entries_close_at is not None:
        title = _("%(title)s: entries close") % {"title": tournament.title}
        event = _build_event(tournament, "entries", title, schedule.revision, changed_at)
        _set_times(event, tournament.entries_close_at, None)
        events.append(event)
    for round in schedule.rounds:
        title = _("%(title)s: round %(number)d") % {"title": tournament.title, "number": round.number}
        event = _build_event(tournament, f"round-{round.number}", title, _count_changes(round), round.started_at)
        _set_times(event, round.started_at, round.finished_at)
        events.append(event)
    if tournament.state == Tournament.State.CANCELLED:
        for event in events:
            event.add("status", "CANCELLED")
    return events


def _count_changes(round: Round) -> int:
    """Return how often a round was changed: it ended, or was begun again."""
    return 2 * round.attempt + (round.finished_at is not None)


def _build_event(tournament: Tournament, kind: str, title: str, sequence: int, changed_at: datetime) -> Event:
    event = Event()
    event.add("uid", f"{kind}-{tournament.commitment[:UID_LENGTH]}@pennant")
    event.add("sequence", sequence)
    event.add("dtstamp", changed_at.astimezone(UTC))
    event.add("last-modified", changed_at.astimezone(UTC))
    event.add("summary", title)
    event.add("transp", "TRANSPARENT")
    return event


def _set_times(event: Event, start: datetime, end: datetime | None) -> None:
    """Set when an event begins and ends, in whole seconds; one without an end has no length."""
    event.add("dtstart", start.astimezone(UTC).replace(microsecond=0))
    if end is not None:
        event.add("dtend", end.astimezone(UTC).replace(microsecond=0))


# Send them: of a tournament by its address, and by the reader's own link of all that the reader has to do with.


@require_safe
@conditional_page
def send_tournament_calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the calendar of a tournament that the reader may see. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    if tournament.state == Tournament.State.DRAFT:
        raise Http404(_("No such tournament."))
    response = respond(write_calendar(request, tournament.title, [tournament]), tournament.slug)
    if tournament.is_public:
        patch_cache_control(response, public=True, max_age=KEPT_S)
    return response


@require_safe
def send_own_calendar(request: HttpRequest, key: str) -> HttpResponse:
    """Send the calendar of who has this link: of all tournaments, of a group, or of one. Raise Http404."""
    forbid_caching(request)
    reader = find_user_by_calendar_key(key)
    if reader is None:
        raise Http404(_("This calendar link is invalid or has been replaced."))
    title, tournaments = choose_tournaments(request, reader)
    return respond(write_calendar(request, title, tournaments), "pennant")


def choose_tournaments(request: HttpRequest, reader: User) -> tuple[str, list[Tournament]]:
    """Return what the address names, with its title. Raise Http404 for what the reader may not see."""
    if slug := request.GET.get("group"):
        group = find_group(reader, slug)
        if group is None:
            raise Http404(_("This group doesn't exist."))
        return group.name, list_calendar_tournaments(reader, group)
    if slug := request.GET.get("tournament"):
        tournament = find_tournament(reader, slug)
        if tournament is None or tournament.state == Tournament.State.DRAFT:
            raise Http404(_("No such tournament."))
        return tournament.title, [tournament]
    return _("Tournaments"), list_calendar_tournaments(reader)


def respond(calendar: bytes, name: str) -> HttpResponse:
    """Return a calendar as a file."""
    response = HttpResponse(calendar, content_type=CONTENT_TYPE)
    response["Content-Disposition"] = f'inline; filename="{name}.ics"'
    return response


# Show the link to the reader's own calendar, and renew it.


@login_required
def show_calendar_link(request: HttpRequest) -> HttpResponse:
    """Show the link to the reader's calendar, or to that of a group or a tournament; renew it where that is asked."""
    forbid_caching(request)
    reader = signed_in_reader(request)
    title, _tournaments = choose_tournaments(request, reader)
    if request.method == "POST":
        renew_calendar_link(user=reader)
        messages.success(request, _("New link created. The old one no longer works."))
        return redirect(request.get_full_path())
    path = build_calendar_path(reader, group=request.GET.get("group"), tournament=request.GET.get("tournament"))
    link = request.build_absolute_uri(path)
    subscription = f"webcal:{link.partition(':')[2]}"
    context = {"title": title, "link": link, "subscription": subscription, "is_all": "?" not in path}
    return render(request, "account/calendar.html", context)


def build_calendar_path(reader: User, *, group: str | None = None, tournament: str | None = None) -> str:
    """Return the path of the reader's calendar, or of a group's or a tournament's by the reader's link."""
    named = {"group": group} if group else {"tournament": tournament} if tournament else {}
    query = f"?{urlencode(named)}" if named else ""
    return f"/calendar/{sign_calendar_key(reader)}.ics{query}"

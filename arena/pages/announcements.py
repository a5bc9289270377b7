"""Announcements of a group or a tournament: the list for those who get them, and the form of organisers."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from arena.contests.tournaments.queries import list_announcements, list_audience
from arena.contests.tournaments.services.access import is_organiser
from arena.contests.tournaments.services.announcing import announce, delete_announcement, may_announce
from arena.core.http import forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.pages.groups import GroupVisit, group_page, organisers_page
from arena.pages.serving import read_page_by_key, refusal_in_form, signed_in_reader, tournament_or_404
from arena.people.groups.services import (
    announce_to_group,
    count_members,
    delete_group_announcement,
    list_group_announcements,
)
from arena.people.notices.announcing import MAX_LENGTH

PER_PAGE = 20


class AnnouncementForm(forms.Form):
    """A new announcement."""

    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=gettext_lazy(
            "Plain text, up to 1,000 characters. Addresses that begin with https:// become links. Up to five "
            "announcements an hour."
        ),
    )


# Of a group.


@group_page
def show_of_group(request: HttpRequest, visit: GroupVisit) -> HttpResponse:
    """Show what was announced to a group, and let organisers announce something."""
    group = visit.group
    form = AnnouncementForm(request.POST or None) if visit.own.is_organiser else None
    if request.method == "POST" and form is None:
        raise PermissionDenied
    if request.method == "POST" and form is not None and form.is_valid():
        with refusal_in_form(form):
            announce_to_group(group=group, by=visit.reader, text=form.cleaned_data["text"])
            messages.success(request, _("The announcement is on its way."))
            return redirect("group_announcements", group.slug)
    context = {"name": group.name, "is_for_group": True, "people": count_members(group) - 1}
    return _show(request, group.get_absolute_url(), list_group_announcements(group), form, context)


@require_POST
@organisers_page
def delete_of_group(request: HttpRequest, visit: GroupVisit, pk: int) -> HttpResponse:
    """Delete an announcement of a group."""
    found = list_group_announcements(visit.group).filter(pk=pk).first()
    if found is None:
        raise Http404
    delete_group_announcement(announcement=found, by=visit.reader)
    messages.success(request, _("Announcement deleted."))
    return redirect("group_announcements", visit.group.slug)


# Of a tournament.


@login_required
def show_of_tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what was announced to those of a tournament, and let organisers announce something. Raise Http404."""
    tournament, reader = tournament_or_404(request, slug), signed_in_reader(request)
    as_organiser = is_organiser(tournament, reader)
    audience = list_audience(tournament)
    if not as_organiser and not audience.filter(pk=reader.pk).exists():
        raise Http404(_("Only participants can read this tournament's announcements."))
    forbid_caching(request)
    form = AnnouncementForm(request.POST or None) if as_organiser and may_announce(tournament) else None
    if request.method == "POST" and form is None:
        raise PermissionDenied
    if request.method == "POST" and form is not None and form.is_valid():
        with refusal_in_form(form):
            announce(tournament=tournament, organiser=reader, text=form.cleaned_data["text"])
            messages.success(request, _("The announcement is on its way."))
            return redirect("tournament_announcements", slug)
    context = {"name": tournament.title, "is_for_group": False, "people": audience.exclude(pk=reader.pk).count()}
    found = list_announcements(tournament, reader, as_organiser=as_organiser)
    return _show(request, tournament.get_absolute_url(), found, form, context)


@require_POST
@login_required
def delete_of_tournament(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete an announcement of a tournament."""
    tournament, reader = tournament_or_404(request, slug), signed_in_reader(request)
    if not is_organiser(tournament, reader):
        raise PermissionDenied
    found = list_announcements(tournament, reader, as_organiser=True).filter(pk=pk).first()
    if found is None:
        raise Http404
    delete_announcement(announcement=found, organiser=reader)
    messages.success(request, _("Announcement deleted."))
    return redirect("tournament_announcements", slug)


def _show(
    request: HttpRequest,
    back: str,
    found: QuerySet[Any],
    form: AnnouncementForm | None,
    context: dict[str, Any],
) -> HttpResponse:
    page = read_page_by_key(found, request.GET, PER_PAGE)
    context |= {"back": back, "page": page, "form": form, "delete_address": request.path}
    return render(request, "announcements/page.html", context, status=400 if form and form.errors else 200)

"""The reader's groups, the page of a group, and the forms that make and change one."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena.bots.queries.bots import list_bots_of_group
from arena.errors import ArenaError
from arena.groups.models import Membership
from arena.groups.queries.groups import list_groups, list_members, list_own_invitations
from arena.groups.services.editing import CREATE_PERMISSION, create_group, edit_group
from arena.groups.services.joining import end_join_code, renew_join_code
from arena.ladders.queries.ladders import list_ladders_of_group
from arena.messages import render_message
from arena.pages.appearance import GROUP_ROLES
from arena.pages.groups.forms import GroupForm, NewCodeForm, NewGroupForm, TypedCodeForm
from arena.pages.groups.reading import Visit, group_page, organisers_page, private_page
from arena.pages.reader import signed_in_reader
from arena.pages.tournaments.index import make_lines
from arena.tournaments.queries.tournaments import list_tournaments_of_group

TOURNAMENTS_SHOWN = 50
BOTS_SHOWN = 200
MEMBERS_SHOWN = 60
"""Members on the page of a group; all of them are on the page of members."""


@private_page
def index(request: HttpRequest) -> HttpResponse:
    """Show the groups of the reader, the reader's invitations, and the form for a code."""
    reader = signed_in_reader(request)
    context = {
        "groups": list_groups(reader),
        "invitations": list_own_invitations(reader),
        "form": TypedCodeForm(),
        "may_create": reader.has_perm(CREATE_PERMISSION),
    }
    return render(request, "groups/index.html", context)


@private_page
def new(request: HttpRequest) -> HttpResponse:
    """Make a group."""
    owner = signed_in_reader(request)
    if not owner.has_perm(CREATE_PERMISSION):
        raise PermissionDenied
    form = NewGroupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            group = create_group(owner=owner, **form.cleaned_data)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            messages.success(request, _("The group is there. Next, let people in: by a code, or from a list of names."))
            return redirect("group", group.slug)
    return render(request, "groups/form.html", {"form": form}, status=400 if form.errors else 200)


@organisers_page
def edit(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Change name and description of a group."""
    group = visit.group
    initial = {"name": group.name, "description": group.description}
    form = GroupForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            edit_group(group=group, by=visit.reader, **form.cleaned_data)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            messages.success(request, _("The group has been saved."))
            return redirect("group", group.slug)
    context = {"form": form, "group": group, "may_end": visit.own.role == Membership.Role.OWNER}
    return render(request, "groups/form.html", context, status=400 if form.errors else 200)


@group_page
def detail(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show a group: what it is, who is in it, and for organisers how people join."""
    group, members = visit.group, list_members(visit.group)
    code = group.open_code if visit.own.is_organiser else ""
    context = {
        "group": group,
        "own": visit.own,
        "members": [(member, GROUP_ROLES[member.role]) for member in members[:MEMBERS_SHOWN]],
        "members_count": members.count(),
        "tournaments": list(make_lines(list_tournaments_of_group(visit.reader, group)[:TOURNAMENTS_SHOWN])),
        "ladders": list_ladders_of_group(group),
        "bots": list_bots_of_group(group)[:BOTS_SHOWN],
        "code": code,
        "link": request.build_absolute_uri(f"/groups/join/?code={code}") if code else "",
        "form": NewCodeForm() if visit.own.is_organiser else None,
    }
    return render(request, "groups/detail.html", context)


@require_POST
@organisers_page
def renew_code(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Make a new code to join by; the old one ends."""
    form = NewCodeForm(request.POST)
    if form.is_valid():
        renew_join_code(group=visit.group, by=visit.reader, hours=form.cleaned_data["hours"])
        messages.success(request, _("There is a new code. The old one can't be used any more."))
    else:
        messages.error(request, _("Choose how long the code can be used."))
    return redirect("group", visit.group.slug)


@require_POST
@organisers_page
def end_code(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Let nobody join by the code any more."""
    end_join_code(group=visit.group, by=visit.reader)
    messages.success(request, _("Nobody can join by a code now."))
    return redirect("group", visit.group.slug)

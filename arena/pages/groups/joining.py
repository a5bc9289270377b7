"""Join a group by its link, its code or an invitation, and leave it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena.client_address import find_client_network
from arena.errors import ArenaError
from arena.group_acts import leave_group
from arena.groups.models import Group, Invitation
from arena.groups.queries.groups import find_membership, find_own_invitation
from arena.groups.services.joining import accept_invitation, find_group_by_code, join_group, refuse_invitation
from arena.messages import render_message
from arena.pages.groups.forms import JoinForm, TypedCodeForm
from arena.pages.groups.reading import Visit, group_page, private_page
from arena.pages.reader import signed_in_reader


@private_page
def join(request: HttpRequest) -> HttpResponse:
    """Ask for a code; with one, show whose it is, and make the reader a member when the form is sent."""
    sent = request.POST if request.method == "POST" else request.GET
    if "code" not in sent:
        return render(request, "groups/join.html", {"form": TypedCodeForm()})
    asked = TypedCodeForm(sent)
    if not asked.is_valid():
        return render(request, "groups/join.html", {"form": asked}, status=400)
    reader = signed_in_reader(request)
    code = asked.cleaned_data["code"]
    try:
        group = find_group_by_code(typed=code, user=reader, address=find_client_network(request))
        if find_membership(group, reader) is not None:
            messages.info(request, _("You are in this group already."))
            return redirect("group", group.slug)
        form = JoinForm(request.POST if request.method == "POST" else None, initial={"code": code})
        if request.method != "POST" or not form.is_valid():
            return ask_name(request, group, form)
        join_group(group=group, user=reader, real_name=form.cleaned_data["real_name"])
    except ArenaError as error:
        asked.add_error("code", render_message(error.message))
        return render(request, "groups/join.html", {"form": asked}, status=error.status)
    messages.success(request, _("You are in %(group)s now.") % {"group": group.name})
    return redirect("group", group.slug)


def ask_name(request: HttpRequest, group: Group, form: JoinForm) -> HttpResponse:
    """Show the group that a code leads to, and ask for a name."""
    status = 400 if form.errors else 200
    return render(request, "groups/join_confirm.html", {"group": group, "form": form}, status=status)


@require_POST
@private_page
def accept(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept an invitation."""
    invitation = invitation_or_404(request, pk)
    try:
        accept_invitation(invitation=invitation)
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return redirect("groups")
    messages.success(request, _("You are in %(group)s now.") % {"group": invitation.group.name})
    return redirect("group", invitation.group.slug)


@require_POST
@private_page
def refuse(request: HttpRequest, pk: int) -> HttpResponse:
    """Refuse an invitation."""
    refuse_invitation(invitation=invitation_or_404(request, pk))
    messages.success(request, _("You have refused the invitation."))
    return redirect("groups")


def invitation_or_404(request: HttpRequest, pk: int) -> Invitation:
    """Return an invitation of the reader. Raise Http404."""
    invitation = find_own_invitation(signed_in_reader(request), pk)
    if invitation is None:
        raise Http404
    return invitation


@group_page
def leave(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Ask whether the reader wants to leave a group, and let the reader leave."""
    if request.method != "POST":
        return render(request, "groups/leave.html", {"group": visit.group, "own": visit.own})
    try:
        leave_group(member=visit.own, by=visit.reader)
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return redirect("group", visit.group.slug)
    messages.success(request, _("You have left %(group)s.") % {"group": visit.group.name})
    return redirect("groups")

"""The page of members, on which organisers change names and roles and take people out."""

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena.errors import ArenaError
from arena.group_acts import leave_group
from arena.groups.models import Membership
from arena.groups.queries.groups import count_unused_links, list_invitations_to, list_members
from arena.groups.services.members import set_real_name, set_role
from arena.messages import render_message
from arena.pages.appearance import GROUP_ROLES, Appearance
from arena.pages.groups.forms import LinkDaysForm, RealNameForm
from arena.pages.groups.reading import Visit, group_page, member_or_404, organisers_page

MEMBERS_PER_PAGE = 50
Role = Membership.Role


@dataclass(frozen=True, slots=True)
class Line:
    """A member, and what the reader may do with the membership."""

    member: Membership
    chip: Appearance
    is_own: bool
    has_waiting_link: bool
    """Whether the account was made from a list, and its link can still be used."""
    has_expired_link: bool
    may_rename: bool
    may_remove: bool
    may_change_role: bool


@group_page
def index(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show all members, with forms for what the reader may change."""
    page = Paginator(list_members(visit.group), MEMBERS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "group": visit.group,
        "own": visit.own,
        "page": page,
        "lines": [build_line(member, visit) for member in page.object_list],
        "roles": [(role.value, GROUP_ROLES[role].label) for role in Role],
        "unused_links": count_unused_links(visit.group) if visit.own.is_organiser else 0,
        "links_form": LinkDaysForm(),
        "invitations": list_invitations_to(visit.group) if visit.own.is_organiser else [],
    }
    return render(request, "groups/members.html", context)


def build_line(member: Membership, visit: Visit) -> Line:
    """Return a member as the reader sees it."""
    is_own, is_owner = member.pk == visit.own.pk, visit.own.role == Role.OWNER
    expires_at = getattr(member, "link_expires_at", None) if visit.own.is_organiser else None
    return Line(
        member=member,
        chip=GROUP_ROLES[member.role],
        is_own=is_own,
        has_waiting_link=expires_at is not None and expires_at > now(),
        has_expired_link=expires_at is not None and expires_at <= now(),
        may_rename=is_own or visit.own.is_organiser,
        may_remove=not is_own and visit.own.is_organiser and (is_owner or not member.is_organiser),
        may_change_role=is_owner,
    )


@require_POST
@group_page
def rename(request: HttpRequest, visit: Visit, pk: int) -> HttpResponse:
    """Change a member's name in the group: one's own, or as an organiser."""
    member, form = member_or_404(visit, pk), RealNameForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("A name has at most 80 characters."))
        return redirect("group_members", visit.group.slug)
    try:
        set_real_name(member=member, by=visit.reader, real_name=form.cleaned_data["real_name"])
    except ArenaError as error:
        raise PermissionDenied from error
    messages.success(request, _("%(name)s: the name has been saved.") % {"name": member.shown_name})
    return redirect("group_members", visit.group.slug)


@require_POST
@organisers_page
def change_role(request: HttpRequest, visit: Visit, pk: int) -> HttpResponse:
    """Give a member another role."""
    member, role = member_or_404(visit, pk), request.POST.get("role", "")
    try:
        if role not in Role.values:
            raise ArenaError(_("There is no such role."))
        set_role(member=member, by=visit.reader, role=Role(role))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        words = {"name": member.shown_name, "role": GROUP_ROLES[role].label}
        messages.success(request, _("%(name)s is now: %(role)s.") % words)
    return redirect("group_members", visit.group.slug)


@require_POST
@organisers_page
def remove(request: HttpRequest, visit: Visit, pk: int) -> HttpResponse:
    """Take a person out of the group."""
    member = member_or_404(visit, pk)
    try:
        leave_group(member=member, by=visit.reader)
    except ArenaError as error:
        messages.error(request, render_message(error.message))
    else:
        messages.success(request, _("%(name)s is not in the group any more.") % {"name": member.shown_name})
    return redirect("group_members", visit.group.slug)

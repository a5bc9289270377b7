"""Export a group, and delete it at the end of term."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from arena.errors import ArenaError
from arena.group_data.erasing import count_contents, erase_group
from arena.group_data.export import build_group_export
from arena.groups.models import Membership
from arena.messages import render_message
from arena.pages.groups.reading import Visit, organisers_page


def refuse_non_owners(visit: Visit) -> None:
    """Raise PermissionDenied for co-organisers."""
    if visit.own.role != Membership.Role.OWNER:
        raise PermissionDenied


@organisers_page
def end_group(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show what would be deleted and what would stay, and delete the group once its name was typed."""
    refuse_non_owners(visit)
    group = visit.group
    if request.method == "POST":
        try:
            erase_group(group=group, by=visit.reader, confirmation=request.POST.get("confirmation", ""))
        except ArenaError as error:
            messages.error(request, render_message(error.message))
            return redirect("end_group", group.slug)
        messages.success(request, _("%(group)s is deleted.") % {"group": group.name})
        return redirect("groups")
    return render(request, "groups/end.html", {"group": group, "contents": count_contents(group)})


@organisers_page
def export(request: HttpRequest, visit: Visit) -> HttpResponseBase:
    """Send all that is the group's as a zip."""
    refuse_non_owners(visit)
    return FileResponse(build_group_export(visit.group), as_attachment=True, filename=f"{visit.group.slug}.zip")

"""Paste a list of names, and print the slips of the accounts that it made."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from arena.errors import ArenaError
from arena.groups.name_lists import BadList, read_name_list
from arena.groups.services.listing import ListResult, Slip, add_listed_people, renew_unused_links
from arena.messages import render_message
from arena.pages.groups.forms import LinkDaysForm, NameListForm
from arena.pages.groups.reading import Visit, organisers_page
from arena.pages.svg.qr_code import draw_qr_code


@sensitive_post_parameters("names")
@organisers_page
def add_people(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Let in the people of a list. The links of new accounts are in this response alone."""
    form = NameListForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            people = read_name_list(form.cleaned_data["names"])
            days = form.cleaned_data["days"]
            result = add_listed_people(group=visit.group, by=visit.reader, people=people, days=days)
        except BadList as error:
            form.add_error("names", [render_message(problem) for problem in error.problems])
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
        else:
            return show_result(request, visit, result)
    return render(request, "groups/list.html", {"group": visit.group, "form": form}, status=400 if form.errors else 200)


@require_POST
@organisers_page
def renew_links(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Make new slips for all who have not signed in yet; their old links end."""
    form = LinkDaysForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose how long the links can be used."))
        return redirect("group_members", visit.group.slug)
    slips = renew_unused_links(group=visit.group, by=visit.reader, days=form.cleaned_data["days"])
    if not slips:
        messages.info(request, _("Everybody has signed in: there is nobody to print a slip for."))
        return redirect("group_members", visit.group.slug)
    return show_result(request, visit, ListResult(slips=slips))


def show_result(request: HttpRequest, visit: Visit, result: ListResult) -> HttpResponse:
    """Show what became of a list, with the slips."""
    context = {
        "group": visit.group,
        "result": result,
        "slips": build_slips(request, result.slips),
        "site": request.get_host(),
    }
    return render(request, "groups/slips.html", context)


def build_slips(request: HttpRequest, slips: Sequence[Slip]) -> list[tuple[Slip, str, str]]:
    """Return the slips, each with its whole link and that as a QR code."""
    links = [request.build_absolute_uri(slip.path) for slip in slips]
    return [(slip, link, draw_qr_code(link)) for slip, link in zip(slips, links, strict=True)]

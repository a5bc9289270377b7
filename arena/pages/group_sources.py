"""The bots of a group as its organisers read them: files, a zip of all, and which of them are alike."""

from typing import Any

from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.bots.models import BotVersion, FilesRemoved, SourceRead
from arena.contests.reading import (
    choose_versions,
    compare_pair,
    compare_versions,
    count_members_who_accepted,
    find_readable_version,
    note_reads,
    show_files,
    write_sources,
)
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.queries import list_tournaments_of_group
from arena.core.messages import gettext as _
from arena.core.messages import render_message
from arena.pages.groups import GroupVisit, organisers_page
from arena.pages.serving import HtmxRequest, refusal_as_message, render_live
from arena.people.groups.services import fetch_real_names, list_members

Way = SourceRead.Way


@organisers_page
def show_sources(request: HtmxRequest, visit: GroupVisit) -> HttpResponse:
    """Show which bots can be read, and which of them are alike, as far as that is known: the page asks again."""
    tournaments = list_tournaments_of_group(visit.reader, visit.group)
    tournament = find_tournament(request, visit)
    comparison = compare_versions(versions=choose_versions(visit.group, tournament))
    context = {
        "group": visit.group,
        "comparison": comparison,
        "tournaments": tournaments,
        "chosen": tournament,
        "query": f"?of={tournament.slug}" if tournament else "",
        "real_names": fetch_real_names(visit.reader, visit.group.pk),
        "accepted": count_members_who_accepted(visit.group),
        "members": list_members(visit.group).count(),
    }
    return render_live(request, "groups/sources.html", "groups/_sources.html", context, comparison.is_complete)


def find_tournament(request: HtmxRequest, visit: GroupVisit) -> Tournament | None:
    """Return the group's tournament whose bots are asked for; None for all bots. Raise Http404."""
    slug = request.GET.get("of", "")
    if not slug:
        return None
    found = list_tournaments_of_group(visit.reader, visit.group).filter(slug=slug).first()
    if found is None:
        raise Http404(_("No such contest in this group."))
    return found


@organisers_page
def download_sources(request: HtmxRequest, visit: GroupVisit) -> HttpResponseBase:
    """Send the files of all bots that can be read as a zip."""
    versions = choose_versions(visit.group, find_tournament(request, visit))
    with refusal_as_message(request):
        zipped = write_sources(versions=versions, names=fetch_real_names(visit.reader, visit.group.pk))
        note_reads(versions=versions, group=visit.group, reader=visit.reader, way=Way.DOWNLOAD)
        return FileResponse(zipped, as_attachment=True, filename=f"{visit.group.slug}-bots.zip")
    return redirect("group_sources", visit.group.slug)


@organisers_page
def show_source(request: HtmxRequest, visit: GroupVisit, pk: int) -> HttpResponse:
    """Show the files of a version."""
    version = readable_version_or_404(visit, pk)
    try:
        files = show_files(version)
    except FilesRemoved as error:
        raise Http404(render_message(error.message)) from None
    note_reads(versions=[version], group=visit.group, reader=visit.reader, way=Way.VIEW)
    names = fetch_real_names(visit.reader, visit.group.pk)
    context = {"group": visit.group, "version": version, "files": files, "real_names": names}
    return render(request, "groups/source.html", context)


@organisers_page
def show_pair(request: HtmxRequest, visit: GroupVisit, left: int, right: int) -> HttpResponse:
    """Show the files of two versions next to each other, with what both have marked."""
    versions = [readable_version_or_404(visit, pk) for pk in (left, right)]
    compare_versions(versions=versions)
    sides = compare_pair(*versions)
    note_reads(versions=versions, group=visit.group, reader=visit.reader, way=Way.COMPARE)
    context: dict[str, Any] = {
        "group": visit.group,
        "sides": list(zip(("left", "right"), sides, ("right", "left"), strict=True)) if sides else [],
        "real_names": fetch_real_names(visit.reader, visit.group.pk),
    }
    return render(request, "groups/source_pair.html", context)


def readable_version_or_404(visit: GroupVisit, pk: int) -> BotVersion:
    """Return a version that the group's organisers can read. Raise Http404."""
    version = find_readable_version(visit.group, visit.reader, pk)
    if version is None:
        raise Http404(_("This group's organisers can't read that version."))
    return version

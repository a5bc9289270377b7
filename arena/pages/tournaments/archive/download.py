"""Send the archive of a tournament as a zip that is written while it is sent."""

import threading
from collections.abc import Iterator
from io import RawIOBase
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.held_streams import HeldStream
from arena.messages import render_message
from arena.pages.tournaments.archive.building import Archive
from arena.pages.tournaments.reading import tournament_or_404
from arena.private_responses import forbid_caching
from arena.tournaments.models import Tournament
from arena.tournaments.services.archive_links import NoArchive, check_archivable, find_tournament_by_key

MAX_ARCHIVES_AT_ONCE = 1
"""In one web process: each takes one of its threads, and its processor while pages are drawn."""
BUSY_RETRY_AFTER_S = 10
free_archives = threading.BoundedSemaphore(MAX_ARCHIVES_AT_ONCE)


def archive_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the archive to who may see the tournament, or has a key of a reader who may. Raise Http404."""
    tournament = find_tournament(request, slug)
    try:
        check_archivable(tournament)
    except NoArchive as error:
        raise Http404(render_message(error.message)) from error
    if not free_archives.acquire(blocking=False):
        return refuse_busy(request, tournament)
    arena = request.build_absolute_uri("/").rstrip("/")
    stream = HeldStream(write_zip(Archive(tournament, arena, get_language() or "en")), free_archives.release)
    headers = {
        "Content-Disposition": f'attachment; filename="{tournament.slug}.zip"',
        "Cache-Control": "no-store",
        "X-Robots-Tag": "noindex",
    }
    return StreamingHttpResponse(stream, content_type="application/zip", headers=headers)


def find_tournament(request: HttpRequest, slug: str) -> Tournament:
    """Return the tournament that the reader may see, or that the key in the address opens. Raise Http404."""
    if "key" not in request.GET:
        return tournament_or_404(request, slug)
    tournament = find_tournament_by_key(slug, request.GET["key"])
    if tournament is None:
        raise Http404(_("This link has ended. Ask for a new one."))
    forbid_caching(request)
    return tournament


def refuse_busy(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Ask the reader to come back while another archive is written."""
    sentence = _("Another archive is being written. Try again in some seconds.")
    context = {"tournament": tournament, "sentence": sentence}
    response = render(request, "tournaments/archive/refused.html", context, status=503)
    response["Retry-After"] = str(BUSY_RETRY_AFTER_S)
    return response


class Outlet(RawIOBase):
    """A file that can't be read or sought, from which what was written is taken."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()

    def writable(self) -> bool:
        """Return that it can be written."""
        return True

    def write(self, content: Any) -> int:
        """Keep what is written."""
        self.written += content
        return len(content)

    def take(self) -> bytes:
        """Return what was written since the last call."""
        taken, self.written = bytes(self.written), bytearray()
        return taken


def write_zip(archive: Archive) -> Iterator[bytes]:
    """Yield the zip of an archive, a part for each file. All is in one folder."""
    outlet, slug = Outlet(), archive.tournament.slug
    finished = archive.tournament.finished_at
    moment = localtime(finished).timetuple()[:6] if finished else (1980, 1, 1, 0, 0, 0)
    with ZipFile(outlet, "w", ZIP_DEFLATED) as packed:
        for path, content in archive.write_files():
            entry = ZipInfo(f"{slug}/{path}", moment)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content)
            yield outlet.take()
    yield outlet.take()

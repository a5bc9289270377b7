"""Hand out the command `pennant` of the version that runs here."""

import hashlib
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def show_installation(request: HttpRequest) -> HttpResponse:
    """Show how to install the command. Installers read the page, too: it links to the wheel, with its hash."""
    wheel = find_wheel()
    context = {
        "wheel": wheel,
        "sha256": hash_file(wheel, wheel.stat().st_mtime) if wheel else "",
        "site": request.build_absolute_uri("/").rstrip("/"),
        "source_url": settings.SOURCE_URL,
    }
    return render(request, "home/install.html", context)


def download_wheel(request: HttpRequest, name: str) -> FileResponse:
    """Send the wheel. Raises Http404 where there is none of this name."""
    wheel = find_wheel()
    if wheel is None or wheel.name != name:
        raise Http404(_("There is no such file: the page Install has the present one."))
    return FileResponse(wheel.open("rb"), as_attachment=True, content_type="application/zip")


def find_wheel() -> Path | None:
    """Return the wheel that was built when the arena was started."""
    return next(settings.WHEEL_DIR.glob("*.whl"), None)


@lru_cache(maxsize=4)
def hash_file(file: Path, changed_at: float) -> str:
    """Return the SHA-256 of a file in hex, computed once until it changes."""
    return hashlib.sha256(file.read_bytes()).hexdigest()

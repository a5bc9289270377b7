"""Show the manual: contents, search and pages."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.pages.manual.library import (
    find_manual_page,
    find_neighbours,
    find_picture,
    list_manual_parts,
    read_page,
)
from arena.pages.manual.searching import search_manual

EXAMPLE_ARENA = "https://arena.example"
"""The address in the sources of the manual for which each arena shows its own."""
MAX_QUESTION_LENGTH = 100
PICTURE_CACHE_S = 86_400
"""A picture changes with a release at most."""


def show_contents(request: HttpRequest) -> HttpResponse:
    """Show the contents, or what a search finds."""
    question = request.GET.get("q", "").strip()[:MAX_QUESTION_LENGTH]
    context = {"parts": list_manual_parts(), "question": question, "found": search_manual(question) if question else []}
    return render(request, "manual/contents.html", context)


def show_manual_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show a page of the manual."""
    page = find_manual_page(name)
    if page is None:
        raise Http404(_("The manual has no such page."))
    document, language = read_page(page)
    before, after = find_neighbours(page)
    site = request.build_absolute_uri("/").rstrip("/")
    context = {
        "page": page,
        "title": document.title,
        "headings": [section for section in document.sections if section.level == 2],
        "html": document.html.replace(EXAMPLE_ARENA, site),
        "page_language": language,
        "before": before,
        "after": after,
    }
    return render(request, "manual/page.html", context)


def send_picture(request: HttpRequest, name: str, theme: str) -> FileResponse:
    """Send a picture of the manual as it is in a theme."""
    file = find_picture(f"{name}-{theme}.png")
    if file is None:
        raise Http404(_("The manual has no such picture."))
    return FileResponse(
        file.open("rb"), content_type="image/png", headers={"Cache-Control": f"public, max-age={PICTURE_CACHE_S}"}
    )

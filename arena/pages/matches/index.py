"""The list of all matches."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.matches.filters import MatchFilter
from arena.matches.queries.lists import list_visible_matches
from arena.pages.matches.results import list_rows
from arena.pages.paging import Page, read_keys, read_page_by_key

PAGE_SIZE = 25


def index(request: HttpRequest) -> HttpResponse:
    """List matches, newest first. An invalid filter gets a message at its field, and nothing is listed."""
    filters = MatchFilter(request.GET, list_visible_matches(request.user))
    is_valid = filters.is_valid()
    bot = filters.chosen_bot if is_valid else None
    page = Page([], None, None)
    if is_valid:
        end = filters.limit_scan(PAGE_SIZE + 1, *read_keys(request.GET))
        page = read_page_by_key(filters.qs, request.GET, PAGE_SIZE, end)
    context = {
        "page": page,
        "rows": list_rows(page.rows, bot),
        "form": filters.form,
        "bot": bot,
        "is_filtered": any(request.GET.get(name) for name in filters.filters),
    }
    return render(request, "matches/index.html", context, status=200 if is_valid else 400)

"""The list of all matches."""

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.bots.queries.bots import is_game_known
from arena.ladders.queries.titles import find_game_title
from arena.matches.filters import GAME_CHOICES, MatchFilter
from arena.matches.queries.lists import list_visible_matches
from arena.pages.choices import get_choice_field
from arena.pages.matches.results import list_rows
from arena.pages.paging import Page, read_keys, read_page_by_key
from engine.registry import GAMES

PAGE_SIZE = 25


def index(request: HttpRequest) -> HttpResponse:
    """List matches, newest first: without a filter those that are over.

    An invalid filter gets a message at its field, and nothing is listed.
    """
    matches = list_visible_matches(request.user)
    is_filtered = any(request.GET.get(name) for name in MatchFilter.base_filters)
    filters = MatchFilter(request.GET, matches if is_filtered else matches.over(), reader=request.user)
    is_valid = filters.is_valid()
    bot = filters.chosen_bot if is_valid else None
    page = Page([], None, None)
    if is_valid:
        end = filters.limit_scan(PAGE_SIZE + 1, *read_keys(request.GET))
        page = read_page_by_key(filters.qs, request.GET, PAGE_SIZE, end)
    context = {
        "page": page,
        "rows": list_rows(page.rows, bot),
        "form": name_missing_game(filters.form),
        "bot": bot,
        "is_filtered": is_filtered,
    }
    return render(request, "matches/index.html", context, status=200 if is_valid else 400)


def name_missing_game(form: Form) -> Form:
    """Give the game that is asked for its title in the list of games where it is not installed."""
    key = str(form.data.get("game", ""))
    if key not in GAMES and is_game_known(key):
        get_choice_field(form, "game").choices = [*GAME_CHOICES.items(), (key, find_game_title(key))]
    return form

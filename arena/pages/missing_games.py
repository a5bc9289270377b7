"""Answer with a sentence where a page is about a game that is not installed now."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.errors import describe_missing_game
from arena.ladders.queries.titles import find_game_title
from engine.registry import UnknownGame


class MissingGameMiddleware:
    """Answer a request that raised UnknownGame with a page that names the game. The API has an answer of its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response of the view."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the page for a game that is not installed; None for any other error."""
        if not isinstance(error, UnknownGame):
            return None
        context = {"sentence": describe_missing_game(find_game_title(error.key))}
        return render(request, "home/missing_game.html", context, status=404)

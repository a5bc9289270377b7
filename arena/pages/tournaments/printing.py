"""All of a tournament on one page, for paper."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.pages.tournaments.detail import describe, tell_whole
from arena.pages.tournaments.reading import find_tournament, read_sittings, read_story
from arena.pages.tournaments.rounds import build_attempt


def page(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = find_tournament(request, slug)
    story = read_story(tournament)
    read_sittings(story)
    context = {
        **describe(tournament),
        **tell_whole(story),
        "attempts": [build_attempt(story, round) for round in story.current],
        "address": request.build_absolute_uri(tournament.get_absolute_url()),
    }
    return render(request, "tournaments/print.html", context)

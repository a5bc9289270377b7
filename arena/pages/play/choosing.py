"""The page where a person chooses a game, an edition and opponents, and a link to a free seat."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import SystemRandom
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from arena import tasks
from arena.bots.models import BotVersion
from arena.bots.samples import LEVEL_ELO_BELOW_STRONGEST, STRONGEST_SAMPLE
from arena.client_address import find_client_network
from arena.errors import ArenaError
from arena.ladders.queries.entries import fetch_ratings_of_versions
from arena.livegames.players import Player
from arena.livegames.queries.games import (
    count_guest_games,
    count_results,
    find_seat_by_link,
    list_public_games,
    list_sample_games,
)
from arena.livegames.queries.opponents import list_opponents
from arena.livegames.services.starting import Person, SeatChoice, Sitting, adopt_guest_games, start_live_game, take_seat
from arena.livegames.services.storing import list_seats
from arena.messages import render_message
from arena.pages.choices import get_choice_field
from arena.pages.play.people import make_player, player_of
from arena.pages.rule_fields import (
    MIRRORED,
    SERIES_CHOICES,
    add_option_fields,
    add_series_fields,
    has_chosen_options,
    list_option_groups,
    read_options,
    read_series,
)
from engine.analysis.evaluators import has_evaluator
from engine.registry import GAMES

LINK = "link"
"""The opponent is whoever opens a link."""
GAMES_SHOWN = 12
MAX_OPPONENTS_OFFERED = 200
ANY_SEAT = "any"


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot that may be chosen, with its strength and the reader's results against it."""

    version: BotVersion
    rating: float | None
    results: tuple[int, int, int]
    is_estimated: bool = False
    """The rating isn't that of a ladder."""

    @property
    def label(self) -> str:
        """Return its name and rating for a list of choices."""
        name = self.version.bot.name
        about = "≈ " if self.is_estimated else ""
        return name if self.rating is None else f"{name} ({about}{self.rating:.0f})"


class NewGameForm(forms.Form):
    """The game, who plays, and the rules."""

    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    opponent = forms.ChoiceField(label=gettext_lazy("Opponent"))
    seat = forms.ChoiceField(label=gettext_lazy("Your seat"))
    has_hints = forms.BooleanField(
        label=gettext_lazy("Hints on request, against bots: the game is practice then"), label_suffix="", required=False
    )
    is_public = forms.BooleanField(
        label=gettext_lazy("List the replay for everybody once the game is over"), label_suffix="", required=False
    )

    def __init__(self, game: str, opponents: list[Opponent], data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        rules = GAMES[game]
        self.game = game
        self.opponents = {str(one.version.pk): one.version for one in opponents}
        bots = [(str(one.version.pk), one.label) for one in opponents]
        get_choice_field(self, "edition").choices = [(key, _(title)) for key, title in rules.editions.items()]
        get_choice_field(self, "opponent").choices = [*bots, (LINK, _("a person, by a link"))]
        self.other_names = [f"opponent_{number}" for number in range(2, rules.seats[-1])]
        for name in self.other_names:
            choices = [("", _("nobody")), *bots, (LINK, _("a person, by a link"))]
            self.fields[name] = forms.ChoiceField(label=_("Another opponent"), required=False, choices=choices)
        if not any(has_evaluator(game, edition) for edition in rules.editions):
            del self.fields["has_hints"]
        seats = [(str(number), ordinal) for number, ordinal in enumerate(list_ordinals(rules.seats[-1]))]
        get_choice_field(self, "seat").choices = [(ANY_SEAT, _("any, by lot")), *seats]
        if rules.has_series:
            add_series_fields(self)
            single = (MIRRORED, _("A single game (default)"))
            get_choice_field(self, "series").choices = [single, *SERIES_CHOICES[1:]]
            self.fields["series"].help_text = ""
        add_option_fields(self, [game])

    def list_main_fields(self) -> Iterator[forms.BoundField]:
        """Yield the fields without the rule options."""
        series = ("series", "series_games", "series_points") if "series" in self.fields else ()
        hints = ("has_hints",) if "has_hints" in self.fields else ()
        for name in ("edition", "opponent", *self.other_names, "seat", *series, *hints, "is_public"):
            yield self[name]

    def read_sitting(self) -> Sitting:
        """Return the game that is asked for in a valid form."""
        data = self.cleaned_data
        names = ("opponent", *self.other_names)
        others: list[SeatChoice] = [self.opponents.get(data[name], Person.LINK) for name in names if data[name]]
        seat = SystemRandom().randrange(len(others) + 1) if data["seat"] == ANY_SEAT else int(data["seat"])
        others.insert(min(seat, len(others)), Person.ME)
        return Sitting(
            game=self.game,
            seats=others,
            edition=data["edition"],
            options=read_options(self, self.game),
            series=read_series(self),
            is_public=data["is_public"],
            has_hints=data.get("has_hints", False),
        )


def list_ordinals(seats: int) -> list[str]:
    """Return the names of so many seats."""
    return [_("first"), _("second"), _("third"), _("fourth")][:seats]


def choose(request: HttpRequest) -> HttpResponse:
    """Show what can be played and the reader's games, and start the game that is asked for."""
    game = find_game_asked_for(request)
    player = player_of(request)
    opponents = list_offered(player, game, request.GET.get("edition", ""))
    initial = {"edition": request.GET.get("edition"), "opponent": request.GET.get("opponent")}
    form = NewGameForm(game, opponents, request.POST or None, initial={k: v for k, v in initial.items() if v})
    if request.method == "POST" and form.is_valid():
        sitting = form.read_sitting()
        try:
            if not form.errors:
                return begin(request, sitting)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
    games = list_sample_games(player)
    context = {
        "form": form,
        "chosen_game": game,
        "games": GAMES,
        "opponents": opponents,
        "option_groups": list(list_option_groups(form)),
        "has_chosen_options": has_chosen_options(form),
        "own_games": games[:GAMES_SHOWN],
        "public_games": list_public_games()[:GAMES_SHOWN],
        "guest_games": count_guest_games(player),
    }
    return render(request, "play/choose.html", context, status=400 if form.errors else 200)


def begin(request: HttpRequest, sitting: Sitting) -> HttpResponse:
    """Start a game and lead to its table. Raises ArenaError."""
    game = start_live_game(player=make_player(request), sitting=sitting, address=find_client_network(request))
    tasks.ask_bot(game)
    return redirect(game)


def find_game_asked_for(request: HttpRequest) -> str:
    """Return the key of the game that is asked for, by default the first. Raises Http404."""
    game = request.GET.get("game") or next(iter(GAMES))
    if game not in GAMES:
        raise Http404(_("There is no such game here."))
    return game


def list_offered(player: Player, game: str, edition: str) -> list[Opponent]:
    """Return the bots that may be chosen, the weakest first; those without a rating come last."""
    versions = list(list_opponents(player, game)[:MAX_OPPONENTS_OFFERED])
    edition = edition if edition in GAMES[game].editions else next(iter(GAMES[game].editions))
    ratings = fetch_ratings_of_versions([one.pk for one in versions], game, edition)
    results = count_results(player, [one.bot_id for one in versions]) if player.is_known else {}
    estimates = estimate_levels(versions, ratings)
    offered = [
        Opponent(
            version=one,
            rating=estimates.get(one.pk, ratings.get(one.pk)),
            results=results.get(one.bot_id, (0, 0, 0)),
            is_estimated=one.pk in estimates,
        )
        for one in versions
    ]
    return sorted(offered, key=lambda one: (one.rating is None, one.rating or 0.0, one.version.bot.name))


def estimate_levels(versions: list[BotVersion], ratings: Mapping[int, float]) -> dict[int, float]:
    """Return by version the estimated ratings of the house's levels, which play on no ladder.

    They are computed from the rating of the sample whose levels they are; without it there are none.
    """
    of_house = {one.bot.name: one.pk for one in versions if one.bot.owner.is_house}
    strongest = ratings.get(of_house.get(STRONGEST_SAMPLE, 0))
    if strongest is None:
        return {}
    below = LEVEL_ELO_BELOW_STRONGEST.items()
    return {of_house[name]: strongest - elo for name, elo in below if name in of_house}


def join(request: HttpRequest, link: str) -> HttpResponse:
    """Show who waits at the table of a link, and take the seat."""
    if request.method == "POST":
        try:
            game = take_seat(link=link, player=make_player(request))
        except ArenaError as error:
            return render(request, "play/join.html", {"refusal": render_message(error.message)}, status=error.status)
        tasks.ask_bot(game)
        return redirect(game)
    seat = find_seat_by_link(link)
    if seat is None:
        refusal = _("This link has been used, or it is too old.")
        return render(request, "play/join.html", {"refusal": refusal}, status=404)
    context = {"live_game": seat.game, "seats": list_seats(seat.game)}
    return render(request, "play/join.html", context)


@require_POST
def keep(request: HttpRequest) -> HttpResponse:
    """Give a user the games that they played as a guest."""
    kept = adopt_guest_games(player=player_of(request))
    text = ngettext("%(count)s game is yours now.", "%(count)s games are yours now.", kept)
    messages.success(request, text % {"count": kept})
    return redirect("play")

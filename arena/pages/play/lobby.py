"""The lobby: opponents as cards, the options of a game, links to open seats, and the way back to a running game."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import SystemRandom
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from arena.bots.models import BotVersion
from arena.bots.running import LEVEL_NUMBERS_BY_NAME, STRONGEST_SAMPLE, estimate_off_ladder
from arena.contests.ladders.queries import fetch_ratings_of_versions
from arena.core.errors import ArenaError
from arena.core.http import find_client_network, forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, isolate, ngettext, render_message
from arena.matches.livegames.models import LiveGame, LiveSeat
from arena.matches.livegames.playing import (
    PersonSeat,
    SeatChoice,
    Sitting,
    adopt_guest_games,
    find_own_seat,
    start_live_game,
    take_seat,
)
from arena.matches.livegames.position import CannotStart, LivePlayer, list_seats
from arena.matches.livegames.queries import (
    count_guest_games,
    count_results,
    find_seat_by_link,
    list_opponents,
    list_public_live_games,
    list_running_games,
    list_sample_games,
)
from arena.pages.rules import (
    MIRRORED,
    SERIES_CHOICES,
    add_option_fields,
    add_series_fields,
    get_choice_field,
    has_chosen_options,
    list_option_groups,
    read_options,
    read_series,
)
from arena.pages.serving import is_same_origin, make_player, player_of
from engine.analysis.evaluators import has_evaluator
from engine.message import gettext_noop, message
from engine.registry import GAMES

LINK_SEAT = "link"
"""The opponent is whoever opens a link."""
GAMES_SHOWN = 12
MAX_OPPONENTS_OFFERED = 200
ANY_SEAT = "any"
KEPT_OPTIONS = "play_options"
"""Key of the options that a reader chose last, in the session."""
OPTIONS_KEPT = ("edition", "seat", "has_hints", "is_public")

# The cards of the opponents.

SAMPLE_STYLES = {
    "battleline/random": gettext_lazy("Plays any legal card. A good first win."),
    "battleline/brute": gettext_lazy("Plays its highest card first and never looks at formations."),
    "battleline/greedy": gettext_lazy("Takes the best formation it can get now. Never plays tactics."),
    "battleline/careful": gettext_lazy("Weighs its chances at every flag and plays where they improve most."),
    "battleline/marshal": gettext_lazy("Looks ahead, using what it learned from playing itself. Choose its level."),
    "battalion/random": gettext_lazy("Makes any legal move. A good first win."),
    "battalion/brute": gettext_lazy("Always attacks with its strongest card."),
    "battalion/greedy": gettext_lazy("Attacks where it gains most and ignores your reply."),
    "battalion/general": gettext_lazy("Covers its guard, counts cards and attacks where it expects to gain."),
}
"""How each sample plays, by game and name."""
STRENGTH_MARKS = (1000, 1500, 1900, 2100)
"""Ratings from which an opponent has one pennant more than the first."""
FIRST_OPPONENT = "brute"
"""The opponent for newcomers: it can be beaten, and it tries."""


@dataclass(frozen=True, slots=True)
class OfferedBot:
    """A bot that can be chosen, with its strength and the reader's results against it."""

    version: BotVersion
    rating: float | None
    results: tuple[int, int, int]
    """Games won, drawn and lost."""
    is_estimated: bool = False
    """The rating isn't that of a ladder."""
    levels: Sequence["OfferedBot"] = field(default=())
    """Weaker levels of the same bot, weakest first."""
    is_suggested: bool = False

    @property
    def label(self) -> str:
        """Return its name and rating for a list of choices."""
        name = self.version.bot.name
        about = "≈ " if self.is_estimated else ""
        return name if self.rating is None else f"{isolate(name)} ({about}{self.rating:.0f})"

    @property
    def strength(self) -> int:
        """Return its pennants, from 1 to 5; 0 without a rating."""
        return 0 if self.rating is None else 1 + sum(self.rating >= mark for mark in STRENGTH_MARKS)

    @property
    def style(self) -> str:
        """Return how it plays, in a sentence of ours or of its authors; empty where they wrote none."""
        bot = self.version.bot
        return str(SAMPLE_STYLES.get(f"{bot.game}/{bot.name}", "")) if bot.owner.is_house else bot.style

    @property
    def level(self) -> int:
        """Return the number of its level, from 1; 0 where it has none."""
        return LEVEL_NUMBERS_BY_NAME.get(self.version.bot.name, 0) if self.version.bot.owner.is_house else 0

    @property
    def counted_games(self) -> int:
        """Return how many games the reader has played against it, levels included."""
        return sum(self.results) + sum(sum(one.results) for one in self.levels)

    @property
    def record(self) -> str:
        """Return the reader's results against all its levels, as "2–1" or "2–1–1" with draws in the middle."""
        won, drawn, lost = (
            sum(place) for place in zip(self.results, *(one.results for one in self.levels), strict=True)
        )
        return f"{won}–{drawn}–{lost}" if drawn else f"{won}–{lost}"


def list_offered(player: LivePlayer, game: str, edition: str) -> list[OfferedBot]:
    """Return the bots that can be chosen, weakest first; those without a rating come last."""
    versions = list(list_opponents(player, game)[:MAX_OPPONENTS_OFFERED])
    edition = edition if edition in GAMES[game].editions else next(iter(GAMES[game].editions))
    ratings = fetch_ratings_of_versions([one.pk for one in versions], game, edition)
    results = count_results(player, [one.bot_id for one in versions]) if player.is_known else {}
    estimates = estimate_house_bots(versions, ratings, game, edition)
    offered = [
        OfferedBot(
            version=one,
            rating=estimates.get(one.pk, ratings.get(one.pk)),
            results=results.get(one.bot_id, (0, 0, 0)),
            is_estimated=one.pk in estimates,
        )
        for one in versions
    ]
    return sorted(offered, key=lambda one: (one.rating is None, one.rating or 0.0, one.version.bot.name))


def estimate_house_bots(
    versions: list[BotVersion], ratings: Mapping[int, float], game: str, edition: str
) -> dict[int, float]:
    """Return by version the estimated ratings of the house's bots that play on no ladder as people meet them.

    These are the strongest sample, which thinks less on ladders, and its weaker levels.
    """
    of_house = {one.bot.name: one.pk for one in versions if one.bot.owner.is_house}
    on_ladder = {name: ratings[pk] for name, pk in of_house.items() if pk in ratings}
    estimates = estimate_off_ladder(game, edition, on_ladder)
    return {of_house[name]: rating for name, rating in estimates.items() if name in of_house}


def build_cards(offered: Sequence[OfferedBot]) -> list[OfferedBot]:
    """Return one opponent a card: levels folded into their bot, and the one that suits the reader marked."""
    strongest = next((one for one in offered if is_strongest_sample(one)), None)
    levels = [one for one in offered if one.level] if strongest else []
    cards = [replace(one, levels=levels) if one is strongest else one for one in offered if one not in levels]
    suggested = suggest_opponent(offered)
    return [replace(one, is_suggested=suggested is not None and suggested in (one, *one.levels)) for one in cards]


def is_strongest_sample(one: OfferedBot) -> bool:
    """Return whether this is our strongest bot, of which there are levels."""
    return one.version.bot.name == STRONGEST_SAMPLE and one.version.bot.owner.is_house


# Which opponent suits the reader.

GAMES_FOR_LEVEL = 2
"""With fewer games a reader counts as a newcomer."""
NEWCOMER_RATING = 1200.0
"""Two drawn games against this rating stand before a reader's own results, so that two wins don't make a master."""
LEVEL_RANGE = (400.0, 2800.0)
LEVEL_PRECISION = 1.0


def estimate_level(offered: Sequence[OfferedBot]) -> float | None:
    """Return the rating at which the reader's results are what one would expect; None below two games."""
    games = [(NEWCOMER_RATING, 2, 1.0)]
    games += [
        (one.rating, sum(one.results), one.results[0] + one.results[1] / 2) for one in offered if one.rating is not None
    ]
    if sum(count for _rating, count, _score in games[1:]) < GAMES_FOR_LEVEL:
        return None
    scored = sum(score for _rating, _count, score in games)
    low, high = LEVEL_RANGE
    while high - low > LEVEL_PRECISION:
        middle = (low + high) / 2
        expected = sum(count / (1 + 10 ** ((rating - middle) / 400)) for rating, count, _score in games)
        low, high = (middle, high) if expected < scored else (low, middle)
    return (low + high) / 2


def suggest_opponent(offered: Sequence[OfferedBot]) -> OfferedBot | None:
    """Return whom the reader should play next: the nearest above the own level; for newcomers a good first opponent."""
    rated = [one for one in offered if one.rating is not None]
    level = estimate_level(offered)
    if level is not None and rated:
        return next((one for one in rated if one.rating is not None and one.rating >= level), rated[-1])
    first = (one for one in offered if one.version.bot.owner.is_house and one.version.bot.name == FIRST_OPPONENT)
    return next(first, None)


# The bot that comes after the one of a game.


def find_stronger(player: LivePlayer, game: LiveGame, seats: Sequence[LiveSeat]) -> OfferedBot | None:
    """Return the bot with the next higher rating than the one of a game of two; None where there is none.

    The levels of a bot follow only one another, as the lobby folds them into a card.
    """
    bots = [seat.version.bot_id for seat in seats if seat.version is not None]
    if len(seats) != 2 or len(bots) != 1:
        return None
    rated = [one for one in list_offered(player, game.game, game.edition) if one.rating is not None]
    if not any(one.level for one in rated if one.version.bot_id == bots[0]):
        rated = [one for one in rated if not one.level]
    place = next((number for number, one in enumerate(rated) if one.version.bot_id == bots[0]), len(rated))
    return next(iter(rated[place + 1 :]), None)


def start_against_stronger(*, game: LiveGame, player: LivePlayer, address: str) -> LiveGame:
    """Start a game by the rules of a finished one against the next stronger bot, the person at the other seat.

    Raises CannotStart, TooManyGames or GuestsMayNotPlay.
    """
    seats = list_seats(game)
    own, stronger = find_own_seat(seats, player), find_stronger(player, game, seats)
    if own is None or stronger is None or not game.is_over:
        raise CannotStart(message(gettext_noop("There's no stronger bot to play.")))
    choices: list[SeatChoice] = [PersonSeat.ME, stronger.version]
    sitting = Sitting(
        game=game.game,
        seats=choices if own.seat == 1 else choices[::-1],
        edition=game.edition,
        options=game.changed_options,
        is_public=game.is_public,
        has_hints=game.has_hints,
        limits=game.bot_limits,
    )
    return start_live_game(player=player, sitting=sitting, address=address)


# The form: who plays, and by which rules.


class NewGameForm(forms.Form):
    """The game, who plays, and the rules."""

    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    opponent = forms.ChoiceField(label=gettext_lazy("Opponent"))
    seat = forms.ChoiceField(label=gettext_lazy("Your seat"))
    has_hints = forms.BooleanField(
        label=gettext_lazy("Allow hints (bots only; the game won't count in your record)"),
        label_suffix="",
        required=False,
    )
    is_public = forms.BooleanField(
        label=gettext_lazy("Make the replay public afterwards"), label_suffix="", required=False
    )

    def __init__(self, game: str, opponents: list[OfferedBot], data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial)
        rules = GAMES[game]
        self.game = game
        self.opponents = {str(one.version.pk): one.version for one in opponents}
        bots = [(str(one.version.pk), one.label) for one in opponents]
        get_choice_field(self, "edition").choices = [(key, _(title)) for key, title in rules.editions.items()]
        get_choice_field(self, "opponent").choices = [*bots, (LINK_SEAT, _("A friend (send a link)"))]
        self.other_names = [f"opponent_{number}" for number in range(2, rules.seats[-1])]
        for name in self.other_names:
            choices = [("", _("no one")), *bots, (LINK_SEAT, _("A friend (send a link)"))]
            self.fields[name] = forms.ChoiceField(label=_("Another opponent"), required=False, choices=choices)
        if not any(has_evaluator(game, edition) for edition in rules.editions):
            del self.fields["has_hints"]
        ordinals = [_("First"), _("Second"), _("Third"), _("Fourth")][: rules.seats[-1]]
        seats = [(str(number), ordinal) for number, ordinal in enumerate(ordinals)]
        get_choice_field(self, "seat").choices = [(ANY_SEAT, _("Random")), *seats]
        if rules.has_series:
            add_series_fields(self)
            single = (MIRRORED, _("A single game (default)"))
            get_choice_field(self, "series").choices = [single, *SERIES_CHOICES[1:]]
            self.fields["series"].help_text = ""
        add_option_fields(self, [game])

    def list_main_fields(self) -> Iterator[forms.BoundField]:
        """Yield the fields without the opponent, who is chosen by a card, and the rule options."""
        series = ("series", "series_games", "series_points") if "series" in self.fields else ()
        hints = ("has_hints",) if "has_hints" in self.fields else ()
        for name in ("edition", "seat", *self.other_names, *series, *hints, "is_public"):
            yield self[name]

    def summarise(self) -> list[tuple[str, str, dict[str, str]]]:
        """Return what the folded options hold: of each a field, its choice in words, and the words for every choice."""
        editions = {key: str(_(title)) for key, title in GAMES[self.game].editions.items()}
        seats = {ANY_SEAT: _("random seat"), "": _("fixed seat")}
        edition, seat = self["edition"].value(), self["seat"].value() or ANY_SEAT
        parts = [
            ("edition", editions.get(edition, next(iter(editions.values()))), editions),
            ("seat", seats.get(seat, seats[""]), seats),
        ]
        if "has_hints" in self.fields:
            hints = {"on": _("hints on"), "": _("hints off")}
            parts.append(("has_hints", hints["on" if self["has_hints"].value() else ""], hints))
        return parts

    def read_sitting(self) -> Sitting:
        """Return the game that is asked for in a valid form."""
        data = self.cleaned_data
        names = ("opponent", *self.other_names)
        others: list[SeatChoice] = [self.opponents.get(data[name], PersonSeat.LINK) for name in names if data[name]]
        seat = SystemRandom().randrange(len(others) + 1) if data["seat"] == ANY_SEAT else int(data["seat"])
        others.insert(min(seat, len(others)), PersonSeat.ME)
        has_bots = any(isinstance(other, BotVersion) for other in others)
        return Sitting(
            game=self.game,
            seats=others,
            edition=data["edition"],
            options=read_options(self, self.game),
            series=read_series(self),
            is_public=data["is_public"],
            has_hints=data.get("has_hints", False) and has_bots,
        )


def choose(request: HttpRequest) -> HttpResponse:
    """Show what can be played and the reader's games, and start the game that is asked for."""
    game = request.GET.get("game") or next(iter(GAMES))
    if game not in GAMES:
        raise Http404(_("This arena doesn't have that game."))
    player = player_of(request)
    kept = request.session.get(KEPT_OPTIONS, {}).get(game, {})
    asked = {name: request.GET[name] for name in ("edition", "opponent") if request.GET.get(name)}
    initial = kept | asked
    offered = list_offered(player, game, initial.get("edition", ""))
    form = NewGameForm(game, offered, request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        sitting = form.read_sitting()
        try:
            if not form.errors:
                return begin(request, form, sitting)
        except ArenaError as error:
            form.add_error(None, render_message(error.message))
    context = {
        "form": form,
        "chosen_game": game,
        "games": GAMES,
        "opponents": build_cards(offered),
        "asked_opponent": next((one for one in offered if str(one.version.pk) == asked.get("opponent")), None),
        "level": estimate_level(offered),
        "option_groups": list(list_option_groups(form)),
        "has_chosen_options": has_chosen_options(form),
        "own_games": list_sample_games(player)[:GAMES_SHOWN],
        "public_games": list_public_live_games()[:GAMES_SHOWN],
        "guest_games": count_guest_games(player),
    }
    return render(request, "play/choose.html", context, status=400 if form.errors else 200)


def begin(request: HttpRequest, form: NewGameForm, sitting: Sitting) -> HttpResponse:
    """Start a game, keep its options for the next one, and lead to its table. Raises ArenaError."""
    game = start_live_game(player=make_player(request), sitting=sitting, address=find_client_network(request))
    chosen = {name: form.cleaned_data[name] for name in OPTIONS_KEPT if name in form.cleaned_data}
    request.session[KEPT_OPTIONS] = request.session.get(KEPT_OPTIONS, {}) | {sitting.game: chosen}
    return redirect(game)


# Play now: one click goes on with a game, or starts one.


@dataclass(frozen=True, slots=True)
class PlayDoor:
    """What "Play now" does for a reader."""

    game: LiveGame | None = None
    """The reader's game that is being played, in which it is their turn if there is one."""
    is_own_turn: bool = False
    version: BotVersion | None = None
    """Whom a new game is against; None where no bot can be played now."""
    is_newcomer: bool = False
    """Whether it is somebody without an account who has never played here."""


def find_play_door(player: LivePlayer) -> PlayDoor:
    """Return what "Play now" does for this person: a guest who has played nothing is not asked for in the database."""
    running = [one for one in list_running_games(player) if one[0].game in GAMES] if player.is_known else []
    if running:
        game, seat = running[0]
        return PlayDoor(game, game.seat_to_act == seat.seat)
    game_key = next(iter(GAMES))
    if not player.is_known:
        first = find_first_opponent(player, game_key)
        if first is not None:
            return PlayDoor(version=first, is_newcomer=True)
    offered = list_offered(player, game_key, "")
    suggested = suggest_opponent(offered) or next(iter(offered), None)
    return PlayDoor(version=suggested.version if suggested else None, is_newcomer=not player.is_known)


def find_first_opponent(player: LivePlayer, game: str) -> BotVersion | None:
    """Return the opponent for newcomers to a game; None where it can't be played now."""
    return list_opponents(player, game).filter(bot__name=FIRST_OPPONENT, bot__owner__is_house=True).first()


@csrf_exempt
@require_POST
def play_now(request: HttpRequest) -> HttpResponse:
    """Go on with the reader's game, or start one at once; in the named game always one against its first opponent.

    The form has no token: its page is kept for many readers.
    """
    if not is_same_origin(request):
        raise PermissionDenied
    game_key = request.POST.get("game", "")
    if game_key in GAMES:
        version = find_first_opponent(player_of(request), game_key)
    else:
        door = find_play_door(player_of(request))
        if door.game is not None:
            return redirect(door.game)
        version = door.version
    if version is None:
        return redirect("play")
    seats: list[SeatChoice] = [PersonSeat.ME, version]
    SystemRandom().shuffle(seats)
    sitting = Sitting(game=version.bot.game, seats=seats)
    try:
        game = start_live_game(player=make_player(request), sitting=sitting, address=find_client_network(request))
    except ArenaError as error:
        messages.error(request, render_message(error.message))
        return redirect("play")
    return redirect(game)


def join_by_link(request: HttpRequest, link: str) -> HttpResponse:
    """Show who waits at the table of a link, and take the seat."""
    forbid_caching(request)
    if request.method == "POST":
        try:
            game = take_seat(link=link, player=make_player(request))
        except ArenaError as error:
            return render(request, "play/join.html", {"refusal": render_message(error.message)}, status=error.status)
        return redirect(game)
    seat = find_seat_by_link(link)
    if seat is None:
        refusal = _("This link has been used or has expired.")
        return render(request, "play/join.html", {"refusal": refusal}, status=404)
    context = {"live_game": seat.game, "seats": list_seats(seat.game)}
    return render(request, "play/join.html", context)


@require_POST
def keep_guest_games(request: HttpRequest) -> HttpResponse:
    """Give a user the games that they played as a guest."""
    kept = adopt_guest_games(player=player_of(request))
    text = ngettext("%(count)s game is yours now.", "%(count)s games are yours now.", kept)
    messages.success(request, text % {"count": kept})
    return redirect("play")

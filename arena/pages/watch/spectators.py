"""The pages of spectators: recent matches one after another, recorded games, the stories of a day and their feed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from random import Random
from typing import Any

import orjson
from csp.decorators import csp_replace
from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.feedgenerator import Atom1Feed
from django.utils.functional import Promise
from django.utils.http import content_disposition_header, urlencode
from django.utils.timezone import localdate, make_aware, now
from django.utils.translation import get_language
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from arena.contests.comparisons.services import is_deal_in_play
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.showing import rotate
from arena.contests.stories.models import Story
from arena.contests.stories.services import (
    count_rated_matches,
    find_latest_day,
    list_days,
    list_newest_stories,
    list_stories,
)
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext
from arena.core.release import compute_build_id
from arena.matches.models import Leg
from arena.matches.queries import find_finished_leg
from arena.matches.recorded_games import RecordedGame, find_recorded_game, list_recorded_games
from arena.pages.formatting import format_percent, record_rules_title, record_variant_title
from arena.pages.games import find_presentation
from arena.pages.matches.analysis import describe_chances, describe_findings
from arena.pages.matches.frames import EndPicture, add_judgements, build_stage, draw_end, find_end_of_leg, pack_frames
from arena.pages.matches.match_page import LAST, build_leg_context, read_asked_turn
from arena.pages.matches.replay import (
    PUBLIC,
    PUBLIC_ONLOOKER,
    Playback,
    name_view,
    play_back,
    read_view,
    seat_house_bots,
)
from arena.pages.rules import build_game_name_context
from arena.pages.serving import read_key
from arena.pages.svg.charts import draw_rating_trend, draw_result_squares
from arena.pages.svg.timeline import draw_length
from arena.pages.watch.showing import (
    STEPS_BEFORE_TURNING_POINT,
    STORY_TITLES,
    UP_NEXT_SHOWN,
    NextShown,
    Programme,
    Showing,
    ShownEnd,
    StoryKind,
    build_live_showing,
    build_showing,
    choose_live_match,
    fetch_live_matches,
    fetch_programme,
    find_chances,
    list_next,
    list_playing_now,
    list_shown_marks,
    name_rules,
)
from arena.people.groups.models import Audience
from engine.core import Json
from engine.registry import GAMES

# Show the recorded games that come with the product: on the front page and /watch/, and each as a replay.

CACHE_FOR_AN_HOUR = "public, max-age=3600"


def list_shown_games() -> list[RecordedGame]:
    """Return the recorded games in the order in which they are shown now, the same for everybody."""
    games = list_recorded_games()
    return rotate(games, now(), len(games))


def show_recorded_game(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the replay of a recorded game, with its analysis. Raises Http404 where this arena shows none."""
    game = open_recorded_game(slug)
    record, analysis, seats = game.record, game.analysis, seat_house_bots(game.record)
    view = read_view(request.GET.get("view", ""), [], len(seats))
    is_hidden = request.GET.get("analysis") == "off"
    shown = None if is_hidden else analysis
    playback = add_judgements(play_back(record, view), shown)
    number = min(read_asked_turn(request.GET, playback), playback.last)
    context = {
        "game": game,
        "seats": seats,
        "view": name_view(view),
        "rules": record_rules_title(record),
        "reason": describe_recorded_game(game),
        "turning_step": find_recorded_start(game, playback),
        "frames_url": build_recorded_frames_url(game, name_view(view), analysis_is_hidden=is_hidden),
        **build_leg_context(playback, number, 0, describe_chances(playback, shown)),
    }
    context["analysis"] = {
        **({} if shown is None else describe_findings(shown, playback, context)),
        "found": {"done": analysis is not None, "shown": analysis is not None},
        "is_possible": analysis is not None,
        "is_hidden": is_hidden,
        "file_url": reverse("recorded_analysis", args=[slug]),
    }
    return render(request, "watch/recorded.html", context)


@gzip_page
def send_recorded_frames(request: HttpRequest, slug: str) -> HttpResponse:
    """Send all steps of a recorded game in the reader's language, for one pair of eyes. See `build_frames`."""
    game = open_recorded_game(slug)
    seats = seat_house_bots(game.record)
    onlooker = read_view(request.GET.get("view", ""), [], len(seats))
    is_hidden = request.GET.get("analysis") == "off"
    tag = f"recorded:{slug}:{onlooker}:{is_hidden}:{get_language()}:{compute_build_id()}"
    packed = pack_frames(game.record, onlooker, seats, tag, None if is_hidden else game.analysis)
    response = HttpResponse(packed, "application/json")
    response["Content-Encoding"] = "gzip"
    response["Cache-Control"] = CACHE_FOR_AN_HOUR
    patch_vary_headers(response, ["Accept-Language", "Cookie"])
    return response


def send_recorded_record(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the record of a recorded game as a file, which `pennant verify` checks."""
    return send_recorded_file(open_recorded_game(slug).record, f"pennant-{slug}.json")


def send_recorded_analysis(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the analysis of a recorded game as a file. Raises Http404 where its rules have no value function."""
    analysis = open_recorded_game(slug).analysis
    if analysis is None:
        raise Http404(_("Analysis isn't available for these rules: they don't have a value function yet."))
    return send_recorded_file(analysis, f"pennant-{slug}-analysis.json")


def send_recorded_file(content: Json, name: str) -> HttpResponse:
    """Send JSON as a file to be kept."""
    response = HttpResponse(orjson.dumps(content), content_type="application/json")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = CACHE_FOR_AN_HOUR
    return response


def open_recorded_game(slug: str) -> RecordedGame:
    """Return a recorded game. Raises Http404 where this arena shows none with this slug."""
    game = find_recorded_game(slug)
    if game is None:
        raise Http404(_("This arena doesn't have that recorded game."))
    return game


def build_recorded_frames_url(game: RecordedGame, view: str, *, analysis_is_hidden: bool = False) -> str:
    """Return the address of the steps of a recorded game for an onlooker."""
    query = {"view": view} | ({"analysis": "off"} if analysis_is_hidden else {})
    return f"{reverse('recorded_frames', args=[game.slug])}?{urlencode(query)}"


def build_recorded_showing(game: RecordedGame, *, at_end: bool = False) -> Showing:
    """Return the showing of a recorded game, which begins before its turning point, or with `at_end` with its end."""
    record = game.record
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    playback = play_back(record, PUBLIC_ONLOOKER)
    start = playback.last if at_end else find_recorded_start(game, playback)
    seats = seat_house_bots(record)
    bots = [seat.participant.version.bot for seat in seats]
    return Showing(
        key=game.slug,
        row=None,
        rules=record_rules_title(record),
        leg=1,
        reason=describe_recorded_game(game),
        start=start,
        last=playback.last,
        marks=list_shown_marks(playback, presentation),
        page_url=reverse("recorded_game", args=[game.slug]),
        frames_url=build_recorded_frames_url(game, PUBLIC),
        stage=build_stage(playback.scene(start), presentation) | {"seats": seats},
        end=ShownEnd(
            draw_end(playback.scene(playback.last), presentation),
            sides=[(bot, int(score)) for bot, score in zip(bots, record["result"]["scores"], strict=True)],
        ),
        played_on=game.played_on,
        chances=find_chances(playback, game.names, start, game.analysis),
    )


def find_recorded_start(game: RecordedGame, playback: Playback) -> int:
    """Return the step with which the showing of a recorded game begins: some before its turning point."""
    taken = game.why["turning_point"]
    numbers = (step.number for step in playback.steps if step.entries and step.entries[-1].number >= taken)
    return max(0, next(numbers, playback.last) - STEPS_BEFORE_TURNING_POINT)


def list_recorded_after(games: Sequence[RecordedGame], shown: str, length: int) -> list[NextShown]:
    """Return what is shown after a recorded game: the following ones, and after the last the first again."""
    order = [game.slug for game in games]
    at = order.index(shown) + 1 if shown in order else 0
    return [make_next_recorded(game) for game in [*games[at:], *games[:at]] if game.slug != shown][:length]


def make_next_recorded(game: RecordedGame) -> NextShown:
    """Return a recorded game as one that can be watched."""
    bots: list[Any] = [seat.participant.version.bot for seat in seat_house_bots(game.record)]
    rules = name_rules(game.record["game"], record_variant_title(game.record))
    return NextShown(
        f"{reverse('watch')}?{urlencode({'recorded': game.slug})}", bots, rules, describe_recorded_game(game)
    )


def describe_recorded_game(game: RecordedGame) -> str:
    """Return in a few words why a recorded game was chosen, without telling who wins."""
    percent = {"percent": format_percent(game.why["lowest"])}
    if game.why["measure"] == "chance":
        return _("Comeback from a chance of %(percent)s") % percent
    return _("Comeback from %(percent)s of the cards") % percent


# Show recent matches one after another: on a page of their own, and embedded in other sites.

EMBED_CACHE_CONTROL = "public, max-age=3600"
BEST_SHOWN = 8


def show_watch(request: HttpRequest) -> HttpResponse:
    """Show what comes first now, or the match or the recorded game that the address asks for, and what else there is.

    That is what is being played now, best first, or when nothing is, the best matches of the week.
    """
    asked = (read_key(request.GET, "match"), read_key(request.GET, "leg"))
    context = build_watch_context(
        *asked, recorded=request.GET.get("recorded", ""), at_end=request.GET.get("turn") == LAST
    )
    context["playing_now"] = list_playing_now()
    context["live"] = len(fetch_live_matches())
    if not context["playing_now"]:
        context |= list_best_of_week(context["programme"])
    return render(request, "watch/index.html", context)


def build_watch_context(
    match: int | None = None, leg: int | None = None, *, recorded: str = "", at_end: bool = False
) -> dict[str, Any]:
    """Return the context of `watch/_showing.html` for a match or a recorded game, or for what comes first now.

    That is the best match that is played now; then a recorded game while the arena's own matches are few or weak; then
    the match whose turn it is by the clock. With `at_end` it is shown from its last step on. Raises Http404 for a match
    or a recorded game that isn't there.
    """
    programme = fetch_programme()
    games = list_shown_games() if programme.needs_recorded_games or recorded else []
    if recorded:
        showing: Showing | None = build_recorded_showing(open_recorded_game(recorded), at_end=at_end)
    elif match is None:
        showing = find_showing(programme, games, at_end=at_end)
    else:
        showing = None if at_end else build_live_showing(match)
        showing = showing or build_showing(Audience(), programme, match, leg, at_end=at_end)
    return {
        **build_game_name_context(),
        **(showing.stage if showing else {}),
        **describe_following(programme, games, showing),
        **({} if showing else {"empty_board": draw_empty_board()}),
        "programme": programme,
        "showing": showing,
    }


def find_showing(programme: Programme, games: Sequence[RecordedGame], *, at_end: bool) -> Showing | None:
    """Return the showing of what comes first now; None where there is nothing to be shown."""
    played_now = None if at_end else choose_live_match()
    showing = build_live_showing(played_now) if played_now else None
    if showing is None and games:
        return build_recorded_showing(games[0], at_end=at_end)
    return showing or build_showing(Audience(), programme, None, at_end=at_end)


def draw_empty_board() -> EndPicture | None:
    """Return the picture of a table before anybody has played; None where its game draws none."""
    rules = next(iter(GAMES.values()))
    edition = next(iter(rules.editions))
    options = rules.options(edition)
    deal = rules.deal(options, rules.seats[0], Random(0))
    seats = [{"name": "", "version": 1, "seed": 0}] * rules.seats[0]
    record = {"game": rules.key, "edition": edition, "options": options, "deal": deal, "seats": seats}
    scene = play_back(record | {"actions": [], "result": None}, PUBLIC_ONLOOKER).scene(0)
    return draw_end(scene, find_presentation(rules.key, edition), is_over=False)


def describe_following(programme: Programme, games: Sequence[RecordedGame], showing: Showing | None) -> dict[str, Any]:
    """Return the context of what is shown after a showing."""
    if showing is None:
        return {"up_next": [], "playlist": []}
    if games:
        following = list_recorded_after(games, showing.key, UP_NEXT_SHOWN)
        return {"up_next": following, "playlist": [game.slug for game in games], "playlist_of": "recorded"}
    shown = showing.row.match.pk if showing.row else None
    order = [choice.match for choice in programme.choices]
    return {"up_next": list_next(programme.choices, programme.told, shown), "playlist": order, "playlist_of": "match"}


def list_best_of_week(programme: Programme) -> dict[str, Any]:
    """Return the context of the list of what can be watched while nothing is being played."""
    if programme.needs_recorded_games and (games := list_recorded_games()):
        return {"recorded_games": list_recorded_after(games, "", len(games))}
    return {"best_of_week": list_next(programme.best, programme.told, None, BEST_SHOWN)}


@require_safe
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]
@xframe_options_exempt
def embed_match(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a finished match alone, for a frame in another site. Nothing depends on who reads it."""
    showing = build_showing(Audience(), None, pk, read_key(request.GET, "leg"))
    context = {**showing.stage, "showing": showing} if showing else {}
    response = render(request, "watch/embed.html", context)
    response["Cache-Control"] = EMBED_CACHE_CONTROL
    return response


# Stories as cards of a page: a headline with a verb, a sentence, a small picture and a link.

EARLIER_DAYS_SHOWN = 14
STORIES_ON_FRONT_PAGE = 3
CHANCE_MARKS = 25
"""The chance of an upset is drawn as so many marks."""
STORY_RULES: dict[str, str | Promise] = {
    StoryKind.MATCH_OF_THE_DAY: gettext_lazy(
        "The match shown first on the front page. Bots in the top half of their ladder come first, then the "
        "highest rating of the weaker bot (in steps of 50), then the smallest difference."
    ),
    StoryKind.UPSET: gettext_lazy(
        "The win that the ratings beforehand made least likely, between bots more than 50 points apart."
    ),
    StoryKind.LONGEST: gettext_lazy("The leg with the most moves, counting both sides."),
    StoryKind.NARROWEST_CLAIM: gettext_lazy(
        "The proven claim that the fewest cards, if still unseen, would have refuted. Ties go to the one "
        "whose last such card was seen most recently. Only the top hundred matches by the match-of-the-day "
        "rule are searched."
    ),
    StoryKind.CLIMBER: gettext_lazy("The largest rating gain within a week, among bots that had a rank at both ends."),
    StoryKind.RIVALRY: gettext_lazy(
        "The two active bots with the most matches (at least ten) that met that day and are within two wins "
        "of each other."
    ),
    StoryKind.SAME_CARDS: gettext_lazy(
        "On Sundays: of the week's matches that one bot won with both sides' cards, the one whose legs "
        "stayed alike longest. Only the top hundred by the match-of-the-day rule are searched."
    ),
    StoryKind.ONE_WIN_EACH: gettext_lazy(
        "On Sundays: of the week's matches in which each bot won one leg, the one whose first different move cost the "
        "most winning chance. If none has been analysed, the one whose legs stayed alike longest. Only the top hundred "
        "by the match-of-the-day rule are searched."
    ),
}


@dataclass(frozen=True, slots=True)
class StoryCard:
    """A story as a page shows it."""

    story: Story
    kind: str
    headline: str
    sentence: str
    url: str
    link: str
    """What the link says."""
    score: str = ""
    """Drawn between the two bots where there is no board."""
    picture: EndPicture | None = None
    marks: list[bool] = field(default_factory=list)
    """The chance of an upset: as many marks are true."""
    drawing: str = ""
    """What is drawn below: the course of a rating, the last results, or the turns of a leg."""

    @property
    def ladder(self) -> Ladder:
        """Return the ladder on which it happened."""
        return self.story.first.ladder

    @property
    def is_lead(self) -> bool:
        """Return whether it goes across the page."""
        return self.story.kind == StoryKind.MATCH_OF_THE_DAY

    @property
    def bots(self) -> list[Entry]:
        """Return whom it is about."""
        return [entry for entry in (self.story.first, self.story.second) if entry is not None]


def show_stories(request: HttpRequest, iso_day: str = "") -> HttpResponse:
    """Show the stories of a day as ISO 8601 writes it, by default of the last one that has any."""
    day = read_day(iso_day)
    shown = day or find_latest_day() or localdate()
    cards = list_story_cards(list_stories(shown))
    if day is not None and not cards:
        raise Http404(_("No stories for this day."))
    rules = [(STORY_TITLES[kind], rule) for kind, rule in STORY_RULES.items()]
    context = {"day": shown, "is_today": shown == localdate(), "cards": cards, "rules": rules}
    context |= {"matches": count_rated_matches(shown)}
    return render(request, "watch/today.html", context | {"earlier": list_days(shown, EARLIER_DAYS_SHOWN)})


def read_day(text: str) -> date | None:
    """Return the day of an address; None where it names none. Raises Http404 for what is no day."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Http404(_("No stories for this day.")) from None


def list_front_page_stories() -> tuple[date | None, list[StoryCard]]:
    """Return the last day with stories, and the first of them, each of another match."""
    day = find_latest_day()
    shown: list[StoryCard] = []
    for card in list_story_cards(list_stories(day)) if day else []:
        if card.story.match_id is None or card.story.match_id not in {one.story.match_id for one in shown}:
            shown.append(card)
        if len(shown) == STORIES_ON_FRONT_PAGE:
            break
    return day, shown


def list_story_cards(stories: Iterable[Story]) -> list[StoryCard]:
    """Return the cards of stories. Matches of games that are not installed now are left out."""
    told = (tell_story(story) for story in stories if story.first.ladder.game in GAMES)
    return [card for card in told if card is not None]


def tell_story(story: Story) -> StoryCard | None:
    """Return a story in the reader's words; None where it can't be shown now."""
    if story.kind == StoryKind.CLIMBER:
        return tell_climb(story)
    if story.kind == StoryKind.NARROWEST_CLAIM:
        return tell_close_call(story)
    if story.kind in (StoryKind.SAME_CARDS, StoryKind.ONE_WIN_EACH):
        return tell_twins(story)
    return tell_rivalry(story) if story.kind == StoryKind.RIVALRY else tell_match(story)


def tell_match(story: Story) -> StoryCard:
    """Return the story of a match."""
    facts, first, second = story.facts, name_bot_of_entry(story.first), name_bot_of_entry(story.second)
    is_upset = story.kind == StoryKind.UPSET
    picture, drawing = (None, "") if is_upset else draw_match(story)
    headline, sentence = word_match(story.kind, facts, (first, second), story.leg or 1, picture.says if picture else "")
    marks = [number < round(facts["chance"] * CHANCE_MARKS) for number in range(CHANCE_MARKS)] if is_upset else []
    url = f"{reverse('match', args=[story.match_id])}?leg={story.leg}"
    link = _("Watch it happen") if is_upset else _("Watch replay")
    return StoryCard(
        story, title_story(story), headline, sentence, url, link, _(" v ").strip(), picture, marks, drawing
    )


def word_match(kind: str, facts: Json, names: tuple[str, str], leg: int, ending: str) -> tuple[str, str]:
    """Return the headline and the sentence of the story of a match.

    The headline of the longest fight is about a leg, and its sentence about the match; of the others it is the other
    way round. `ending` says how the leg ended, empty where nothing is known. Days from before scores were stored have
    neither these nor the winner of the leg.
    """
    first, second = names
    result = word_result(facts, names)
    if kind == StoryKind.UPSET:
        points = facts["ratings"][1] - facts["ratings"][0]
        headline = ngettext(
            "%(first)s beats a bot rated %(count)d point higher",
            "%(first)s beats a bot rated %(count)d points higher",
            points,
        ) % {"first": first, "count": points}
        odds = _("The ratings put its chance against %(second)s at %(chance)s.")
        sentence = odds % {"chance": format_percent(facts["chance"]), "second": second}
        return headline, f"{sentence} {result}." if facts.get("legs", 1) > 1 else sentence
    if kind == StoryKind.LONGEST:
        of_leg = _("Leg %(leg)d. Match: %(result)s.") % {"leg": leg, "result": result}
        return word_long_leg(facts, names), of_leg if facts.get("legs", 1) > 1 else f"{ending}." if ending else ""
    one, other = facts["ratings"]
    ratings = _("Their ratings were %(one)d and %(other)d.") % {"one": one, "other": other}
    return result, " ".join(filter(None, [word_leg(facts, names, leg, ending), ratings]))


def word_result(facts: Json, names: tuple[str, str]) -> str:
    """Return how a match ended, without a stop."""
    values = {"first": names[0], "second": names[1], "score": format_score(facts)}
    if facts["points"][0] > facts["points"][1]:
        beats = _("%(first)s beats %(second)s %(score)s") if values["score"] else _("%(first)s beats %(second)s")
        return beats % values
    draw = _("%(first)s and %(second)s draw %(score)s") if values["score"] else _("%(first)s and %(second)s draw")
    return draw % values


def format_score(facts: Json) -> str:
    """Return the score of a match; empty of a single leg, and where it wasn't stored."""
    return "–".join(f"{score:.3g}" for score in facts["scores"]) if facts.get("legs", 1) > 1 else ""


def word_leg(facts: Json, names: tuple[str, str], leg: int, ending: str) -> str:
    """Return how the leg that is shown ended: of a match of several legs it is named, so that nobody mixes them up."""
    if facts.get("legs", 1) == 1:
        return f"{ending}." if ending else ""
    winner = facts["leg_winner"]
    if winner is None:
        return _("Leg %(leg)d was drawn.") % {"leg": leg}
    if ending:
        return _("In leg %(leg)d, %(ending)s.") % {"leg": leg, "ending": ending}
    return _("%(winner)s won leg %(leg)d.") % {"winner": names[winner], "leg": leg}


def word_long_leg(facts: Json, names: tuple[str, str]) -> str:
    """Return who needed how many moves."""
    count, winner = facts["decisions"], facts.get("leg_winner")
    values = {"count": count, "first": names[0], "second": names[1]}
    if winner is not None:
        values |= {"first": names[winner], "second": names[1 - winner]}
        needs = ngettext(
            "%(first)s needs %(count)d move to beat %(second)s",
            "%(first)s needs %(count)d moves to beat %(second)s",
            count,
        )
        return needs % values
    return _("%(first)s and %(second)s play on for %(count)d moves") % values


def draw_match(story: Story) -> tuple[EndPicture | None, str]:
    """Return the picture of how the leg of a story ended, and of the longest fight how long it was."""
    shown = find_end_of_leg(None, story.match_id or 0, story.leg or 1)
    if shown is None:
        return None, ""
    scene, presentation = shown
    return draw_end(scene, presentation), draw_length(scene, presentation) if story.kind == StoryKind.LONGEST else ""


def tell_close_call(story: Story) -> StoryCard | None:
    """Return the story of a close call; None while others still play its deal, or where its game tells of none now."""
    facts, leg = story.facts, find_finished_leg(None, story.match_id or 0, story.leg or 1)
    if leg is None or is_deal_in_play(leg.match):
        return None
    presentation = find_presentation(leg.match.game, leg.match.edition, leg.match.options)
    players = [name_bot_of_entry(story.first), name_bot_of_entry(story.second)]
    if presentation.name_players is not None:
        presentation = presentation.name_players(tuple(players[:: -1 if facts["seat"] else 1]), None)
    if presentation.tell_close_call is None:
        return None
    told = presentation.tell_close_call(facts["call"], facts["seat"])
    picture = EndPicture(f"games/{presentation.folder}/close_call.html", told.board, told.sentence)
    url = f"{reverse('match', args=[story.match_id])}?leg={story.leg}&turn={facts['step']}"
    return StoryCard(story, title_story(story), told.headline, told.sentence, url, _("See the proof"), picture=picture)


def tell_twins(story: Story) -> StoryCard | None:
    """Return the story of a match whose legs went alike at first; None while others still play its deal."""
    legs = [find_finished_leg(None, story.match_id or 0, number) for number in (1, 2)]
    found = [leg for leg in legs if leg is not None and leg.record is not None and not is_deal_in_play(leg.match)]
    if len(found) < len(legs):
        return None
    word = word_twins if story.kind == StoryKind.SAME_CARDS else word_even_twins
    headline, sentence = word(story.facts, (name_bot_of_entry(story.first), name_bot_of_entry(story.second)))
    drawn = [draw_first_difference(leg, story.facts["alike"]) for leg in found]
    picture = EndPicture("watch/_two_boards.html", drawn, _("Where the legs first differ")) if all(drawn) else None
    url = reverse("sides", args=[story.match_id])
    return StoryCard(story, title_story(story), headline, sentence, url, _("Compare both legs"), picture=picture)


def word_twins(facts: Json, names: tuple[str, str]) -> tuple[str, str]:
    """Return the headline and the sentence of the story of a match whose legs one bot won."""
    alike = word_alike(facts)
    won = _("Then they diverge, and %(first)s wins both against %(second)s.") % {"first": names[0], "second": names[1]}
    return _("%(first)s wins with either hand") % {"first": names[0]}, f"{alike} {won}"


def word_even_twins(facts: Json, names: tuple[str, str]) -> tuple[str, str]:
    """Return the headline and the sentence of the story of a match in which each bot won one leg."""
    values = {"first": names[0], "second": names[1], "count": facts["cost"]}
    headline = _("%(first)s and %(second)s win one leg each") % values
    if not facts["cost"]:
        return headline, f"{word_alike(facts)} {_('Then they diverge, and each bot wins one.')}"
    cost = ngettext(
        "Then %(first)s gives away %(count)d point of winning chance that %(second)s keeps.",
        "Then %(first)s gives away %(count)d points of winning chance that %(second)s keeps.",
        facts["cost"],
    )
    opening = ngettext(
        "On its first move, %(first)s gives away %(count)d point of winning chance that %(second)s keeps.",
        "On its first move, %(first)s gives away %(count)d points of winning chance that %(second)s keeps.",
        facts["cost"],
    )
    return headline, f"{word_alike(facts)} {cost % values}" if facts["alike"] else opening % values


def word_alike(facts: Json) -> str:
    """Return with how many moves both legs of a story begin."""
    return ngettext(
        "Both legs begin with the same %(count)d move, with seats swapped.",
        "Both legs begin with the same %(count)d moves, with seats swapped.",
        facts["alike"],
    ) % {"count": facts["alike"]}


def draw_first_difference(leg: Leg, alike: int) -> str:
    """Return the table after the first step that isn't alike, in small; empty where its game draws none."""
    playback = play_back(leg.record_data, PUBLIC_ONLOOKER)
    numbers = (step.number for step in playback.steps if step.entries and step.entries[-1].number >= alike)
    presentation = find_presentation(leg.match.game, leg.match.edition, leg.match.options)
    draw = presentation.draw_miniature
    return draw(playback.scene(next(numbers, playback.last))) if draw else ""


def tell_climb(story: Story) -> StoryCard:
    """Return the story of a climber."""
    before, after = story.facts["before"], story.facts["after"]
    rise = ngettext(
        "%(first)s climbs %(count)d point in a week", "%(first)s climbs %(count)d points in a week", after - before
    )
    sentence = _("From %(before)d to %(after)d.") % {"before": before, "after": after}
    headline = rise % {"first": name_bot_of_entry(story.first), "count": after - before}
    url = story.first.version.bot.get_absolute_url()
    ratings = story.facts.get("ratings_by_day", [])
    return StoryCard(
        story,
        title_story(story),
        headline,
        sentence,
        url,
        _("See the bot"),
        score=f"{before} → {after}",
        drawing=draw_rating_trend(ratings) if ratings else "",
    )


def tell_rivalry(story: Story) -> StoryCard:
    """Return the story of a rivalry."""
    headline = _("%(first)s and %(second)s keep meeting") % {
        "first": name_bot_of_entry(story.first),
        "second": name_bot_of_entry(story.second),
    }
    slugs = [entry.version.bot.slug for entry in (story.first, story.second) if entry]
    return StoryCard(
        story,
        title_story(story),
        headline,
        word_meetings(story.facts),
        reverse("pair", args=slugs),
        _("See the pair"),
        score="–".join(f"{points:g}" for points in story.facts["points"]),
        drawing=draw_result_squares(story.facts.get("last", [])),
    )


def word_meetings(facts: Json) -> str:
    """Return how often two rivals have met, and how they stand, one point a match."""
    one, other = facts["points"]
    met = ngettext(
        "They have met %(count)d time: %(score)s.", "They have met %(count)d times: %(score)s.", facts["matches"]
    )
    return met % {"count": facts["matches"], "score": f"{one:g}–{other:g}"}


def title_story(story: Story) -> str:
    """Return what a kind of story is called."""
    return str(STORY_TITLES[story.kind])


def name_bot_of_entry(entry: Entry | None) -> str:
    """Return the name of an entry's bot."""
    return entry.version.bot.name if entry else ""


# The stories as an Atom feed.

STORIES_IN_FEED = 30


class StoriesFeed(Feed):  # type: ignore[type-arg]
    """The newest stories of all days."""

    feed_type = Atom1Feed
    title = "Pennant"
    subtitle = gettext_lazy("What happened on the ladders.")

    def link(self) -> str:
        """Return the address of the page with the same stories."""
        return reverse("today")

    def items(self) -> list[StoryCard]:
        """Return the stories, the newest first."""
        return list_story_cards(list_newest_stories(STORIES_IN_FEED))

    def item_title(self, item: StoryCard) -> str:
        """Return the headline."""
        return item.headline

    def item_description(self, item: StoryCard) -> str:
        """Return the sentence, with the kind of story before it."""
        return f"{item.kind}: {item.sentence}"

    def item_link(self, item: StoryCard) -> str:
        """Return the address of the match, the bot or the pair."""
        return item.url

    def item_guid(self, item: StoryCard) -> str:
        """Return what tells a story from all others of this arena."""
        return f"story-{item.story.pk}"

    def item_pubdate(self, item: StoryCard) -> datetime:
        """Return the beginning of the day of the story."""
        return make_aware(datetime.combine(item.story.day, time()))

"""Stories as cards of a page: a headline with a verb, a sentence, a small picture and a link."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.ladders.models import Entry, Ladder
from arena.matches.queries.replays import find_finished_leg
from arena.pages.formatting import format_percent
from arena.pages.games import find_presentation
from arena.pages.matches.end_picture import Picture, draw_end, find_end_of_leg
from arena.pages.svg.charts import draw_result_squares
from arena.pages.svg.length import draw_length
from arena.pages.svg.ratings import draw_rating_trend
from arena.stories.models import Story
from arena.stories.queries.stories import find_latest_day, list_days, list_stories
from engine.registry import GAMES

EARLIER_DAYS_SHOWN = 14
STORIES_ON_FRONT_PAGE = 3
CHANCE_MARKS = 25
"""The chance of an upset is drawn as so many marks."""
Kind = Story.Kind
KIND_TITLES: dict[str, str | Promise] = {
    Kind.MATCH_OF_THE_DAY: gettext_lazy("Match of the day"),
    Kind.UPSET: gettext_lazy("Biggest upset"),
    Kind.LONGEST: gettext_lazy("Longest fight"),
    Kind.NARROWEST_CLAIM: gettext_lazy("Narrowest claim"),
    Kind.CLIMBER: gettext_lazy("Climber of the week"),
    Kind.RIVALRY: gettext_lazy("Rivalry"),
}
KIND_RULES: dict[str, str | Promise] = {
    Kind.MATCH_OF_THE_DAY: gettext_lazy(
        "The highest mean of the two ratings less their difference: the best bots, about equally strong."
    ),
    Kind.UPSET: gettext_lazy("The win to which the ratings before the match gave the lowest chance."),
    Kind.LONGEST: gettext_lazy("The leg with the most decisions."),
    Kind.NARROWEST_CLAIM: gettext_lazy(
        "The proven claim that the fewest cards, had they not been seen yet, would have refuted; of as many, the one "
        "where the last of them was seen most recently. Looked for in the hundred matches that come first by the rule "
        "for the match of the day."
    ),
    Kind.CLIMBER: gettext_lazy("The highest rise of a rating within a week, of bots that had a rank at both ends."),
    Kind.RIVALRY: gettext_lazy("The most matches of two active bots of which neither is ahead by more than four."),
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
    picture: Picture | None = None
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
        return self.story.kind == Kind.MATCH_OF_THE_DAY

    @property
    def bots(self) -> list[Entry]:
        """Return whom it is about."""
        return [entry for entry in (self.story.first, self.story.second) if entry is not None]


def show_stories(request: HttpRequest, iso_day: str = "") -> HttpResponse:
    """Show the stories of a day as ISO 8601 writes it, by default of the last one that has any."""
    day = read_day(iso_day)
    shown = day or find_latest_day() or localdate()
    cards = list_cards(list_stories(shown))
    if day is not None and not cards:
        raise Http404(_("There are no stories of this day."))
    rules = [(KIND_TITLES[kind], rule) for kind, rule in KIND_RULES.items()]
    context = {"day": shown, "is_today": shown == localdate(), "cards": cards, "rules": rules}
    return render(request, "watch/today.html", context | {"earlier": list_days(shown, EARLIER_DAYS_SHOWN)})


def read_day(text: str) -> date | None:
    """Return the day of an address; None where it names none. Raises Http404 for what is no day."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Http404(_("There are no stories of this day.")) from None


def list_front_page_stories() -> tuple[date | None, list[StoryCard]]:
    """Return the last day with stories, and the first of them."""
    day = find_latest_day()
    return day, list_cards(list_stories(day)[:STORIES_ON_FRONT_PAGE]) if day else []


def list_cards(stories: Iterable[Story]) -> list[StoryCard]:
    """Return the cards of stories. Matches of games that are not installed now are left out."""
    told = (tell(story) for story in stories if story.first.ladder.game in GAMES)
    return [card for card in told if card is not None]


def tell(story: Story) -> StoryCard | None:
    """Return a story in the reader's words; None where it can't be shown now."""
    if story.kind == Kind.CLIMBER:
        return tell_climb(story)
    if story.kind == Kind.NARROWEST_CLAIM:
        return tell_close_call(story)
    return tell_rivalry(story) if story.kind == Kind.RIVALRY else tell_match(story)


def tell_match(story: Story) -> StoryCard:
    """Return the story of a match."""
    facts, first, second = story.facts, name(story.first), name(story.second)
    beats = (
        _("%(first)s beats %(second)s")
        if facts["points"][0] > facts["points"][1]
        else _("%(first)s and %(second)s part level")
    )
    headline = beats % {"first": first, "second": second}
    one, other = facts["ratings"]
    sentence = _("Their ratings were %(one)d and %(other)d.") % {"one": one, "other": other}
    marks: list[bool] = []
    if story.kind == Kind.UPSET:
        above = ngettext(
            "%(first)s beats a bot rated %(count)d point above it",
            "%(first)s beats a bot rated %(count)d points above it",
            other - one,
        )
        headline = above % {"first": first, "count": other - one}
        chance = format_percent(facts["chance"])
        sentence = _("The ratings gave it a chance of %(chance)s against %(second)s.") % {
            "chance": chance,
            "second": second,
        }
        marks = [number < round(facts["chance"] * CHANCE_MARKS) for number in range(CHANCE_MARKS)]
    elif story.kind == Kind.LONGEST:
        headline = _("%(first)s and %(second)s fight for %(count)d decisions") % {
            "first": first,
            "second": second,
            "count": facts["decisions"],
        }
    url = f"{reverse('match', args=[story.match_id])}?leg={story.leg}"
    picture, drawing = (None, "") if marks else draw_match(story)
    if picture is not None:
        sentence = f"{picture.says}. {sentence}"
    return StoryCard(
        story, kind_title(story), headline, sentence, url, _("Watch it"), _(" v ").strip(), picture, marks, drawing
    )


def draw_match(story: Story) -> tuple[Picture | None, str]:
    """Return the picture of how the leg of a story ended, and of the longest fight how long it was."""
    shown = find_end_of_leg(None, story.match_id or 0, story.leg or 1)
    if shown is None:
        return None, ""
    scene, presentation = shown
    return draw_end(scene, presentation), draw_length(scene, presentation) if story.kind == Kind.LONGEST else ""


def tell_close_call(story: Story) -> StoryCard | None:
    """Return the story of a close call; None while others still play its deal, or where its game tells of none now."""
    facts, leg = story.facts, find_finished_leg(None, story.match_id or 0, story.leg or 1)
    if leg is None or is_deal_in_play(leg.match):
        return None
    presentation = find_presentation(leg.match.game, leg.match.edition, leg.match.options)
    players = [name(story.first), name(story.second)]
    if presentation.name_players is not None:
        presentation = presentation.name_players(tuple(players[:: -1 if facts["seat"] else 1]), None)
    if presentation.tell_close_call is None:
        return None
    told = presentation.tell_close_call(facts["call"], facts["seat"])
    headline = told.headline[:1].upper() + told.headline[1:]
    picture = Picture(f"games/{presentation.folder}/close_call.html", told.board, told.sentence)
    url = f"{reverse('match', args=[story.match_id])}?leg={story.leg}&turn={facts['step']}"
    return StoryCard(story, kind_title(story), headline, told.sentence, url, _("See the proof"), picture=picture)


def tell_climb(story: Story) -> StoryCard:
    """Return the story of a climber."""
    before, after = story.facts["before"], story.facts["after"]
    rise = ngettext(
        "%(first)s climbs %(count)d point in a week", "%(first)s climbs %(count)d points in a week", after - before
    )
    sentence = _("From %(before)d to %(after)d.") % {"before": before, "after": after}
    headline = rise % {"first": name(story.first), "count": after - before}
    url = story.first.version.bot.get_absolute_url()
    ratings = story.facts.get("ratings_by_day", [])
    return StoryCard(
        story,
        kind_title(story),
        headline,
        sentence,
        url,
        _("See the bot"),
        score=f"{before} → {after}",
        drawing=draw_rating_trend(ratings) if ratings else "",
    )


def tell_rivalry(story: Story) -> StoryCard:
    """Return the story of a rivalry."""
    matches, (one, other) = story.facts["matches"], story.facts["points"]
    score = f"{one:g} : {other:g}"
    headline = _("%(first)s and %(second)s can't get away from each other") % {
        "first": name(story.first),
        "second": name(story.second),
    }
    met = ngettext("They have met %(count)d time: %(score)s.", "They have met %(count)d times: %(score)s.", matches)
    slugs = [entry.version.bot.slug for entry in (story.first, story.second) if entry]
    sentence = met % {"count": matches, "score": score}
    return StoryCard(
        story,
        kind_title(story),
        headline,
        sentence,
        reverse("pair", args=slugs),
        _("See the pair"),
        score=score,
        drawing=draw_result_squares(story.facts.get("last", [])),
    )


def kind_title(story: Story) -> str:
    """Return what a kind of story is called."""
    return str(KIND_TITLES[story.kind])


def name(entry: Entry | None) -> str:
    """Return the name of an entry's bot."""
    return entry.version.bot.name if entry else ""

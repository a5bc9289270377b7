"""Which matches somebody wants to see: one set of filters for the pages and for the API."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import django_filters
from django import forms
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.baked import LAST_KEY, baked
from arena.bots.models import Bot, BotVersion
from arena.bots.queries.bots import find_bot
from arena.matches.models import LegSeat, Match, Participant
from arena.runner.verdict import Verdict
from engine.registry import GAMES

EQUAL = 1e-6
"""Points are means of thirds and halves: what differs by less is equal."""
LOOKED_AT, LOOKED_AT_OF_BOT = 2000, 400
"""So many matches at most are looked at for one page where a filter may fit few of them: all, or those of a bot."""
STATES = {
    Match.State.QUEUED: gettext_lazy("Waiting"),
    Match.State.RUNNING: gettext_lazy("Running"),
    Match.State.FINISHED: gettext_lazy("Finished"),
    Match.State.VOID: gettext_lazy("No result"),
}
RESULTS = {"won": gettext_lazy("Won"), "lost": gettext_lazy("Lost"), "drawn": gettext_lazy("Drawn")}
FAULTS = {
    "any": gettext_lazy("Any fault"),
    Verdict.ILLEGAL.value: gettext_lazy("Illegal action"),
    Verdict.MALFORMED.value: gettext_lazy("Unreadable answer"),
    Verdict.TIMEOUT.value: gettext_lazy("Timed out"),
    Verdict.CRASH.value: gettext_lazy("Crashed"),
    Verdict.MEMORY.value: gettext_lazy("Out of memory"),
    Verdict.OUTPUT.value: gettext_lazy("Wrote too much"),
    Verdict.START.value: gettext_lazy("Did not start"),
}
RATED = {"yes": gettext_lazy("Rated"), "no": gettext_lazy("Unrated")}
EDITIONS = {key: gettext_lazy(title) for game in GAMES.values() for key, title in game.editions.items()}


class BotField(forms.CharField):
    """A bot, by its name or its slug."""

    def clean(self, value: Any) -> Bot | None:
        name = super().clean(value)
        if not name:
            return None
        bot = find_bot(slugify(name))
        if bot is None:
            raise forms.ValidationError(_("There is no bot called %(name)s.") % {"name": name})
        return bot


class BotFilter(django_filters.Filter):
    field_class = BotField


class ChoiceFilter(django_filters.ChoiceFilter):
    """One of some words. What else there is, is told."""

    def __init__(self, words: dict[str, Any], **kwargs: Any) -> None:
        allowed = ", ".join(map(str, words))
        unknown = gettext_lazy("There is no %(value)s here, but: ") + allowed
        super().__init__(
            choices=list(words.items()),
            empty_label=gettext_lazy("All"),
            error_messages={"invalid_choice": unknown},
            **kwargs,
        )


class MatchForm(forms.Form):
    """What is asked for together must make sense together."""

    def clean(self) -> dict[str, Any]:
        asked = super().clean()
        for name in ("opponent", "result"):
            if asked.get(name) and not asked.get("bot") and "bot" not in self.errors:
                self.add_error(name, _("Say of which bot."))
        game, edition = asked.get("game"), asked.get("edition")
        if game and edition and edition not in GAMES[game].editions:
            self.add_error("edition", _("%(game)s has no such edition.") % {"game": GAMES[game].title})
        return asked


class MatchFilter(django_filters.FilterSet):
    bot = BotFilter(label=gettext_lazy("Bot"), method="with_bot")
    opponent = BotFilter(label=gettext_lazy("Opponent"), method="with_bot")
    game = ChoiceFilter({game.key: game.title for game in GAMES.values()}, label=gettext_lazy("Game"))
    edition = ChoiceFilter(EDITIONS, label=gettext_lazy("Edition"))
    result = ChoiceFilter(RESULTS, label=gettext_lazy("Result of the bot"), method="with_result")
    fault = ChoiceFilter(FAULTS, label=gettext_lazy("Fault"), method="with_fault")
    rated = ChoiceFilter(RATED, label=gettext_lazy("Rated"), method="with_rating")
    state = ChoiceFilter(STATES, label=gettext_lazy("State"))

    class Meta:
        model = Match
        fields: list[str] = []
        form = MatchForm

    span: dict[str, int] = {}
    """Of the keys that are looked at, as lookups of a participant's match."""
    own_matches: Sequence[int] | None = None
    """Where few may fit: those of the bot that are looked at. A database that joins for them instead may read the
    matches of all."""

    @property
    def bot_asked(self) -> Bot | None:
        return self.form.cleaned_data.get("bot")

    @cached_property
    def own_versions(self) -> list[int]:
        """Ids of those of the bot that is asked for."""
        return ask_versions(self.bot_asked.pk)

    def with_bot(self, matches: QuerySet[Match], name: str, bot: Bot) -> QuerySet[Match]:
        if name == "bot" and self.own_matches is not None:
            return matches.filter(pk__in=self.own_matches)
        is_own = {"version__in": self.own_versions} if name == "bot" else {"version__bot": bot}
        return matches.filter(pk__in=Participant.objects.filter(**is_own, **self.span).values("match"))

    def with_result(self, matches: QuerySet[Match], name: str, result: str) -> QuerySet[Match]:
        own = Participant.objects.filter(match=OuterRef("pk"), version__in=self.own_versions)
        others = Participant.objects.filter(match=OuterRef("match")).exclude(pk=OuterRef("pk"))
        is_behind = Exists(others.filter(points__gt=OuterRef("points") + EQUAL))
        is_caught = Exists(others.filter(points__gte=OuterRef("points") - EQUAL))
        fits = {"lost": is_behind, "won": ~is_caught, "drawn": ~is_behind & is_caught}[result]
        return matches.filter(Exists(own.filter(fits)), state=Match.State.FINISHED)

    def with_fault(self, matches: QuerySet[Match], name: str, fault: str) -> QuerySet[Match]:
        """Of the bot that is asked for, or else of anybody."""
        seats = LegSeat.objects.exclude(verdict=Verdict.OK).filter(participant__match=OuterRef("pk"))
        if fault != "any":
            seats = seats.filter(verdict=fault)
        if self.bot_asked:
            seats = seats.filter(participant__version__in=self.own_versions)
        return matches.filter(Exists(seats), state=Match.State.FINISHED)

    def with_rating(self, matches: QuerySet[Match], name: str, rated: str) -> QuerySet[Match]:
        return matches.filter(ladder_match__isnull=rated == "no")

    def look(self, size: int, before: int | None = None, after: int | None = None) -> int | None:
        """Look no farther for a page of this size than to the match that is returned; None: there is no such limit.

        To be called before `qs` is.
        """
        asked = {name for name, value in self.form.cleaned_data.items() if value}
        end = None
        if self.bot_asked:
            end = self.look_at_bot(size if asked == {"bot"} else LOOKED_AT_OF_BOT, before, after)
        elif asked & {"fault", "rated"}:
            end = reach_of_all(LOOKED_AT, before, after)
        here, there = ("match__gt", "match__lte") if after is not None else ("match__lt", "match__gte")
        begin = after if after is not None else before
        self.span = {name: key for name, key in ((here, begin), (there, end)) if key is not None}
        if asked > {"bot"} and end is not None:
            low, high = (after, end) if after is not None else (end, before)
            self.own_matches = ask_between(self.own_versions, low, LAST_KEY if high is None else high)
        return end

    def look_at_bot(self, depth: int, before: int | None, after: int | None) -> int | None:
        """As far as it has matches enough; where another is asked for, too, as far as the one with fewer has."""
        end = find_reach(self.own_versions, depth, before, after)
        opponent = self.form.cleaned_data.get("opponent")
        if opponent is None or end is None:
            return end
        other = find_reach(ask_versions(opponent.pk), depth, before, after)
        return None if other is None else max(end, other) if after is not None else min(end, other)


def find_reach(versions: Sequence[int], depth: int, before: int | None = None, after: int | None = None) -> int | None:
    """The match that one of these versions played `depth` matches before the newest, or before that one, or after
    another: as many are found on this side of it, and some few more. None where none played so many."""
    if after is not None:
        return min((far for far in ask_far_up(versions, after, depth=depth) if far is not None), default=None)
    far_down = ask_far_down(versions, LAST_KEY if before is None else before, depth=depth)
    return max((far for far in far_down if far is not None), default=None)


@baked
def ask_far_up(versions: Sequence[int], after: int, *, depth: int) -> QuerySet:
    own = Participant.objects.filter(version=OuterRef("pk"), match__gt=after).order_by("match")
    return _far(versions, own, depth)


@baked
def ask_far_down(versions: Sequence[int], before: int, *, depth: int) -> QuerySet:
    own = Participant.objects.filter(version=OuterRef("pk"), match__lt=before).order_by("-match")
    return _far(versions, own, depth)


def _far(versions: Sequence[int], own: QuerySet[Participant], depth: int) -> QuerySet:
    """The match of each version that is so many of its own away; None where it has fewer."""
    far = BotVersion.objects.filter(pk__in=versions).annotate(far=Subquery(own.values("match")[depth - 1 : depth]))
    return far.order_by().values_list("far", flat=True)


@baked
def ask_between(versions: Sequence[int], low: int, high: int) -> QuerySet:
    """Both ends are in."""
    found = Participant.objects.filter(version__in=versions, match__gte=low, match__lte=high)
    return found.order_by().values_list("match", flat=True)


def reach_of_all(depth: int, before: int | None = None, after: int | None = None) -> int | None:
    """The same, of all matches."""
    far = ask_up(after, depth=depth) if after is not None else ask_down(before or LAST_KEY, depth=depth)
    return far[0] if far else None


@baked
def ask_up(after: int, *, depth: int) -> QuerySet:
    return Match.objects.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[depth - 1 : depth]


@baked
def ask_down(before: int, *, depth: int) -> QuerySet:
    return Match.objects.filter(pk__lt=before).order_by("-pk").values_list("pk", flat=True)[depth - 1 : depth]


@baked
def ask_versions(bot: int) -> QuerySet:
    return BotVersion.objects.filter(bot=bot).order_by().values_list("pk", flat=True)


def newest_matches(versions: Sequence[int], count: int) -> list[int]:
    """Ids of the newest matches of these versions, newest first. Not all of theirs are read for it."""
    return ask_newest(versions, find_reach(versions, count) or 0, count=count)


@baked
def ask_newest(versions: Sequence[int], oldest: int, *, count: int) -> QuerySet:
    found = Participant.objects.filter(version__in=versions, match__gte=oldest).order_by("-match")
    return found.values_list("match", flat=True).distinct()[:count]

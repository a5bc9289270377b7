"""Filter matches by what was asked for: one set of filters for pages and API, and the rules of an edition."""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

import django_filters
from django import forms
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet

from arena.bots.models import Bot
from arena.bots.queries import is_game_known, pick_called
from arena.core.errors import ArenaError
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.matches.models import LegSeat, Match, Participant
from arena.matches.queries import (
    MAX_KEY,
    find_scan_limit,
    find_scan_limit_of_all,
    list_match_ids_between,
    list_version_ids,
)
from arena.people.accounts.models import User
from arena.runner.program import Verdict
from engine.message import Message, gettext_noop, literal, message
from engine.options import BadOptions
from engine.registry import GAMES, UnknownGame, find_game
from engine.series import BadSeries, SeriesLength, check_series
from engine.variants import Variant, find_variant

# Filter matches: one set of filters for pages and API.

POINTS_TOLERANCE = 1e-6
"""Points are means of thirds and halves: values that differ by less are equal."""
MAX_MATCHES_SCANNED = 2000
"""Maximum number of matches that one page looks at where a filter may fit few."""
MAX_MATCHES_OF_BOT_SCANNED = 400
"""The same for the matches of one bot."""
STATES = {
    Match.State.QUEUED: gettext_lazy("Queued"),
    Match.State.RUNNING: gettext_lazy("Running"),
    Match.State.FINISHED: gettext_lazy("Finished"),
    Match.State.VOID: gettext_lazy("No result"),
}
RESULTS = {"won": gettext_lazy("Won"), "lost": gettext_lazy("Lost"), "drawn": gettext_lazy("Drawn")}
FAULTS = {
    "any": gettext_lazy("Any fault"),
    Verdict.ILLEGAL.value: gettext_lazy("Illegal action"),
    Verdict.MALFORMED.value: gettext_lazy("Invalid answer"),
    Verdict.TIMEOUT.value: gettext_lazy("Timed out"),
    Verdict.CRASH.value: gettext_lazy("Crashed"),
    Verdict.MEMORY.value: gettext_lazy("Out of memory"),
    Verdict.OUTPUT.value: gettext_lazy("Wrote too much"),
    Verdict.START.value: gettext_lazy("Did not start"),
}
RATED = {"yes": gettext_lazy("Rated"), "no": gettext_lazy("Unrated")}
GAME_CHOICES = {game.key: game.title for game in GAMES.values()}
EDITIONS = {key: gettext_lazy(title) for game in GAMES.values() for key, title in game.editions.items()}


class BotField(forms.CharField):
    """A bot, by its name or its slug."""

    widget = forms.TextInput(attrs={"size": 11})
    """Narrow enough for all filters to stand in one line of a usual window."""
    reader: User | AnonymousUser | None = None
    """Who asks: bots that this person doesn't see are not there."""

    def clean(self, value: Any) -> Bot | None:
        """Return the bot, or None where none is named."""
        name = super().clean(value)
        if not name:
            return None
        bot = pick_called(Bot.objects.visible_to(self.reader), name)
        if bot is None:
            raise forms.ValidationError(_("No bot called %(name)s.") % {"name": name})
        return bot


class BotFilter(django_filters.Filter):
    """A filter by a bot."""

    field_class = BotField


class ChoiceFilter(django_filters.ChoiceFilter):
    """One of some values; the error names them all."""

    def __init__(self, labels: Mapping[Any, Any], **kwargs: Any) -> None:
        allowed = ", ".join(map(str, labels))
        unknown = gettext_lazy("Unknown value %(value)s. Choose one of: ") + allowed
        super().__init__(
            choices=list(labels.items()),
            empty_label=gettext_lazy("All"),
            error_messages={"invalid_choice": unknown},
            **kwargs,
        )


class MatchForm(forms.Form):
    """The form of the filters, whose values must make sense together."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        key = str(self.data.get("game", ""))
        if key and key not in GAMES and is_game_known(key):
            self.fields["game"].choices = [*GAME_CHOICES.items(), (key, key)]  # type: ignore[attr-defined]
        if key in GAMES:
            offered = [("", _("All")), *((edition, _(title)) for edition, title in GAMES[key].editions.items())]
            self.fields["edition"].widget.choices = offered

    def clean(self) -> dict[str, Any]:
        """Check the values against each other."""
        values = super().clean() or {}
        for name in ("opponent", "result"):
            if values.get(name) and not values.get("bot") and "bot" not in self.errors:
                self.add_error(name, _("Specify the bot, too."))
        game, edition = values.get("game"), values.get("edition")
        rules = GAMES.get(game or "")
        if rules and edition and edition not in rules.editions:
            self.add_error("edition", _("%(game)s has no such edition.") % {"game": rules.title})
        return values


class MatchFilter(django_filters.FilterSet):
    """The filters of a list of matches."""

    bot = BotFilter(label=gettext_lazy("Bot"), method="with_bot")
    opponent = BotFilter(label=gettext_lazy("Opponent"), method="with_bot")
    game = ChoiceFilter(GAME_CHOICES, label=gettext_lazy("Game"))
    edition = ChoiceFilter(EDITIONS, label=gettext_lazy("Edition"))
    result = ChoiceFilter(RESULTS, label=gettext_lazy("Result"), method="with_result")
    fault = ChoiceFilter(FAULTS, label=gettext_lazy("Fault"), method="with_fault")
    rated = ChoiceFilter(RATED, label=gettext_lazy("Rated"), method="with_rating")
    state = ChoiceFilter(STATES, label=gettext_lazy("State"))

    class Meta:
        model = Match
        fields: list[str] = []
        form = MatchForm

    def __init__(self, *args: Any, reader: User | AnonymousUser | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("bot", "opponent"):
            self.form.fields[name].reader = reader

    scanned_range: dict[str, int] = {}
    """The range of matches that is looked at, as lookups of a participant's match."""
    own_matches: Sequence[int] | None = None
    """The matches of the bot in that range, where few may fit. A database that joins for them may read all matches."""

    @property
    def chosen_bot(self) -> Bot | None:
        """The bot whose matches are listed, or None."""
        bot: Bot | None = self.form.cleaned_data.get("bot")
        return bot

    @cached_property
    def own_versions(self) -> list[int]:
        """The ids of the versions of the chosen bot."""
        assert self.chosen_bot is not None
        return list_version_ids(self.chosen_bot.pk)

    def with_bot(self, matches: QuerySet[Match], name: str, bot: Bot) -> QuerySet[Match]:
        """Keep the matches of a bot."""
        if name == "bot" and self.own_matches is not None:
            return matches.filter(pk__in=self.own_matches)
        is_own = {"version__in": self.own_versions} if name == "bot" else {"version__bot": bot}
        scanned = self.scanned_range if self.own_matches is None else {"match__in": self.own_matches}
        return matches.filter(pk__in=Participant.objects.shown().filter(**is_own, **scanned).values("match"))

    def with_result(self, matches: QuerySet[Match], name: str, result: str) -> QuerySet[Match]:
        """Keep the matches with this result of the chosen bot."""
        own = Participant.objects.shown().filter(match=OuterRef("pk"), version__in=self.own_versions)
        others = Participant.objects.filter(match=OuterRef("match")).exclude(pk=OuterRef("pk"))
        is_behind = Exists(others.filter(points__gt=OuterRef("points") + POINTS_TOLERANCE))
        is_caught = Exists(others.filter(points__gte=OuterRef("points") - POINTS_TOLERANCE))
        fits = {"lost": is_behind, "won": ~is_caught, "drawn": ~is_behind & is_caught}[result]
        return matches.filter(Exists(own.filter(fits)), state=Match.State.FINISHED)

    def with_fault(self, matches: QuerySet[Match], name: str, fault: str) -> QuerySet[Match]:
        """Keep the matches with such a fault of the chosen bot, or of any where none is chosen."""
        seats = LegSeat.objects.exclude(verdict=Verdict.OK).filter(participant__match=OuterRef("pk"))
        if fault != "any":
            seats = seats.filter(verdict=fault)
        if self.chosen_bot:
            seats = seats.filter(participant__version__in=self.own_versions)
        return matches.filter(Exists(seats), state=Match.State.FINISHED)

    def with_rating(self, matches: QuerySet[Match], name: str, rated: str) -> QuerySet[Match]:
        """Keep the rated matches, or the others."""
        return matches.filter(ladder_match__isnull=rated == "no")

    def limit_scan(self, size: int, before: int | None = None, after: int | None = None) -> int | None:
        """Return the match beyond which a page of this size does not look; None where there is no such limit.

        Call this before reading `qs`.
        """
        chosen = {name for name, value in self.form.cleaned_data.items() if value}
        end = None
        if self.chosen_bot:
            end = self._limit_scan_of_bot(size if chosen == {"bot"} else MAX_MATCHES_OF_BOT_SCANNED, before, after)
        elif chosen & {"fault", "rated"}:
            end = find_scan_limit_of_all(MAX_MATCHES_SCANNED, before, after)
        here, there = ("match__gt", "match__lte") if after is not None else ("match__lt", "match__gte")
        begin = after if after is not None else before
        self.scanned_range = {name: key for name, key in ((here, begin), (there, end)) if key is not None}
        if chosen > {"bot"} and end is not None:
            low, high = (after, end) if after is not None else (end, before)
            self.own_matches = list_match_ids_between(self.own_versions, low, MAX_KEY if high is None else high)
        return end

    def _limit_scan_of_bot(self, depth: int, before: int | None, after: int | None) -> int | None:
        """Return the match up to which the bot has `depth` matches, or its opponent, where that has fewer."""
        end = find_scan_limit(self.own_versions, depth, before, after)
        opponent = self.form.cleaned_data.get("opponent")
        if opponent is None or end is None:
            return end
        other = find_scan_limit(list_version_ids(opponent.pk), depth, before, after)
        return None if other is None else max(end, other) if after is not None else min(end, other)


# The rules that somebody has asked for: an edition and changes of its options, and perhaps a series of games.


class UnplayableRules(ArenaError):
    """There is no such edition, option or series, or it can't be like that; the message says what is allowed."""


class HasRules(Protocol):
    """A match, tournament or comparison, each played by an edition with changed options."""

    @property
    def game(self) -> str:
        """Return the key of the game."""

    @property
    def edition(self) -> str:
        """Return the key of the edition."""

    @property
    def changed_options(self) -> Mapping[str, Any]:
        """Return the rule options that differ from the edition's."""


def resolve_variant(game: str, edition: str = "", options: Mapping[str, Any] | None = None) -> Variant:
    """Return the rules of an edition, by default the game's first, with these options changed.

    Where the changes make another edition of it, they are that one's. Raises UnplayableRules.
    """
    rules = find_game(game)
    try:
        return find_variant(rules, edition or next(iter(rules.editions)), options)
    except BadOptions as error:
        problem = gettext_noop("These rules can't be played: %(problem)s.")
        raise UnplayableRules(message(problem, problem=error.message)) from error


def parse_series_length(game: str, players: int, series: Mapping[str, Any] | None) -> SeriesLength | None:
    """Return the length of a series from its JSON form; None for none. Raises UnplayableRules."""
    if series is None:
        return None
    try:
        check_series(find_game(game), players)
        return SeriesLength.from_json(series)
    except BadSeries as error:
        raise UnplayableRules(error.message) from error


def name_variant(played: HasRules) -> Message:
    """Return the edition and the changed options by which something is played, as "Medieval, without tactics".

    Of an edition that is gone it is the key.
    """
    try:
        return _name_variant(played.game, played.edition, tuple(played.changed_options.items()))
    except (UnknownGame, BadOptions):
        return literal(played.edition)


@lru_cache(maxsize=1024)
def _name_variant(game: str, edition: str, changes: tuple[tuple[str, Any], ...]) -> Message:
    """Return the name of a variant. Raises UnknownGame and BadOptions, so that only names are cached."""
    return find_variant(find_game(game), edition, dict(changes)).name

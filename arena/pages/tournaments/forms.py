"""Forms of those who organise a tournament, and of those who enter one."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django import forms
from django.conf import settings as django_settings
from django.forms.boundfield import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.bots.queries.bots import find_bot
from arena.pages.choices import choice_field
from arena.pages.tournaments.words import FORMATS
from arena.tournaments.models import Tournament
from arena.tournaments.queries.tournaments import list_enterable_versions
from arena.tournaments.services.organising import Plan, plan_of
from arena.tournaments.settings import GAME_POINTS, MAX_ENTRANTS, WINS, Settings
from engine.registry import GAMES

MOMENT = "%Y-%m-%dT%H:%M"
"""How browsers read and send a time."""
VERSIONS_OFFERED = 10
"""Of each bot, the newest."""
SCORING_WORDS = {
    WINS: gettext_lazy("Wins: 1 point for a pairing won, ½ for an even one."),
    GAME_POINTS: gettext_lazy(
        "Game points: the sum of the points of all legs, so that it counts how clearly a bot wins."
    ),
}
PARTS = (
    (gettext_lazy("What it is"), ("title", "description", "edition")),
    (gettext_lazy("How it is played"), ("format", "matches_per_pairing", "scoring")),
    (
        gettext_lazy("What only some formats ask for"),
        ("rounds", "max_tiebreak_matches", "groups", "advance_per_group", "seats"),
    ),
    (
        gettext_lazy("Who takes part"),
        ("entries_close_at", "max_entrants", "max_entrants_per_author", "is_rated", "is_low_priority"),
    ),
)
"""Headings of the form, and what stands under each."""
SETTINGS = (
    "format",
    "rounds",
    "matches_per_pairing",
    "max_tiebreak_matches",
    "scoring",
    "groups",
    "advance_per_group",
    "seats",
)


class TournamentForm(forms.Form):
    """What a tournament is and how it is played."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=60,
        help_text=gettext_lazy("Its address is made of the first one, and stays."),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Plain text, for everybody."),
    )
    edition = forms.ChoiceField(
        label=gettext_lazy("Game"), help_text=gettext_lazy("Can't be changed any more once a bot has entered.")
    )
    format = forms.ChoiceField(label=gettext_lazy("Format"), widget=forms.RadioSelect)
    matches_per_pairing = forms.IntegerField(
        label=gettext_lazy("Matches per pairing"),
        min_value=1,
        max_value=25,
        help_text=gettext_lazy(
            "A match is a mirrored pair: two legs on the same deal with the seats swapped. In a knockout, the winner "
            "of most of them goes on."
        ),
    )
    scoring = forms.ChoiceField(
        label=gettext_lazy("What counts"), choices=list(SCORING_WORDS.items()), widget=forms.RadioSelect
    )
    rounds = forms.IntegerField(
        label=gettext_lazy("Rounds"),
        min_value=1,
        max_value=99,
        required=False,
        help_text=gettext_lazy("Swiss and tables. Empty: as many as are needed to find the best of those who come."),
    )
    max_tiebreak_matches = forms.IntegerField(
        label=gettext_lazy("Maximum number of tie-break matches"),
        min_value=0,
        max_value=25,
        help_text=gettext_lazy(
            "Knockouts: played while a pairing is even; then the game points of all legs decide, then the better seed."
        ),
    )
    groups = forms.IntegerField(
        label=gettext_lazy("Groups"), min_value=2, max_value=MAX_ENTRANTS // 2, help_text=gettext_lazy("Groups only.")
    )
    advance_per_group = forms.IntegerField(
        label=gettext_lazy("Advance from each group"),
        min_value=1,
        max_value=MAX_ENTRANTS // 2,
        help_text=gettext_lazy("Groups only."),
    )
    seats = forms.IntegerField(
        label=gettext_lazy("Seats at a table"),
        min_value=2,
        max_value=4,
        help_text=gettext_lazy("Tables only, of games for more than two. All others: 2."),
    )
    entries_close_at = forms.DateTimeField(
        label=gettext_lazy("Entries close"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=MOMENT),
    )
    max_entrants = forms.IntegerField(label=gettext_lazy("Maximum number of bots"), min_value=2, max_value=MAX_ENTRANTS)
    max_entrants_per_author = forms.IntegerField(
        label=gettext_lazy("Maximum number of bots per author"), min_value=1, max_value=MAX_ENTRANTS
    )
    is_rated = forms.BooleanField(
        label=gettext_lazy("Its matches count for the ladder, too, where all bots of a match are on it"),
        label_suffix="",
        required=False,
    )
    is_low_priority = forms.BooleanField(
        label=gettext_lazy("Its matches are played when nothing else waits"), label_suffix="", required=False
    )

    def __init__(self, organiser: User, tournament: Tournament | None = None, data: Any = None) -> None:
        plan = plan_of(tournament) if tournament else Plan(title="", game="", edition="")
        super().__init__(data, initial=initial_of(plan))
        choice_field(self, "edition").choices = list_editions()
        choice_field(self, "format").choices = [(key, ". ".join(map(str, words))) for key, words in FORMATS.items()]
        self.fields["entries_close_at"].help_text = _(
            "By the clock of this arena, %(zone)s. Versions are frozen then, and it starts by itself. Empty: when you "
            "start it."
        ) % {"zone": django_settings.TIME_ZONE}
        if not organiser.is_staff:
            del self.fields["is_rated"]
        self.kept = plan

    def parts(self) -> Iterator[tuple[str | Promise, list[BoundField]]]:
        """Its fields under their headings."""
        for heading, names in PARTS:
            yield heading, [self[name] for name in names if name in self.fields]

    def plan(self) -> Plan:
        """Return the plan that was filled in."""
        data = self.cleaned_data
        game, _slash, edition = data["edition"].partition("/")
        return Plan(
            title=data["title"],
            description=data["description"],
            game=game,
            edition=edition,
            settings=Settings(**{name: data[name] for name in SETTINGS}),
            is_rated=data.get("is_rated", self.kept.is_rated),
            is_low_priority=data["is_low_priority"],
            entries_close_at=data["entries_close_at"],
            max_entrants=data["max_entrants"],
            max_entrants_per_author=data["max_entrants_per_author"],
        )


def initial_of(plan: Plan) -> dict[str, Any]:
    """Return the initial values of the form for a plan."""
    names = (
        "title",
        "description",
        "is_rated",
        "is_low_priority",
        "entries_close_at",
        "max_entrants",
        "max_entrants_per_author",
    )
    edition = f"{plan.game}/{plan.edition}" if plan.game else None
    return {**asdict(plan.settings), **{name: getattr(plan, name) for name in names}, "edition": edition}


def list_editions() -> list[tuple[str, str]]:
    """Every edition of every game."""
    return [
        (f"{key}/{edition}", f"{game.title}, {_(title)}")
        for key, game in GAMES.items()
        for edition, title in game.editions.items()
    ]


class EntryForm(forms.Form):
    """The choice of a bot, and whether later versions of it replace the one that is entered."""

    entry = forms.ChoiceField(label=gettext_lazy("Your bot"))

    def __init__(self, owner: User, game: str, data: Any = None) -> None:
        super().__init__(data)
        choice_field(self, "entry").choices = list_entries(owner, game)

    @property
    def has_bots(self) -> bool:
        """Return whether there is a bot to choose."""
        return bool(choice_field(self, "entry").choices)

    def chosen(self) -> tuple[Bot, BotVersion | None]:
        """Return the bot, and its version if no later one is to replace it."""
        slug, _slash, number = self.cleaned_data["entry"].partition("/")
        bot = find_bot(slug)
        assert bot is not None
        return bot, bot.versions.get(number=number) if number else None


def list_entries(owner: User, game: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Own bots that have passed their trial, each with what may play for it."""
    offered: dict[str, list[tuple[str, str]]] = {}
    for slug, name, number in list_enterable_versions(owner, game):
        own = offered.setdefault(name, [])
        if not own:
            words = _("%(name)s, its newest version: v%(number)s now") % {"name": name, "number": number}
            own.append((slug, words))
        if len(own) <= VERSIONS_OFFERED:
            own.append((f"{slug}/{number}", _("%(name)s v%(number)s, and no other") % {"name": name, "number": number}))
    return list(offered.items())

"""The forms of organisers and of authors who enter a tournament."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.functional import Promise
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.bots.queries.bots import find_bot
from arena.errors import ArenaError
from arena.matches.variants import UnplayableRules, parse_series_length
from arena.messages import render_message
from arena.pages.choices import get_choice_field
from arena.pages.games import find_seats_note
from arena.pages.rule_fields import (
    OptionGroup,
    add_option_fields,
    add_series_fields,
    has_chosen_options,
    list_option_groups,
    read_options,
    read_series,
    write_options,
    write_series,
)
from arena.pages.tournaments.access_fields import ACCESS_FIELDS, add_access_fields, read_access
from arena.pages.tournaments.words import FORMAT_TEXTS
from arena.tournaments.formats import FORMATS
from arena.tournaments.models import Tournament
from arena.tournaments.queries.tournaments import list_enterable_versions
from arena.tournaments.services.organising import Plan
from arena.tournaments.settings import GAME_POINTS, MAX_ENTRANTS, WINS, Settings
from engine.registry import GAMES

DATETIME_LOCAL_FORMAT = "%Y-%m-%dT%H:%M"
"""The format in which browsers read and send a date and time."""
MAX_VERSIONS_OFFERED = 10
"""The number of versions offered of each bot, the newest ones."""
SCORING_LABELS = {
    WINS: gettext_lazy("Wins: 1 point for a pairing won, ½ for an even one."),
    GAME_POINTS: gettext_lazy("Game points: the sum of the game points of all legs, so that clear wins count more."),
}
FORM_SECTIONS = (
    (gettext_lazy("Basics"), ("title", "description", "edition")),
    (
        gettext_lazy("How it is played"),
        ("format", "matches_per_pairing", "series", "series_games", "series_points", "scoring"),
    ),
    (
        gettext_lazy("Settings of the format"),
        (
            "rounds",
            "groups",
            "advance_per_group",
            "knockout_size",
            "third_place_match",
            "max_tiebreak_matches",
            "seats",
        ),
    ),
    (gettext_lazy("Who sees it and who may enter"), ACCESS_FIELDS),
    (
        gettext_lazy("Places and times"),
        ("entries_close_at", "max_entrants", "max_entrants_per_author", "is_rated", "is_low_priority"),
    ),
)
"""The headings of the form with the fields under each."""
FORMATS_OF_FIELDS = {
    name: tuple(key for key, format in FORMATS.items() if name in format.uses)
    for name in sorted(frozenset().union(*(format.uses for format in FORMATS.values())))
}
"""The formats to which a field applies; for others it is hidden and ignored. Fields that aren't here apply to all."""
FIELDS_BY_PART = {"game": "edition"}
"""The fields of the form that have another name than the part of the plan in them."""
SETTINGS_FIELDS = (
    "format",
    "rounds",
    "matches_per_pairing",
    "max_tiebreak_matches",
    "scoring",
    "groups",
    "advance_per_group",
    "knockout_size",
    "third_place_match",
    "seats",
)


class TournamentForm(forms.Form):
    """The form in which an organiser plans a tournament."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=60,
        help_text=gettext_lazy("The web address is made from the first title and doesn't change."),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Plain text for all who see the tournament."),
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
            "A match is a mirrored pair: two legs on the same deal with the seats swapped. In a knockout, the bot that "
            "wins most of them advances."
        ),
    )
    scoring = forms.ChoiceField(
        label=gettext_lazy("Scoring"), choices=list(SCORING_LABELS.items()), widget=forms.RadioSelect
    )
    rounds = forms.IntegerField(
        label=gettext_lazy("Rounds"),
        min_value=1,
        max_value=99,
        required=False,
        help_text=gettext_lazy(
            "Of the Swiss, or of tables. Leave empty for as many as the format recommends. In a Swiss nobody meets "
            "twice: half as many rounds as bots can always be paired, and with more it may end earlier."
        ),
    )
    max_tiebreak_matches = forms.IntegerField(
        label=gettext_lazy("Maximum number of tie-break matches"),
        min_value=0,
        max_value=25,
        help_text=gettext_lazy(
            "Knockouts only: played while a pairing is even; then the game points of all legs decide, then the better "
            "seed."
        ),
    )
    groups = forms.IntegerField(
        label=gettext_lazy("Groups"),
        min_value=2,
        max_value=MAX_ENTRANTS // 2,
        help_text=gettext_lazy("The seeds are spread over the groups, so that these are about equally strong."),
    )
    advance_per_group = forms.IntegerField(
        label=gettext_lazy("Advance from each group"),
        min_value=1,
        max_value=MAX_ENTRANTS // 2,
        help_text=gettext_lazy("The best of each group play the knockout."),
    )
    knockout_size = forms.IntegerField(
        label=gettext_lazy("Advance to the knockout"),
        min_value=2,
        max_value=MAX_ENTRANTS,
        help_text=gettext_lazy("The best bots of the Swiss play the knockout. With 2, 4, 8 or 16 nobody has a bye."),
    )
    third_place_match = forms.BooleanField(
        label=gettext_lazy("The losers of the semi-finals play for third place"), label_suffix="", required=False
    )
    seats = forms.IntegerField(
        label=gettext_lazy("Seats at a table"),
        min_value=2,
        max_value=4,
        help_text=gettext_lazy("Tables only, in games for more than two. Otherwise 2."),
    )
    entries_close_at = forms.DateTimeField(
        label=gettext_lazy("Entries close"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=DATETIME_LOCAL_FORMAT),
    )
    max_entrants = forms.IntegerField(label=gettext_lazy("Maximum number of bots"), min_value=2, max_value=MAX_ENTRANTS)
    max_entrants_per_author = forms.IntegerField(
        label=gettext_lazy("Maximum bots per author"), min_value=1, max_value=MAX_ENTRANTS
    )
    is_rated = forms.BooleanField(
        label=gettext_lazy("Matches count for the ladder if all their bots are on it"),
        label_suffix="",
        required=False,
    )
    is_low_priority = forms.BooleanField(
        label=gettext_lazy("Low priority: play only when the queue is empty"), label_suffix="", required=False
    )

    def __init__(self, organiser: User, plan: Plan | None = None, data: Any = None) -> None:
        plan = plan or Plan(title="", game="", edition="")
        super().__init__(data, initial=build_initial(plan))
        get_choice_field(self, "edition").choices = list_editions()
        get_choice_field(self, "format").choices = [
            (key, ". ".join(map(str, words))) for key, words in FORMAT_TEXTS.items()
        ]
        notes = filter(None, map(find_seats_note, GAMES))
        self.fields["seats"].help_text = " ".join([str(self.fields["seats"].help_text), *notes])
        self.fields["entries_close_at"].help_text = _(
            "Time zone: %(zone)s. Versions are frozen then, and the tournament starts automatically, at most 15 "
            "minutes later while versions uploaded in time have their trial. Authors who are expected and have no bot "
            "ready are reminded a day and an hour before. Leave empty to start it yourself."
        ) % {"zone": get_current_timezone_name()}
        if not organiser.is_staff:
            del self.fields["is_rated"]
        add_access_fields(self, organiser, plan.access)
        add_series_fields(self)
        add_option_fields(self, GAMES)
        self.kept, self.organiser = plan, organiser

    def clean(self) -> dict[str, Any]:
        """Return the data with the rule options of the chosen game."""
        data = super().clean() or {}
        for name, formats in FORMATS_OF_FIELDS.items():
            if data.get("format") and data["format"] not in formats:
                self.errors.pop(name, None)
        game, _slash, _edition = data.get("edition", "").partition("/")
        if not game:
            return data
        data["changed_options"], chosen = read_options(self, game), read_series(self)
        if not self.errors:
            try:
                seats = self.read_settings().get("seats", Settings().seats)
                data["length"] = parse_series_length(game, seats, chosen)
            except UnplayableRules as error:
                self.add_error("series", render_message(error.message))
        return data

    def add_refusal(self, error: ArenaError) -> None:
        """Show why a plan was refused at the fields to blame, or above all if there are none."""
        sentence = render_message(error.message)
        names = [FIELDS_BY_PART.get(name, name).rpartition(".")[2] for name in error.fields]
        shown: list[str | None] = [name for name in names if name in self.fields]
        for name in shown or [None]:
            self.add_error(name, sentence)

    @property
    def option_groups(self) -> list[OptionGroup]:
        """Return the rule options of each game."""
        return list(list_option_groups(self))

    @property
    def has_chosen_options(self) -> bool:
        """Return whether a rule option is chosen or refused."""
        return has_chosen_options(self)

    def list_sections(self) -> Iterator[tuple[str | Promise, list[tuple[BoundField, str]]]]:
        """Yield the headings with their fields, each with the formats to which it applies; none for all."""
        for heading, names in FORM_SECTIONS:
            fields = [(self[name], " ".join(FORMATS_OF_FIELDS.get(name, ()))) for name in names if name in self.fields]
            yield heading, fields

    def build_plan(self) -> Plan:
        """Return the plan in the form's data."""
        data = self.cleaned_data
        game, _slash, edition = data["edition"].partition("/")
        return Plan(
            title=data["title"],
            description=data["description"],
            game=game,
            edition=edition,
            changed_options=data["changed_options"],
            settings=Settings(**self.read_settings(), series=data["length"]),
            is_rated=data.get("is_rated", self.kept.is_rated),
            is_low_priority=data["is_low_priority"],
            entries_close_at=data["entries_close_at"],
            max_entrants=data["max_entrants"],
            max_entrants_per_author=data["max_entrants_per_author"],
            access=read_access(self, self.organiser, self.kept.access),
        )

    def read_settings(self) -> dict[str, Any]:
        """Return the settings that apply to the chosen format; others stay at their defaults."""
        chosen = self.cleaned_data["format"]
        applying = [name for name in SETTINGS_FIELDS if chosen in FORMATS_OF_FIELDS.get(name, (chosen,))]
        return {name: self.cleaned_data[name] for name in applying}


def build_initial(plan: Plan) -> dict[str, Any]:
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
    options = write_options(plan.game, plan.changed_options)
    series = write_series(asdict(plan.settings)["series"])
    return {
        **asdict(plan.settings),
        **{name: getattr(plan, name) for name in names},
        "edition": edition,
        **options,
        **series,
    }


def list_editions() -> list[tuple[str, str]]:
    """Return all editions of all games as choices."""
    return [
        (f"{key}/{edition}", f"{game.title}, {_(title)}")
        for key, game in GAMES.items()
        for edition, title in game.editions.items()
    ]


class EntryCodeForm(forms.Form):
    """The code that an author types to be let in."""

    code = forms.CharField(
        label=gettext_lazy("Code of the tournament"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
        help_text=gettext_lazy("Its organiser has it: 12 letters and digits. Hyphens and capitals don't matter."),
    )


class EntryForm(forms.Form):
    """The form in which an author chooses a bot, and whether later versions replace the one that is entered."""

    entry = forms.ChoiceField(label=gettext_lazy("Your bot"))

    def __init__(self, owner: User, tournament: Tournament, data: Any = None) -> None:
        super().__init__(data)
        get_choice_field(self, "entry").choices = list_entries(owner, tournament)

    @property
    def has_bots(self) -> bool:
        """Return whether there is a bot to choose."""
        return bool(get_choice_field(self, "entry").choices)

    def find_choice(self) -> tuple[Bot, BotVersion | None]:
        """Return the bot, and its version if no later one is to replace it."""
        slug, _slash, number = self.cleaned_data["entry"].partition("/")
        bot = find_bot(slug)
        assert bot is not None
        return bot, bot.versions.get(number=number) if number else None


def list_entries(owner: User, tournament: Tournament) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the bots of an owner as choices, each with its accepted versions."""
    offered: dict[str, list[tuple[str, str]]] = {}
    for slug, name, number in list_enterable_versions(owner, tournament):
        own = offered.setdefault(name, [])
        if not own:
            words = _("%(name)s, always the newest version (now v%(number)s)") % {"name": name, "number": number}
            own.append((slug, words))
        if len(own) <= MAX_VERSIONS_OFFERED:
            own.append((f"{slug}/{number}", _("%(name)s v%(number)s only") % {"name": name, "number": number}))
    return list(offered.items())

"""The forms of organisers, and the page on which authors enter and withdraw their bots."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.forms.boundfield import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.timezone import get_current_timezone_name
from django.views.decorators.http import require_POST

from arena.bots.models import Bot, BotVersion
from arena.bots.queries import find_bot, find_version_of
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.queries import (
    list_enterable_versions,
    list_entrants,
    list_entrants_by_seed,
    list_invitations,
)
from arena.contests.tournaments.services.access import (
    ORGANISE_PERMISSION,
    Access,
    EntryRule,
    Visibility,
    is_organiser,
    is_permitted,
    permit_by_code,
)
from arena.contests.tournaments.services.entering import enter, withdraw
from arena.contests.tournaments.services.organising import MAX_HIDDEN_ROUNDS, TournamentPlan
from arena.contests.tournaments.settings import GAME_POINTS, MAX_ENTRANTS, WINS, Settings
from arena.core.errors import ArenaError
from arena.core.http import find_client_network
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, render_message
from arena.matches.filters import UnplayableRules, parse_series_length
from arena.pages.formatting import Appearance, find_entrant_appearance
from arena.pages.games import find_seats_note
from arena.pages.rules import (
    add_option_fields,
    add_series_fields,
    get_choice_field,
    has_chosen_options,
    list_option_groups,
    read_options,
    read_series,
    write_options,
    write_series,
)
from arena.pages.serving import (
    HtmxRequest,
    RealNames,
    fetch_shown_names,
    list_authors,
    refusal_as_message,
    refusal_in_form,
    reload_if_changed,
    signed_in_reader,
    tournament_or_404,
)
from arena.pages.tournaments.words import FORMAT_TEXTS, describe_audience, render_reason
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.groups.services import find_organised_group, list_organised_groups
from engine.message import gettext_noop, message
from engine.registry import GAMES

# The part of the tournament's form that says who sees it and whose bots may enter.

VISIBILITY_LABELS = {
    Visibility.PUBLIC: gettext_lazy("Public: shown in the list of tournaments."),
    Visibility.LINK: gettext_lazy("Anyone with the link: unlisted, and its address can't be guessed."),
    Visibility.GROUP: gettext_lazy("Group only: hidden from everyone else. You can publish it later."),
}
ENTRY_RULE_LABELS = {
    EntryRule.ANYONE: gettext_lazy("Anyone who can see it"),
    EntryRule.GROUP: gettext_lazy("Members of the group"),
    EntryRule.CODE: gettext_lazy("Anyone with a code: find it on the organiser page and share it."),
    EntryRule.LIST: gettext_lazy("Authors on a list"),
}
ACCESS_FIELDS = ("group", "visibility", "entry_rule", "permitted_authors", "are_entries_moderated")
NAME_SEPARATORS = re.compile(r"[\s,;]+")


def add_access_fields(form: forms.Form, organiser: User, kept: Access) -> None:
    """Add the fields to a form; what needs a group is left out for who organises none."""
    groups = {group.slug: group for group in list_organised_groups(organiser)}
    if kept.group is not None:
        groups[kept.group.slug] = kept.group
    none = [("", gettext_lazy("no group"))] if organiser.has_perm(ORGANISE_PERMISSION) else []
    if groups:
        form.fields["group"] = forms.ChoiceField(
            label=gettext_lazy("Group"),
            required=not none,
            choices=[*none, *((slug, group.name) for slug, group in groups.items())],
            help_text=gettext_lazy("Its owners and co-organisers organise the tournament with you."),
        )
    form.fields["visibility"] = forms.ChoiceField(
        label=gettext_lazy("Who can see it"),
        choices=[pair for pair in VISIBILITY_LABELS.items() if groups or pair[0] != Visibility.GROUP],
        widget=forms.RadioSelect,
        help_text=gettext_lazy("Once entries are open, you can publish it but not hide it again."),
    )
    form.fields["entry_rule"] = forms.ChoiceField(
        label=gettext_lazy("Who can enter bots"),
        choices=[pair for pair in ENTRY_RULE_LABELS.items() if groups or pair[0] != EntryRule.GROUP],
        widget=forms.RadioSelect,
        help_text=gettext_lazy("You can enter any bot yourself."),
    )
    form.fields["permitted_authors"] = forms.CharField(
        label=gettext_lazy("Authors on the list"),
        max_length=20_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autocapitalize": "none"}),
        help_text=gettext_lazy(
            "Usernames, one per line or separated by commas. Only needed if entry is limited to a list."
        ),
    )
    form.fields["are_entries_moderated"] = forms.BooleanField(
        label=gettext_lazy("An organiser must approve each entry"), label_suffix="", required=False
    )
    form.initial = {**form.initial, **write_access(kept)}


def write_access(access: Access) -> dict[str, Any]:
    """Return the initial values of the fields."""
    return {
        "group": access.group.slug if access.group else "",
        "visibility": access.visibility,
        "entry_rule": access.entry_rule,
        "permitted_authors": "\n".join(access.permitted_authors),
        "are_entries_moderated": access.are_entries_moderated,
    }


def read_access(form: forms.Form, organiser: User, kept: Access) -> Access:
    """Return the access in the form's data."""
    data = form.cleaned_data
    has_list = data["entry_rule"] == EntryRule.LIST
    names = dict.fromkeys(filter(None, NAME_SEPARATORS.split(data["permitted_authors"]))) if has_list else {}
    return Access(
        group=_find_group(data.get("group", ""), organiser, kept),
        visibility=data["visibility"],
        entry_rule=data["entry_rule"],
        permitted_authors=tuple(names),
        are_entries_moderated=data["are_entries_moderated"],
    )


def _find_group(slug: str, organiser: User, kept: Access) -> Group | None:
    if kept.group is not None and kept.group.slug == slug:
        return kept.group
    return find_organised_group(organiser, slug)


# The forms of organisers and of authors who enter a tournament.

DATETIME_LOCAL_FORMAT = "%Y-%m-%dT%H:%M"
"""The format in which browsers read and send a date and time."""
MAX_VERSIONS_OFFERED = 10
"""The number of versions offered of each bot, the newest ones."""
SCORING_LABELS = {
    WINS: gettext_lazy("Wins: 1 point for a won pairing, ½ for a tied one."),
    GAME_POINTS: gettext_lazy("Game points: summed over all legs, so clear wins count more."),
}
FORM_SECTIONS = (
    (gettext_lazy("Basics"), ("title", "description", "edition")),
    (
        gettext_lazy("Format and scoring"),
        ("format", "matches_per_pairing", "series", "series_games", "series_points", "scoring"),
    ),
    (
        gettext_lazy("Format settings"),
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
    (gettext_lazy("Who can see and enter it"), (*ACCESS_FIELDS, "allows_remote", "invites_entrants")),
    (
        gettext_lazy("Size and timing"),
        ("entries_close_at", "max_entrants", "max_entrants_per_author", "hidden_rounds", "is_rated", "is_low_priority"),
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
        help_text=gettext_lazy("The web address is based on the original title and doesn't change."),
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Plain text, shown to everyone who sees the tournament."),
    )
    edition = forms.ChoiceField(
        label=gettext_lazy("Game"), help_text=gettext_lazy("Can't be changed once a bot has entered.")
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
            "For Swiss tournaments and tables. Leave empty for the recommended number. In a Swiss "
            "tournament, no two bots meet twice, so it may end early if there are more rounds than half the "
            "number of bots."
        ),
    )
    max_tiebreak_matches = forms.IntegerField(
        label=gettext_lazy("Maximum tie-break matches"),
        min_value=0,
        max_value=25,
        help_text=gettext_lazy(
            "Knockouts only: played while a pairing is tied. After that, total game points decide, then the "
            "better seed."
        ),
    )
    groups = forms.IntegerField(
        label=gettext_lazy("Groups"),
        min_value=2,
        max_value=MAX_ENTRANTS // 2,
        help_text=gettext_lazy("Seeds are spread over the groups to make them about equally strong."),
    )
    advance_per_group = forms.IntegerField(
        label=gettext_lazy("Advancing per group"),
        min_value=1,
        max_value=MAX_ENTRANTS // 2,
        help_text=gettext_lazy("The best bots in each group play the knockout."),
    )
    knockout_size = forms.IntegerField(
        label=gettext_lazy("Advancing to the knockout"),
        min_value=2,
        max_value=MAX_ENTRANTS,
        help_text=gettext_lazy(
            "The best bots in the Swiss phase play the knockout. With 2, 4, 8 or 16, no bot has a bye."
        ),
    )
    third_place_match = forms.BooleanField(
        label=gettext_lazy("The losers of the semi-finals play for third place"), label_suffix="", required=False
    )
    seats = forms.IntegerField(
        label=gettext_lazy("Seats at a table"),
        min_value=2,
        max_value=4,
        help_text=gettext_lazy("For tables only, in games for more than two players; otherwise 2."),
    )
    entries_close_at = forms.DateTimeField(
        label=gettext_lazy("Entries close"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=DATETIME_LOCAL_FORMAT),
    )
    max_entrants = forms.IntegerField(label=gettext_lazy("Maximum bots"), min_value=2, max_value=MAX_ENTRANTS)
    max_entrants_per_author = forms.IntegerField(
        label=gettext_lazy("Maximum bots per author"), min_value=1, max_value=MAX_ENTRANTS
    )
    is_rated = forms.BooleanField(
        label=gettext_lazy("Matches count towards the ladder if all their bots are on it"),
        label_suffix="",
        required=False,
    )
    hidden_rounds = forms.IntegerField(
        label=gettext_lazy("Hidden last rounds"),
        label_suffix="",
        help_text=gettext_lazy(
            "Only organisers see the results of these rounds until you reveal the places on the projector. 0 "
            "hides none. A week after the end, everything becomes public."
        ),
        min_value=0,
        max_value=MAX_HIDDEN_ROUNDS,
        initial=0,
        required=False,
    )
    allows_remote = forms.BooleanField(
        label=gettext_lazy("Remote bots can enter"),
        label_suffix="",
        required=False,
        help_text=gettext_lazy(
            "They run on their authors' machines, with 60 s a move and 10 minutes a leg, and can't be checked or run "
            "again. Only in tournaments of a group. Can't be changed once entries are closed."
        ),
    )
    is_low_priority = forms.BooleanField(
        label=gettext_lazy("Low priority: play only when the queue is empty"), label_suffix="", required=False
    )

    def __init__(self, organiser: User, plan: TournamentPlan | None = None, data: Any = None) -> None:
        plan = plan or TournamentPlan(title="", game="", edition="")
        super().__init__(data, initial=build_initial(plan))
        get_choice_field(self, "edition").choices = list_editions()
        get_choice_field(self, "format").choices = [
            (key, ". ".join(map(str, words))) for key, words in FORMAT_TEXTS.items()
        ]
        notes = filter(None, map(find_seats_note, GAMES))
        self.fields["seats"].help_text = " ".join([str(self.fields["seats"].help_text), *notes])
        self.fields["entries_close_at"].help_text = _(
            "Time zone: %(zone)s. At the deadline, versions are frozen, and the tournament starts "
            "automatically once their trials are finished. Expected authors without a ready bot are reminded "
            "a day and an hour before. Leave empty to start it yourself. A new deadline reopens closed "
            "entries."
        ) % {"zone": get_current_timezone_name()}
        if not organiser.is_staff:
            del self.fields["is_rated"]
        add_access_fields(self, organiser, plan.access)
        if "group" not in self.fields:
            del self.fields["allows_remote"]
        add_series_fields(self)
        add_option_fields(self, GAMES)
        self.kept, self.organiser = plan, organiser

    def offer_invitations(self, copied: str) -> None:
        """Add the choice to invite the bots of the tournament of this title, which is copied."""
        self.fields["invites_entrants"] = forms.BooleanField(
            label=_("Invite the bots from %(title)s") % {"title": copied},
            label_suffix="",
            required=False,
            help_text=gettext_lazy(
                "Once entries are open, their authors are notified and can enter with one click. No bot is "
                "entered automatically."
            ),
        )

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
    def option_groups(self) -> list[dict[str, Any]]:
        """Return the rule options of each game."""
        return list_option_groups(self)

    @property
    def has_chosen_options(self) -> bool:
        """Return whether a rule option is chosen or refused."""
        return has_chosen_options(self)

    def list_sections(self) -> Iterator[tuple[str | Promise, list[tuple[BoundField, str]]]]:
        """Yield the headings with their fields, each with the formats to which it applies; none for all."""
        for heading, names in FORM_SECTIONS:
            fields = [(self[name], " ".join(FORMATS_OF_FIELDS.get(name, ()))) for name in names if name in self.fields]
            yield heading, fields

    def build_plan(self) -> TournamentPlan:
        """Return the plan in the form's data."""
        data = self.cleaned_data
        game, _slash, edition = data["edition"].partition("/")
        return TournamentPlan(
            title=data["title"],
            description=data["description"],
            game=game,
            edition=edition,
            changed_options=data["changed_options"],
            settings=Settings(**self.read_settings(), series=data["length"]),
            is_rated=data.get("is_rated", self.kept.is_rated),
            is_low_priority=data["is_low_priority"],
            allows_remote=data.get("allows_remote", False),
            entries_close_at=self.read_deadline(),
            hidden_rounds=data["hidden_rounds"] or 0,
            max_entrants=data["max_entrants"],
            max_entrants_per_author=data["max_entrants_per_author"],
            access=read_access(self, self.organiser, self.kept.access),
        )

    def read_deadline(self) -> datetime | None:
        """Return the deadline that was sent: the one there is, to the microsecond, where its minute is the same."""
        sent, kept = self.cleaned_data["entries_close_at"], self.kept.entries_close_at
        return kept if kept is not None and sent == kept.replace(second=0, microsecond=0) else sent

    def read_settings(self) -> dict[str, Any]:
        """Return the settings that apply to the chosen format; others stay at their defaults."""
        chosen = self.cleaned_data["format"]
        applying = [name for name in SETTINGS_FIELDS if chosen in FORMATS_OF_FIELDS.get(name, (chosen,))]
        return {name: self.cleaned_data[name] for name in applying}


def build_initial(plan: TournamentPlan) -> dict[str, Any]:
    """Return the initial values of the form for a plan."""
    names = (
        "title",
        "description",
        "is_rated",
        "is_low_priority",
        "allows_remote",
        "entries_close_at",
        "hidden_rounds",
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
        label=gettext_lazy("Tournament code"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
        help_text=gettext_lazy("12 letters and digits, from the organiser. Hyphens and capitals don't matter."),
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
        return bot, find_version_of(bot, int(number)) if number else None


def list_entries(owner: User, tournament: Tournament) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the bots of an owner as choices, each with its accepted versions."""
    offered: dict[str, list[tuple[str, str]]] = {}
    versions = list_enterable_versions(owner, tournament)
    accepted = {slug for slug, _name, _number, state in versions if state == BotVersion.State.ACCEPTED}
    for slug, name, number, state in versions:
        own, words = offered.setdefault(name, []), {"name": name, "number": number}
        is_accepted = state == BotVersion.State.ACCEPTED
        is_now = is_accepted if slug in accepted else not own
        if is_now and (not own or own[0][0] != slug):
            newest = _("%(name)s, always the newest version (now v%(number)s)")
            own.insert(
                0,
                (
                    slug,
                    (newest if is_accepted else _("%(name)s, always the newest version (v%(number)s, on trial)"))
                    % words,
                ),
            )
        if len(own) <= MAX_VERSIONS_OFFERED:
            only = _("%(name)s v%(number)s only") if is_accepted else _("%(name)s v%(number)s only (on trial)")
            own.append((f"{slug}/{number}", only % words))
    return list(offered.items())


# The page on which authors enter and withdraw their bots.

MAX_REASON_LENGTH = 500


@dataclass(frozen=True, slots=True)
class EntrantLine:
    """An entrant as a reader sees it."""

    entrant: Entrant
    chip: Appearance
    reason: str
    is_own: bool


def read_entrant_lines(tournament: Tournament, reader: User) -> list[EntrantLine]:
    """Return all entrants as lines, by seed once they have one."""
    sees_all = is_organiser(tournament, reader)
    return [_build_entrant_line(one, reader, sees_all) for one in list_entrants_by_seed(tournament)]


def _build_entrant_line(entrant: Entrant, reader: User, sees_all: bool) -> EntrantLine:
    """Return an entrant as a line; only its owner and the organiser see the fault in its check."""
    is_own = entrant.bot.has_author(reader)
    detail = render_message(entrant.state_detail) if entrant.state_detail and (is_own or sees_all) else ""
    reason = f"{render_reason(entrant.state_reason)} {detail}".strip()
    return EntrantLine(entrant, find_entrant_appearance(entrant), reason, is_own)


def list_who_is_who(tournament: Tournament, names: RealNames) -> list[tuple[str, Entrant]]:
    """Return the entrants with the real names of their authors that the reader may see, by name."""
    entrants = list_entrants_by_seed(tournament) if names else []
    known = ((", ".join(one.real_name for one in list_authors(e.bot, names) if one.real_name), e) for e in entrants)
    return sorted((line for line in known if line[0]), key=lambda line: line[0].casefold())


@login_required
def enter_own(request: HtmxRequest, slug: str) -> HttpResponse:
    """Enter a bot of the reader, and show the entrants; a poll loads the page again when entries open or close."""
    reader, tournament = signed_in_reader(request), tournament_or_404(request, slug)
    if request.htmx:
        return reload_if_changed(request, tournament.state) or HttpResponse(status=204)
    form = EntryForm(reader, tournament, request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form):
            entrant = enter_chosen(reader, tournament, form)
            messages.success(request, describe_entry(entrant))
            return redirect("enter_tournament", slug)
    lines = read_entrant_lines(tournament, reader)
    context = {
        "tournament": tournament,
        "form": form,
        "takes_entries": tournament.takes_entries,
        "access": describe_entry_access(tournament, reader),
        "code_form": EntryCodeForm(initial={"code": request.GET.get("code", "")}),
        "invitations": list_open_invitations(tournament, reader),
        "own": [line for line in lines if line.is_own],
        "others": [line for line in lines if not line.is_own],
        "there": count_entrants(lines),
        "is_organiser": is_organiser(tournament, request.user),
        "real_names": fetch_shown_names(request, tournament.group_id),
    }
    return render(request, "tournaments/enter.html", context, status=400 if form.errors else 200)


def list_open_invitations(tournament: Tournament, reader: User) -> list[Bot]:
    """Return the reader's invited bots that haven't entered and have a version that can play."""
    offered = {slug for slug, *_rest in list_enterable_versions(reader, tournament)}
    invitations = list_invitations(tournament, reader, as_organiser=False)
    return [one.bot for one in invitations if not one.has_entered and one.bot.slug in offered]


def describe_entry_access(tournament: Tournament, reader: User) -> dict[str, Any]:
    """Return whether the reader may enter bots here, whether a code is missing, and what the rule is."""
    may_enter = is_organiser(tournament, reader) or is_permitted(tournament, reader)
    needs_code = not may_enter and tournament.entry_rule == Tournament.EntryRule.CODE
    return {"may_enter": may_enter, "needs_code": needs_code, "sentences": describe_audience(tournament)}


def describe_entry(entrant: Entrant) -> str:
    """Return what has become of a bot that was entered."""
    if entrant.state == Entrant.State.WAITING:
        return _("%(version)s has been entered and is waiting for an organiser's approval.") % {
            "version": entrant.version
        }
    if entrant.state == Entrant.State.ON_TRIAL:
        return _("%(version)s has been entered and is waiting for its trial.") % {"version": entrant.version}
    if entrant.bot.is_remote:
        text = _("%(version)s has been entered and is ready. Keep it online while the tournament is played.")
        return text % {"version": entrant.version}
    return _("%(version)s has been entered.") % {"version": entrant.version}


@require_POST
@login_required
def type_entry_code(request: HttpRequest, slug: str) -> HttpResponse:
    """Let the reader enter bots if the code is right."""
    tournament, form = tournament_or_404(request, slug), EntryCodeForm(request.POST)
    with refusal_as_message(request):
        if not form.is_valid():
            raise ArenaError(message(gettext_noop("Type the tournament code.")))
        permit_by_code(
            tournament=tournament,
            user=signed_in_reader(request),
            typed=form.cleaned_data["code"],
            address=find_client_network(request),
        )
        messages.success(request, _("Code accepted. You can now enter bots."))
    return redirect("enter_tournament", slug)


def enter_chosen(user: User, tournament: Tournament, form: EntryForm) -> Entrant:
    """Enter the bot chosen in the form. Raise ArenaError."""
    bot, version = form.find_choice()
    return enter(tournament=tournament, bot=bot, user=user, version=version)


def count_entrants(lines: Sequence[EntrantLine]) -> int:
    """Count the entrants that take part."""
    return sum(not line.entrant.is_out for line in lines)


@require_POST
@login_required
def withdraw_one(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw a bot, as its owner or the organiser, and return to the page with the button."""
    tournament = tournament_or_404(request, slug)
    entrant = get_object_or_404(list_entrants(tournament), pk=pk)
    if not entrant.bot.has_author(request.user) and not is_organiser(tournament, request.user):
        raise PermissionDenied
    with refusal_as_message(request):
        withdraw(entrant=entrant, user=signed_in_reader(request), reason=read_reason(request))
        messages.success(request, _("%(name)s has been withdrawn.") % {"name": entrant.bot.name})
    back = "organise_tournament" if is_organiser(tournament, request.user) else "enter_tournament"
    return redirect(back, slug)


def read_reason(request: HttpRequest) -> str:
    """Return the reason in the request as a single line."""
    words = request.POST.get("reason", "").replace("\0", "").split()
    return " ".join(words)[:MAX_REASON_LENGTH]

"""Create, edit, seed, open, start, pause, resume, cancel and delete tournaments, and replay their rounds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import chain, count
from typing import Any, NamedTuple

from django.db import transaction
from django.utils.timezone import now

from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.queries import find_open_ladder
from arena.contests.ladders.rating import INITIAL_DEVIATION_ELO, INITIAL_RATING_ELO
from arena.contests.ladders.services.ledger import revoke_matches
from arena.contests.tournaments.models import (
    Entrant,
    OrganiserActKind,
    PairingMatch,
    Round,
    Tournament,
    TournamentAnnouncement,
)
from arena.contests.tournaments.phases import check_plan
from arena.contests.tournaments.queries import listed_for, visible_to
from arena.contests.tournaments.services.access import (
    NOT_AN_ORGANISER,
    ORGANISE_PERMISSION,
    Access,
    Visibility,
    build_access,
    check_chief_organiser,
    check_organiser,
    check_publishable,
    may_organise,
    notify_organisers,
    publish_matches,
    record_act,
    set_access,
    set_permitted_authors,
    show_hidden_rounds,
)
from arena.contests.tournaments.services.announcing import announce_deadline
from arena.contests.tournaments.services.matches import cancel_waiting_matches
from arena.contests.tournaments.settings import MAX_ENTRANTS, InvalidSettings, Settings
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.matches.filters import resolve_variant
from arena.people.accounts.models import User
from arena.people.accounts.names import find_free_slug, make_slug
from arena.people.accounts.services import check_not_suspended
from arena.people.groups.models import new_code
from arena.people.notices.announcing import take_back
from arena.people.notices.models import Event
from engine.message import Message, gettext_noop, join_messages, literal, message
from engine.registry import UnknownGame, find_game
from engine.season import commitment

# Keep apart the tournaments of one organiser: two of a title carry numbers.

MAX_TITLE_LENGTH = 60


def find_free_title(organiser: User, title: str, *, besides: Tournament | None = None) -> str:
    """Return the title, with a number if another tournament of the organiser has it already."""
    others = Tournament.objects.filter(organiser=organiser)
    if besides is not None:
        others = others.exclude(pk=besides.pk)
    taken = {one.casefold() for one in others.values_list("title", flat=True)}
    numbered = (f"{title[: MAX_TITLE_LENGTH - 1 - len(str(number))].rstrip()} {number}" for number in count(2))
    return next(one for one in chain([title.strip()], numbered) if one.casefold() not in taken)


# Create, edit, open, start, pause, resume, cancel and delete tournaments, and replay their rounds.

State = Tournament.State
CHANGED_TEXTS = {
    "title": gettext_noop("title"),
    "description": gettext_noop("description"),
    "game": gettext_noop("game"),
    "edition": gettext_noop("edition"),
    "changed_options": gettext_noop("rule options"),
    "settings": gettext_noop("format"),
    "is_rated": gettext_noop("whether it counts towards the ladder"),
    "is_low_priority": gettext_noop("priority"),
    "entries_close_at": gettext_noop("deadline"),
    "hidden_rounds": gettext_noop("hidden rounds"),
    "max_entrants": gettext_noop("maximum bots"),
    "max_entrants_per_author": gettext_noop("maximum bots per author"),
    "access": gettext_noop("visibility and entry rules"),
    "allows_remote": gettext_noop("whether remote bots can enter"),
}
"""What the record says of a changed part of the plan."""
MAX_HIDDEN_ROUNDS = 10
ALREADY_OVER = gettext_noop("The tournament has already ended.")


class NotPlayable(ArenaError):
    """The error raised for a plan that can't be played. The message says why."""

    def __init__(self, message: Message, *, field: str = "") -> None:
        """Keep the message, and the part of the plan to blame, such as `settings.rounds`, if it is a single one."""
        super().__init__(message, fields=(field,) if field else ())


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Everything that an organiser decides about a tournament."""

    title: str
    game: str
    edition: str
    settings: Settings = field(default_factory=Settings)
    changed_options: Mapping[str, Any] = field(default_factory=dict)
    """Rule options that differ from the edition's."""
    description: str = ""
    is_rated: bool = False
    is_low_priority: bool = False
    entries_close_at: datetime | None = None
    hidden_rounds: int = 0
    """The number of last rounds that only organisers see until they reveal them."""
    max_entrants: int = 64
    max_entrants_per_author: int = 1
    access: Access = field(default_factory=Access)
    """Who sees it, and whose bots may enter."""
    allows_remote: bool = False
    """Whether remote bots may enter."""

    def check(self) -> None:
        """Raise NotPlayable if a tournament can't be played like this. Its rules are checked beside."""
        try:
            check_plan(self.settings, find_game(self.game), self.max_entrants)
        except InvalidSettings as error:
            raise NotPlayable(error.message, field=f"settings.{error.field}" if error.field else "") from error
        except UnknownGame as error:
            raise NotPlayable(error.message, field="game") from error
        if self.settings.series is not None and self.is_rated:
            template = gettext_noop("Series can't count towards a ladder, which only rates mirrored pairs.")
            raise NotPlayable(message(template), field="is_rated")
        self._check_remote()
        if not 0 <= self.hidden_rounds <= MAX_HIDDEN_ROUNDS:
            template = gettext_noop("You can hide at most %(most)s rounds.")
            raise NotPlayable(message(template, most=MAX_HIDDEN_ROUNDS), field="hidden_rounds")
        if self.hidden_rounds and self.is_rated:
            template = gettext_noop(
                "Ratings would reveal hidden rounds. Hide none, or don't count matches towards the ladder."
            )
            raise NotPlayable(message(template), field="hidden_rounds")
        if not self.title.strip():
            raise NotPlayable(message(gettext_noop("A tournament needs a title.")), field="title")
        self._check_places()

    def _check_remote(self) -> None:
        """Raise NotPlayable if remote bots may enter, and the tournament isn't one for them."""
        if not self.allows_remote:
            return
        if self.access.group is None:
            template = gettext_noop("Remote bots can only enter tournaments of a group. Choose a group.")
            raise NotPlayable(message(template), field="allows_remote")
        if self.settings.series is not None:
            template = gettext_noop("Remote bots can't play series: each of their legs is a match with its own deal.")
            raise NotPlayable(message(template), field="allows_remote")

    def check_deadline(self) -> None:
        """Raise NotPlayable if entries would close in the past."""
        if self.entries_close_at is not None and self.entries_close_at <= now():
            problem = message(gettext_noop("The deadline is in the past."))
            raise NotPlayable(problem, field="entries_close_at")

    def _check_places(self) -> None:
        """Raise NotPlayable for numbers of bots that are out of range, or contradict each other."""
        if not 2 <= self.max_entrants <= MAX_ENTRANTS or self.max_entrants_per_author < 1:
            template = gettext_noop("Allow 2 to %(most)s bots, and at least one per author.")
            raise NotPlayable(message(template, most=MAX_ENTRANTS))
        if self.max_entrants_per_author > self.max_entrants:
            problem = gettext_noop("An author can't enter %(own)s bots if at most %(most)s can take part.")
            values = {"own": self.max_entrants_per_author, "most": self.max_entrants}
            raise NotPlayable(message(problem, **values), field="max_entrants_per_author")


@transaction.atomic
def create(*, organiser: User, plan: TournamentPlan) -> Tournament:
    """Create a draft, which only its organiser sees. Raise NotYours, NotPlayable or UnplayableRules."""
    check_not_suspended(organiser)
    if not may_organise(organiser):
        raise NotYours(message(NOT_AN_ORGANISER))
    if not organiser.has_perm(ORGANISE_PERMISSION) and plan.access.group is None:
        raise NotYours(message(gettext_noop("You can only organise tournaments for your groups. Choose one.")))
    plan.check()
    plan.check_deadline()
    plan.access.check(organiser)
    plan = replace(_with_named_edition(plan), title=find_free_title(organiser, plan.title))
    _check_rated(organiser, plan)
    tournament = Tournament(organiser=organiser, slug=_find_free_slug(plan), **_build_columns(plan))
    tournament.commitment = commitment(tournament.secret)
    set_access(tournament, plan.access)
    tournament.save()
    set_permitted_authors(tournament, plan.access)
    return tournament


@transaction.atomic
def edit(*, tournament: Tournament, organiser: User, plan: TournamentPlan, reason: str = "") -> Tournament:
    """Change a tournament before it starts; its game and rules only while nobody has entered.

    Once it is opened, what was changed is recorded with the reason. Another deadline after entries have closed opens
    them again, so that versions aren't taken in or left out unsaid. Raise NotYours, Conflict, NotPlayable or
    UnplayableRules.
    """
    tournament = check_organiser(tournament, organiser)
    _check_editable(tournament, plan)
    title = find_free_title(tournament.organiser, plan.title, besides=tournament)
    plan = replace(_with_named_edition(plan), title=title)
    _check_rated(organiser, plan)
    names = ("game", "edition", "changed_options")
    if any(getattr(plan, name) != getattr(tournament, name) for name in names) and tournament.entrants.exists():
        raise Conflict(message(gettext_noop("Bots have entered, so you can't change the game or its rules.")))
    _check_remote_change(tournament, plan)
    if plan.access != build_access(tournament):
        plan.access.check(organiser, kept=tournament.group)
    changed, deadline = list_changes(build_plan(tournament), plan), tournament.entries_close_at
    reopens = tournament.takes_late_entries and plan.entries_close_at != tournament.entries_close_at
    _set_plan(tournament, plan)
    if reopens:
        _reopen(tournament, organiser, reason)
    tournament.save()
    set_permitted_authors(tournament, plan.access)
    announce_deadline(tournament, deadline, by=organiser)
    if changed and tournament.state != State.DRAFT:
        text = message(gettext_noop("Settings changed: %(what)s"), what=join_messages(*changed, separator=", "))
        record_act(tournament, OrganiserActKind.CHANGE_SETTINGS, text, by=organiser, reason=reason)
    return tournament


def _check_editable(tournament: Tournament, plan: TournamentPlan) -> None:
    """Raise Conflict or NotPlayable where a tournament can't be changed, or not to this plan."""
    if tournament.has_started or tournament.is_over:
        raise Conflict(message(gettext_noop("The tournament has started, so you can't change it.")))
    if tournament.is_rehearsal:
        raise Conflict(message(gettext_noop("You can't change a rehearsal. Delete it and start another.")))
    plan.check()
    if plan.entries_close_at != tournament.entries_close_at:
        plan.check_deadline()
    there = Entrant.objects.not_out().filter(tournament=tournament).exclude(state=Entrant.State.FAILED).count()
    if plan.max_entrants < there:
        problem = gettext_noop("%(count)s bots have entered, so the maximum can't be lower.")
        raise Conflict(message(problem, count=there))


def _check_remote_change(tournament: Tournament, plan: TournamentPlan) -> None:
    """Raise Conflict where it's too late to let remote bots enter, or to keep them out."""
    if plan.allows_remote == tournament.allows_remote:
        return
    if tournament.state != State.DRAFT and not tournament.takes_entries:
        problem = gettext_noop("Entries are closed, so you can't change whether remote bots can enter.")
        raise Conflict(message(problem))
    if not plan.allows_remote and Entrant.objects.not_out().filter(tournament=tournament, bot__is_remote=True).exists():
        raise Conflict(message(gettext_noop("Remote bots have entered. Withdraw them first.")))


def _set_plan(tournament: Tournament, plan: TournamentPlan) -> None:
    """Set the columns of a plan. One that becomes for whoever has the link gets an address that nobody guesses."""
    if plan.access.visibility == Visibility.LINK != tournament.visibility:
        tournament.slug = _find_free_slug(plan)
    if plan.entries_close_at != tournament.entries_close_at:
        tournament.day_reminder_sent_at = tournament.hour_reminder_sent_at = None
    for name, value in _build_columns(plan).items():
        setattr(tournament, name, value)
    if plan.access.visibility == Visibility.PUBLIC != tournament.visibility:
        check_publishable(tournament)
        publish_matches(tournament)
    set_access(tournament, plan.access)


@transaction.atomic
def open_entries(*, tournament: Tournament, organiser: User) -> Tournament:
    """Publish a draft and open it for entries, or open entries again before the start. Raise NotYours or Conflict.

    There is no deadline any more where entries were closed already.
    """
    tournament = check_organiser(tournament, organiser)
    if tournament.has_started:
        raise Conflict(message(gettext_noop("The tournament has started, so entries are closed.")))
    refusal = gettext_noop("You can open entries only for a draft, or after they have closed.")
    _check_state(tournament, State.DRAFT, State.CHECKING, State.PAUSED, refusal=refusal)
    if tournament.state == State.DRAFT:
        record_act(tournament, OrganiserActKind.OPEN_ENTRIES, message(gettext_noop("Entries opened")), by=organiser)
    else:
        deadline, tournament.entries_close_at = tournament.entries_close_at, None
        _reopen(tournament, organiser, "")
        announce_deadline(tournament, deadline, by=organiser)
    return _save_state(tournament, State.OPEN, "entries_close_at", "state_reason")


def _reopen(tournament: Tournament, organiser: User, reason: str) -> None:
    """Open entries again, without saving it; `advance_tournament` lets versions uploaded meanwhile replace others."""
    tournament.state, tournament.state_reason = State.OPEN, None
    text = message(gettext_noop("Entries reopened"))
    record_act(tournament, OrganiserActKind.OPEN_ENTRIES, text, by=organiser, reason=reason)


@transaction.atomic
def close_entries(*, tournament: Tournament, organiser: User) -> Tournament:
    """Close entries; the tournament starts once all checks are over. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    _check_state(
        tournament, State.OPEN, refusal=gettext_noop("Only a tournament that is open for entries can be started.")
    )
    record_act(
        tournament, OrganiserActKind.CLOSE_ENTRIES, message(gettext_noop("Entries closed for the start")), by=organiser
    )
    deadline = tournament.entries_close_at
    closed = freeze_entries(tournament)
    if deadline is not None:
        announce_deadline(closed, deadline, by=organiser)
    return closed


def freeze_entries(tournament: Tournament) -> Tournament:
    """Stop entries and uploads for them: at the deadline if it has passed, or now."""
    tournament.entries_close_at = min(tournament.entries_close_at or now(), now())
    return _save_state(tournament, State.CHECKING, "entries_close_at")


@transaction.atomic
def pause(*, tournament: Tournament, organiser: User, reason: str = "") -> Tournament:
    """Pause a tournament: running matches are finished and count, others wait. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    _check_state(
        tournament,
        State.RUNNING,
        State.CHECKING,
        refusal=gettext_noop("You can pause a tournament only while it's running or its bots are being checked."),
    )
    record_act(tournament, OrganiserActKind.PAUSE, message(gettext_noop("Paused")), by=organiser, reason=reason)
    return mark_paused(tournament, _build_reason(reason, gettext_noop("The organiser paused it.")), by=organiser)


def mark_paused(tournament: Tournament, reason: Message, *, by: User | None = None) -> Tournament:
    """Pause a tournament, without checks, and tell the organisers."""
    text = message(gettext_noop("%(tournament)s is paused. %(reason)s"), tournament=tournament.title, reason=reason)
    about = f"pause of tournament {tournament.pk}"
    notify_organisers(tournament, Event.TOURNAMENT_REMINDER, text, about=about, besides=[by] if by else [])
    cancel_waiting_matches(
        tournament, message(gettext_noop("The tournament was paused; the match will be played later."))
    )
    tournament.state_reason = reason
    return _save_state(tournament, State.PAUSED, "state_reason")


@transaction.atomic
def resume(*, tournament: Tournament, organiser: User) -> Tournament:
    """Resume a paused tournament where it was. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    _check_state(tournament, State.PAUSED, refusal=gettext_noop("Only a paused tournament can be resumed."))
    tournament.state_reason = None
    record_act(tournament, OrganiserActKind.RESUME, message(gettext_noop("Resumed")), by=organiser)
    PairingMatch.objects.filter(pairing__round__tournament=tournament, failed=True).update(failed=False)
    return _save_state(tournament, State.RUNNING if tournament.has_started else State.CHECKING, "state_reason")


@transaction.atomic
def cancel(*, tournament: Tournament, organiser: User, reason: str = "") -> Tournament:
    """Cancel a tournament; what was played stays visible. Raise NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    if tournament.is_over:
        raise Conflict(message(ALREADY_OVER))
    record_act(
        tournament, OrganiserActKind.CANCEL, message(gettext_noop("Tournament cancelled")), by=organiser, reason=reason
    )
    return mark_cancelled(tournament, _build_reason(reason, gettext_noop("The organiser cancelled it.")))


def mark_cancelled(tournament: Tournament, reason: Message) -> Tournament:
    """Cancel a tournament, without checks."""
    cancel_waiting_matches(tournament, message(gettext_noop("The tournament was cancelled.")))
    if tournament.is_concealed:
        show_hidden_rounds(tournament)
    tournament.state_reason, tournament.finished_at = reason, now()
    return _save_state(tournament, State.CANCELLED, "state_reason", "finished_at")


@transaction.atomic
def replay_rounds(*, tournament: Tournament, organiser: User, number: int, reason: str) -> Tournament:
    """Replay a round and all rounds after it on new deals. What was played stays visible and doesn't count.

    Raise NotYours, or Conflict if the round hasn't started, or if the tournament is over, so that its deals are public.
    """
    tournament = check_organiser(tournament, organiser)
    _check_state(
        tournament,
        State.RUNNING,
        State.PAUSED,
        refusal=gettext_noop("You can replay rounds only while the tournament is running or paused."),
    )
    rounds = Round.objects.latest_attempts().filter(tournament=tournament, number__gte=number)
    if not rounds.exists():
        template = gettext_noop("Round %(number)s hasn't started, so you can't replay it.")
        raise Conflict(message(template, number=number))
    text = message(gettext_noop("Replayed from round %(number)s onwards"), number=number)
    record_act(tournament, OrganiserActKind.REPLAY_ROUND, text, by=organiser, reason=reason)
    cancel_waiting_matches(tournament, message(gettext_noop("Its round is being replayed.")))
    rated = LadderMatch.objects.filter(match__pairing_match__pairing__round__in=rounds.values("pk"))
    revoke_matches(ladder_matches=list(rated), reason=message(gettext_noop("Its tournament round is being replayed.")))
    Entrant.objects.filter(tournament=tournament, left_in_round__gt=number).update(left_in_round=number)
    Round.objects.filter(pk__in=list(rounds.values_list("pk", flat=True))).update(
        is_latest_attempt=False, replay_reason=_build_reason(reason, gettext_noop("Replayed by the organiser."))
    )
    return tournament


def delete_tournament(*, tournament: Tournament, organiser: User) -> None:
    """Delete a draft, or a cancelled tournament of which nothing counts for a ladder. Raise NotYours or Conflict.

    Co-organisers may not. The matches of a cancelled one stay as unrated matches.
    """
    with transaction.atomic():
        tournament = check_chief_organiser(tournament, organiser)
        refusal = gettext_noop("Only a draft or a cancelled tournament can be deleted.")
        _check_state(tournament, State.DRAFT, State.CANCELLED, refusal=refusal)
        rated = LadderMatch.objects.filter(match__pairing_match__pairing__round__tournament=tournament)
        if rated.exists():
            problem = gettext_noop("This tournament's matches count towards a ladder, so you can't delete it.")
            raise Conflict(message(problem))
        take_back(TournamentAnnouncement.objects.filter(tournament=tournament))
        tournament.delete()


def build_plan(tournament: Tournament) -> TournamentPlan:
    """Return the plan of a tournament as it is now."""
    columns = {name: getattr(tournament, name) for name in _list_columns()}
    return TournamentPlan(settings=Settings.from_json(tournament.settings), access=build_access(tournament), **columns)


def _build_columns(plan: TournamentPlan) -> dict[str, Any]:
    """Return the values of a tournament's columns."""
    settings = {name: value for name, value in asdict(plan.settings).items() if name != "seed"}
    return {"settings": settings, **{name: getattr(plan, name) for name in _list_columns()}}


def _list_columns() -> list[str]:
    """Return the names of the plan's fields that are columns of the same name."""
    return [name for name in TournamentPlan.__dataclass_fields__ if name not in ("settings", "access")]


def list_changes(old: TournamentPlan, new: TournamentPlan) -> list[Message]:
    """List what differs in a new plan, in words for everybody."""
    return [message(words) for name, words in CHANGED_TEXTS.items() if getattr(old, name) != getattr(new, name)]


def _with_named_edition(plan: TournamentPlan) -> TournamentPlan:
    """Return the plan with the edition that has exactly its options, where there is one."""
    variant = resolve_variant(plan.game, plan.edition, plan.changed_options)
    return replace(plan, edition=variant.edition, changed_options=variant.changed_options)


def _check_rated(organiser: User, plan: TournamentPlan) -> None:
    """Raise NotYours or NotPlayable if the plan is rated and may not be."""
    if not plan.is_rated:
        return
    if not organiser.is_staff:
        raise NotYours(message(gettext_noop("Only staff can make a tournament count towards a ladder.")))
    if plan.access.visibility != Visibility.PUBLIC:
        raise NotPlayable(message(gettext_noop("Only a public tournament can count towards a ladder.")))
    if plan.changed_options:
        problem = gettext_noop(
            "Only matches with an edition's unchanged rules count towards its ladder. Keep those rules, or "
            "don't make the tournament count."
        )
        raise NotPlayable(message(problem), field="is_rated")
    if not Ladder.objects.public().open().filter(game=plan.game, edition=plan.edition).exists():
        problem = gettext_noop("That edition doesn't have a ladder.")
        raise NotPlayable(message(problem), field="is_rated")


def _find_free_slug(plan: TournamentPlan) -> str:
    """Return a slug that no tournament has: by the title, and with a code where the address is for who was given it."""
    stem = make_slug(plan.title) or "tournament"
    if plan.access.visibility == Visibility.LINK:
        return f"{stem}-{new_code().lower()}"
    taken = {"new", *Tournament.objects.filter(slug__startswith=stem).values_list("slug", flat=True)}
    return find_free_slug(stem, taken, 70)


def _check_state(tournament: Tournament, *states: State, refusal: str) -> None:
    """Raise Conflict with this message unless the tournament is in one of the states."""
    if tournament.state not in states:
        raise Conflict(message(refusal))


def _build_reason(given: str, template: str) -> Message:
    """Return the reason that the organiser gave, or else the message of this template."""
    return literal(given) if given else message(template)


def _save_state(tournament: Tournament, state: State, *fields: str) -> Tournament:
    """Set the state, save it together with these fields, and return the tournament."""
    tournament.state = state
    tournament.save(update_fields=["state", *fields])
    return tournament


# Seed entrants: as the organiser ordered them, or by their strength on the ladder.

LAST_SEED = 10_000
"""Above all seeds that can be given by hand."""


class LadderStrength(NamedTuple):
    """How strong a bot is on the ladder."""

    is_ranked: bool
    rating: float
    deviation: float
    """Standard deviation of the rating, in Elo."""


NEWCOMER = LadderStrength(False, INITIAL_RATING_ELO, INITIAL_DEVIATION_ELO)
"""A bot that isn't on the ladder."""


def order_by_strength(tournament: Tournament, entrants: Iterable[Entrant]) -> list[Entrant]:
    """Return the entrants by seed, with `rating` set but not saved.

    First come those that the organiser gave a seed, by this number; then the others by rating on the ladder, those with
    a rank first; then those that aren't on the ladder, in the order of entry.
    """
    known = fetch_strengths(tournament)
    ordered = sorted(
        entrants,
        key=lambda one: (
            one.wanted_seed or LAST_SEED,
            *_order_by_rank(known.get(one.bot_id)),
            one.pk,
        ),
    )
    for entrant in ordered:
        entrant.rating = known[entrant.bot_id].rating if entrant.bot_id in known else None
    return ordered


def fetch_strengths(tournament: Tournament) -> dict[int, LadderStrength]:
    """Return the strength of the bots that have entered and are on the ladder, by their keys.

    A version that has just taken over from another starts at its rating, and hasn't a rank yet: the bot keeps it.
    """
    ladder = _find_seeding_ladder(tournament)
    entries = Entry.objects.filter(ladder=ladder, version__bot__tournament_entries__tournament=tournament)
    known: dict[int, LadderStrength] = {}
    for entry in sorted(entries.select_related("version"), key=lambda entry: (_is_in_play(entry), entry.matches)):
        was_ranked = known.get(entry.version.bot_id, NEWCOMER).is_ranked
        known[entry.version.bot_id] = LadderStrength(was_ranked or entry.is_ranked, entry.rating, entry.deviation)
    return known


def _find_seeding_ladder(tournament: Tournament) -> Ladder | None:
    """Return the ladder whose ratings seed a tournament; None where there is none of its edition.

    It is the group's own where a group alone sees the tournament and has such a ladder. Seeds of a tournament that
    others see would show what happens on a ladder that they don't.
    """
    own = tournament.group if tournament.audience_id else None
    ladder = find_open_ladder(tournament.game, tournament.edition, own)
    return ladder or (find_open_ladder(tournament.game, tournament.edition) if own else None)


def _is_in_play(entry: Entry) -> bool:
    return entry.state == Entry.State.ACTIVE


def _order_by_rank(strength: LadderStrength | None) -> tuple[int, float]:
    """Return the sort key of a bot: ranked ones first, then others on the ladder, then those that aren't on it."""
    return (1, 0.0) if strength is None else (-strength.is_ranked, -strength.rating)


@transaction.atomic
def set_seeds(*, tournament: Tournament, organiser: User, seeds: Mapping[int, int | None]) -> None:
    """Give entrants, by their keys, a seed; None leaves it to their strength.

    Raise NotYours, Conflict or ArenaError.
    """
    tournament = _lock_before_start(tournament, organiser)
    entrants = list(tournament.entrants.filter(pk__in=seeds))
    for entrant in entrants:
        entrant.wanted_seed = seeds[entrant.pk]
    given = [entrant.wanted_seed for entrant in tournament.entrants.exclude(pk__in=seeds)]
    given += [entrant.wanted_seed for entrant in entrants]
    used = [number for number in given if number is not None]
    if len(set(used)) < len(used):
        twice = next(number for number in used if used.count(number) > 1)
        raise ArenaError(message(gettext_noop("Seed %(number)s is used twice."), number=twice))
    if not all(1 <= number < LAST_SEED for number in used):
        raise ArenaError(message(gettext_noop("Seeds must be whole numbers from 1.")))
    Entrant.objects.bulk_update(entrants, ["wanted_seed"])
    record_act(tournament, OrganiserActKind.SET_SEEDS, message(gettext_noop("Seeds changed manually")), by=organiser)


@transaction.atomic
def order_seeds(*, tournament: Tournament, organiser: User, bots: Sequence[str]) -> None:
    """Seed bots, named by their slugs, in this order; the others follow by strength. Raise as `set_seeds`."""
    if len(set(bots)) < len(bots):
        twice = next(slug for slug in bots if bots.count(slug) > 1)
        raise ArenaError(message(gettext_noop("%(bot)s is named twice."), bot=twice))
    keys = dict(tournament.entrants.values_list("bot__slug", "pk"))
    unknown = [slug for slug in bots if slug not in keys]
    if unknown:
        raise ArenaError(message(gettext_noop("These bots haven't entered: %(bots)s."), bots=", ".join(unknown)))
    numbers = {slug: number for number, slug in enumerate(bots, start=1)}
    set_seeds(tournament=tournament, organiser=organiser, seeds={pk: numbers.get(slug) for slug, pk in keys.items()})


@transaction.atomic
def take_seeds(*, tournament: Tournament, organiser: User, source: str) -> int:
    """Seed bots by their places in a finished tournament, named by its slug, and return how many these are.

    The others follow by strength. Raise NotYours, Conflict or ArenaError.
    """
    finished = visible_to(organiser).filter(state=Tournament.State.FINISHED, slug=source).first()
    if finished is None:
        raise ArenaError(
            message(gettext_noop("There's no finished tournament with the address %(slug)s."), slug=source)
        )
    placed = finished.entrants.exclude(place=None).select_related("bot").order_by("place", "number")
    there = set(tournament.entrants.values_list("bot", flat=True))
    bots = [entrant.bot.slug for entrant in placed if entrant.bot_id in there]
    if not bots:
        raise ArenaError(message(gettext_noop("No bot from %(title)s has entered here."), title=finished.title))
    order_seeds(tournament=tournament, organiser=organiser, bots=bots)
    return len(bots)


def list_seed_sources(tournament: Tournament, organiser: User, limit: int = 20) -> list[Tournament]:
    """List the latest finished tournaments of the same game in which bots of this one took part."""
    bots = tournament.entrants.values("bot")
    finished = listed_for(organiser).filter(state=Tournament.State.FINISHED, game=tournament.game)
    return list(finished.filter(entrants__bot__in=bots).distinct().order_by("-finished_at")[:limit])


def _lock_before_start(tournament: Tournament, organiser: User) -> Tournament:
    tournament = check_organiser(tournament, organiser)
    if tournament.has_started or tournament.is_over:
        raise Conflict(message(gettext_noop("Seeds are fixed once the first round is paired.")))
    return tournament

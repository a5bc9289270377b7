"""What an organiser does with a tournament, from the draft to the end."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import chain, count
from typing import Any

from django.db import transaction
from django.utils.text import slugify
from django.utils.timezone import now

from arena.accounts.models import User
from arena.errors import ArenaError, Conflict, NotYours
from arena.ladders.models import Ladder, LadderMatch
from arena.ladders.services.ledger import revoke_matches
from arena.tournaments.formats import find_format
from arena.tournaments.models import Entrant, PairingMatch, Round, Tournament
from arena.tournaments.services.matches import cancel_waiting_matches
from arena.tournaments.services.rows import lock
from arena.tournaments.settings import MAX_ENTRANTS, InvalidSettings, Settings
from engine.message import Message, gettext_noop, literal, message
from engine.registry import UnknownGame, find_game
from engine.season import commitment

MAY_ORGANISE = "tournaments.add_tournament"
State = Tournament.State
NOT_AN_ORGANISER = gettext_noop(
    "Your account may not organise tournaments. An administrator of this arena can permit it."
)
ALREADY_OVER = gettext_noop("The tournament is over already.")


class NotPlayable(ArenaError):
    """A tournament that nobody could play like that. The message says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an organiser wants."""

    title: str
    game: str
    edition: str
    settings: Settings = field(default_factory=Settings)
    description: str = ""
    is_rated: bool = False
    is_low_priority: bool = False
    entries_close_at: datetime | None = None
    max_entrants: int = 64
    max_entrants_per_author: int = 1

    def check(self) -> None:
        """Raise NotPlayable if these settings can not be played."""
        try:
            rules = find_game(self.game)
            find_format(self.settings.format)
            self.settings.check()
        except (InvalidSettings, UnknownGame) as error:
            raise NotPlayable(error.message) from error
        if self.edition not in rules.editions:
            template = gettext_noop("There is no edition called %(name)s. There are: %(names)s.")
            raise NotPlayable(message(template, name=self.edition, names=", ".join(rules.editions)))
        self._check_seats(rules.title, rules.seats)
        if not self.title.strip():
            raise NotPlayable(message(gettext_noop("A tournament needs a title.")))
        if not 2 <= self.max_entrants <= MAX_ENTRANTS or self.max_entrants_per_author < 1:
            template = gettext_noop(
                "A tournament has from 2 to %(most)s entrants, and an author enters at least one bot."
            )
            raise NotPlayable(message(template, most=MAX_ENTRANTS))
        if self.entries_close_at is not None and self.entries_close_at <= now():
            raise NotPlayable(message(gettext_noop("The deadline has passed already.")))

    def _check_seats(self, game: str, allowed: Sequence[int]) -> None:
        """Raise NotPlayable where the game or the format has no tables of this size."""
        seats = self.settings.seats
        if seats not in allowed:
            template = gettext_noop("%(title)s has no tables of %(seats)s seats. Possible: %(allowed)s.")
            raise NotPlayable(message(template, title=game, seats=seats, allowed=", ".join(map(str, allowed))))
        if self.settings.format != "tables" and seats != 2:
            raise NotPlayable(
                message(gettext_noop("Tables of more than two seats are possible in rounds of tables only."))
            )


@transaction.atomic
def create(*, organiser: User, plan: Plan) -> Tournament:
    """Create a draft, which only its organiser sees. Raise NotYours for who may not organise, or NotPlayable."""
    if not organiser.has_perm(MAY_ORGANISE):
        raise NotYours(message(NOT_AN_ORGANISER))
    _check_rated(organiser, plan)
    plan.check()
    tournament = Tournament(organiser=organiser, slug=_free_slug(plan.title), **_columns(plan))
    tournament.commitment = commitment(tournament.secret)
    tournament.save()
    return tournament


@transaction.atomic
def edit(*, tournament: Tournament, organiser: User, plan: Plan) -> Tournament:
    """Before it starts. The game and its edition only as long as nobody has entered.

    Raises NotYours, Conflict or NotPlayable.
    """
    tournament = check_organiser(tournament, organiser)
    if tournament.has_started or tournament.is_over:
        raise Conflict(message(gettext_noop("The tournament has started, so it can't be changed any more.")))
    plan.check()
    _check_rated(organiser, plan)
    if (plan.game, plan.edition) != (tournament.game, tournament.edition) and tournament.entrants.exists():
        raise Conflict(
            message(gettext_noop("Bots have entered, so the game and its edition can't be changed any more."))
        )
    for name, value in _columns(plan).items():
        setattr(tournament, name, value)
    tournament.save()
    return tournament


@transaction.atomic
def open_entries(*, tournament: Tournament, organiser: User) -> Tournament:
    """Show a draft to everybody, and let bots enter. Raises NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    _check_state(tournament, State.DRAFT, refusal=gettext_noop("Only a draft can be opened for entries."))
    return _move(tournament, State.OPEN)


@transaction.atomic
def close_entries(*, tournament: Tournament, organiser: User) -> Tournament:
    """Freeze all versions now; it begins once all checks are over. Raises NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    _check_state(tournament, State.OPEN, refusal=gettext_noop("Only a tournament that takes entries can be started."))
    return freeze(tournament)


def freeze(tournament: Tournament) -> Tournament:
    """Nobody enters any more, and no newer version takes over."""
    tournament.entries_close_at = now()
    return _move(tournament, State.CHECKING, "entries_close_at")


@transaction.atomic
def pause(*, tournament: Tournament, organiser: User, reason: str = "") -> Tournament:
    """Begin no more matches; what is being played is played to its end, and counts. Raises NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    _check_state(
        tournament,
        State.RUNNING,
        State.CHECKING,
        refusal=gettext_noop("A tournament can be paused only while its bots are checked or it is played."),
    )
    return halt(tournament, _reason(reason, gettext_noop("Its organiser has paused it.")))


def halt(tournament: Tournament, reason: Message) -> Tournament:
    """Pause it, whoever wants that."""
    cancel_waiting_matches(tournament, message(gettext_noop("The tournament was paused; the match is played later.")))
    tournament.state_reason = reason
    return _move(tournament, State.PAUSED, "state_reason")


@transaction.atomic
def resume(*, tournament: Tournament, organiser: User) -> Tournament:
    """Go on exactly where it was. Raises NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    _check_state(tournament, State.PAUSED, refusal=gettext_noop("Only a paused tournament can be resumed."))
    tournament.state_reason = None
    PairingMatch.objects.filter(pairing__round__tournament=tournament, failed=True).update(failed=False)
    return _move(tournament, State.RUNNING if tournament.has_started else State.CHECKING, "state_reason")


@transaction.atomic
def cancel(*, tournament: Tournament, organiser: User, reason: str = "") -> Tournament:
    """End it without a winner. What was played stays to be seen. Raises NotYours or Conflict."""
    tournament = check_organiser(tournament, organiser)
    if tournament.is_over:
        raise Conflict(message(ALREADY_OVER))
    return call_off(tournament, _reason(reason, gettext_noop("Its organiser has cancelled it.")))


def call_off(tournament: Tournament, reason: Message) -> Tournament:
    """End it without a winner, whoever wants that."""
    cancel_waiting_matches(tournament, message(gettext_noop("The tournament was cancelled.")))
    tournament.state_reason, tournament.finished_at = reason, now()
    return _move(tournament, State.CANCELLED, "state_reason", "finished_at")


@transaction.atomic
def rerun(*, tournament: Tournament, organiser: User, number: int, reason: str) -> Tournament:
    """Play a round again on new deals, and all that followed from it. What was played stays to be seen, uncounted.

    Raises NotYours, or Conflict where that round was not begun, or the end has made its deals public.
    """
    tournament = check_organiser(tournament, organiser)
    _check_state(
        tournament,
        State.RUNNING,
        State.PAUSED,
        refusal=gettext_noop("Rounds can be replayed only while the tournament runs or is paused."),
    )
    rounds = Round.objects.current().filter(tournament=tournament, number__gte=number)
    if not rounds.exists():
        template = gettext_noop("Round %(number)s hasn't started, so it can't be replayed.")
        raise Conflict(message(template, number=number))
    cancel_waiting_matches(tournament, message(gettext_noop("Its round is replayed.")))
    rated = LadderMatch.objects.filter(match__pairing_match__pairing__round__in=rounds.values("pk"))
    revoke_matches(ladder_matches=list(rated), reason=message(gettext_noop("Its round of a tournament is replayed.")))
    Entrant.objects.filter(tournament=tournament, left_in_round__gt=number).update(left_in_round=number)
    Round.objects.filter(pk__in=list(rounds.values_list("pk", flat=True))).update(
        is_latest_attempt=False, replay_reason=_reason(reason, gettext_noop("Its organiser wanted it replayed."))
    )
    return tournament


def delete_draft(*, tournament: Tournament, organiser: User) -> None:
    """Delete a draft. Raise NotYours or Conflict."""
    with transaction.atomic():
        tournament = check_organiser(tournament, organiser)
        _check_state(tournament, State.DRAFT, refusal=gettext_noop("Only a draft can be deleted."))
        tournament.delete()


def check_organiser(tournament: Tournament, user: User) -> Tournament:
    """Lock a tournament and return it. Raise NotYours."""
    if not is_organiser(tournament, user):
        raise NotYours(message(gettext_noop("Only the organiser of the tournament may do that.")))
    return lock(tournament)


def is_organiser(tournament: Tournament, user: Any) -> bool:
    """Who may be anonymous."""
    return bool(user.is_authenticated) and (tournament.organiser_id == user.pk or bool(user.is_superuser))


def plan_of(tournament: Tournament) -> Plan:
    """Return the plan of a tournament as it is now."""
    names = [name for name in Plan.__dataclass_fields__ if name != "settings"]
    return Plan(settings=Settings(**tournament.settings), **{name: getattr(tournament, name) for name in names})


def _columns(plan: Plan) -> dict[str, Any]:
    settings = {name: value for name, value in asdict(plan.settings).items() if name != "seed"}
    names = [name for name in Plan.__dataclass_fields__ if name != "settings"]
    return {"settings": settings, **{name: getattr(plan, name) for name in names}}


def _check_rated(organiser: User, plan: Plan) -> None:
    if not plan.is_rated:
        return
    if not organiser.is_staff:
        raise NotYours(message(gettext_noop("Only staff may let a tournament count for a ladder.")))
    if not Ladder.objects.open().filter(game=plan.game, edition=plan.edition).exists():
        raise NotPlayable(message(gettext_noop("There is no ladder of that edition for it to count for.")))


def _free_slug(title: str) -> str:
    """Return a slug that no tournament has: one of the same title gets a number, as addresses never change."""
    stem = slugify(title)[:60].strip("-") or "tournament"
    taken = {"new", *Tournament.objects.filter(slug__startswith=stem).values_list("slug", flat=True)}
    numbered = (f"{stem}-{number}" for number in count(2))
    return next(slug for slug in chain([stem], numbered) if slug not in taken)


def _check_state(tournament: Tournament, *states: State, refusal: str) -> None:
    if tournament.state not in states:
        raise Conflict(message(refusal))


def _reason(given: str, template: str) -> Message:
    """Return the reason that the organiser gave, or else the message of this template."""
    return literal(given) if given else message(template)


def _move(tournament: Tournament, state: State, *fields: str) -> Tournament:
    tournament.state = state
    tournament.save(update_fields=["state", *fields])
    return tournament

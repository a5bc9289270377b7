"""Who takes part: entering, the check of each entry, taking over, and leaving."""

from django.db import transaction
from django.db.models import Q
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.errors import ArenaError, Conflict, NotYours
from arena.matches.models import LegSeat, Match
from arena.notices.models import Event
from arena.notices.services import notify
from arena.runner.verdict import FAULT_NAMES, Verdict
from arena.tournaments.models import Check, Entrant, Pairing, Tournament
from arena.tournaments.services.matches import cancel_queued_matches
from arena.tournaments.services.organising import ALREADY_OVER, check_organiser, is_organiser
from arena.tournaments.services.rows import current_round, lock
from engine.message import Message, gettext_noop, literal, message

State = Tournament.State
OF_ANOTHER_OWNER = gettext_noop("%(name)s belongs to somebody else.")


class NotEnterable(ArenaError):
    """This bot can't take part. The message says why."""


@transaction.atomic
def enter(*, tournament: Tournament, bot: Bot, user: User, version: BotVersion | None = None) -> Entrant:
    """Enter a bot, by its owner or the organiser. Of a version that is given no newer one takes over.

    Entering it again with another version is how an entry is mended by hand. Raises NotYours, Conflict or NotEnterable.
    """
    tournament = lock(tournament)
    if bot.owner_id != user.pk and not is_organiser(tournament, user):
        raise NotYours(message(OF_ANOTHER_OWNER, name=bot.name))
    if tournament.state != State.OPEN or (tournament.entries_close_at and tournament.entries_close_at <= now()):
        raise Conflict(message(gettext_noop("The tournament takes no entries now.")))
    if bot.game != tournament.game:
        raise NotEnterable(message(gettext_noop("%(name)s plays another game."), name=bot.name))
    chosen = version or bot.versions.accepted().order_by("-number").first()
    if chosen is None or chosen.bot_id != bot.pk or chosen.state != BotVersion.State.ACCEPTED:
        template = gettext_noop("%(name)s has no such version that passed its trial.")
        raise NotEnterable(message(template, name=bot.name))
    entrant = Entrant.objects.filter(tournament=tournament, bot=bot).first()
    if entrant is None or entrant.is_out:
        _check_room(tournament, bot)
    if entrant is not None and entrant.state == Entrant.State.DISQUALIFIED:
        template = gettext_noop("%(name)s was disqualified. %(reason)s")
        raise Conflict(message(template, name=bot.name, reason=entrant.state_reason or ""))
    entrant = entrant or Entrant(tournament=tournament, bot=bot)
    is_same = entrant.pk and entrant.version_id == chosen.pk and entrant.state in IN_ORDER
    entrant.updates_automatically = version is None
    if not is_same:
        entrant.version, entrant.state = chosen, Entrant.State.CHECKING
        entrant.state_reason = entrant.state_detail = None
    entrant.save()
    return entrant


IN_ORDER = (Entrant.State.CHECKING, Entrant.State.READY)


@transaction.atomic
def update_entrants(*, match: Match) -> list[Tournament]:
    """Where a version was just accepted by this match: it takes over in tournaments that are open; which these are."""
    accepted = BotVersion.objects.accepted().filter(trials__match=match).select_related("bot").first()
    if accepted is None:
        return []
    following = Entrant.objects.in_it().filter(
        bot=accepted.bot_id, updates_automatically=True, tournament__state=State.OPEN
    )
    entrants = list(following.filter(version__number__lt=accepted.number).select_related("tournament"))
    for entrant in entrants:
        entrant.version, entrant.state = accepted, Entrant.State.CHECKING
        entrant.state_reason = entrant.state_detail = None
        entrant.save(update_fields=["version", "state", "state_reason", "state_detail"])
    return [entrant.tournament for entrant in entrants]


@transaction.atomic
def judge_check(*, match: Match) -> Tournament | None:
    """Whether an entrant is ready, by its check; the tournament that waits for it. None where it was no check.

    What is void says nothing of a bot: another check is made.
    """
    check = Check.objects.filter(match=match).select_related("entrant__tournament", "version__bot").first()
    if check is None:
        return None
    entrant = Entrant.objects.select_for_update(of=("self",)).get(pk=check.entrant_id)
    is_awaited = entrant.version_id == check.version_id and entrant.state == Entrant.State.CHECKING
    if match.state == Match.State.FINISHED and is_awaited:
        fault = LegSeat.objects.filter(leg__match=match).exclude(verdict=Verdict.OK).order_by("leg__number").first()
        entrant.state = Entrant.State.FAILED if fault else Entrant.State.READY
        entrant.state_reason = _describe_fault(fault) if fault else None
        entrant.state_detail = fault.fault_message if fault else None
        entrant.save(update_fields=["state", "state_reason", "state_detail"])
        if fault:
            _tell_failed(check, entrant)
    return check.entrant.tournament


@transaction.atomic
def withdraw(*, entrant: Entrant, user: User, reason: str = "") -> Entrant:
    """Take a bot out, by its owner or the organiser. Raises NotYours or Conflict."""
    tournament = lock(entrant.tournament)
    if entrant.bot.owner_id != user.pk and not is_organiser(tournament, user):
        raise NotYours(message(OF_ANOTHER_OWNER, name=entrant.bot.name))
    return _leave(tournament, entrant, Entrant.State.WITHDRAWN, reason)


@transaction.atomic
def disqualify(*, entrant: Entrant, organiser: User, reason: str) -> Entrant:
    """Put a bot out for good. Raises NotYours, Conflict, or ArenaError where nobody says why."""
    tournament = check_organiser(entrant.tournament, organiser)
    if not reason.strip():
        raise ArenaError(message(gettext_noop("Give a reason: its owner and everybody else will read it.")))
    entrant = _leave(tournament, entrant, Entrant.State.DISQUALIFIED, reason.strip())
    notify(
        user=entrant.bot.owner,
        event=Event.TOURNAMENT_LEFT,
        text=message(
            gettext_noop("%(bot)s was disqualified from %(tournament)s. %(reason)s"),
            bot=entrant.bot.name,
            tournament=tournament.title,
            reason=reason.strip(),
        ),
        url=tournament.get_absolute_url(),
        about=f"entrant {entrant.pk}",
        payload={"tournament": tournament.slug, "bot": entrant.bot.slug, "reason": reason.strip()},
    )
    return entrant


def _leave(tournament: Tournament, entrant: Entrant, state: Entrant.State, reason: str) -> Entrant:
    """Take an entrant out of a tournament.

    A pairing of two that goes on is lost without playing on. At a larger table the round is played to its end with it.
    """
    if tournament.is_over:
        raise Conflict(message(ALREADY_OVER))
    entrant = Entrant.objects.select_related("bot__owner", "tournament").get(pk=entrant.pk)
    if entrant.is_out:
        raise Conflict(message(gettext_noop("%(name)s is out already."), name=entrant.bot.name))
    entrant.state, entrant.state_reason, entrant.state_detail = state, literal(reason) if reason else None, None
    if tournament.has_started and entrant.number is not None:
        entrant.left_in_round = _leaves_in(tournament, entrant)
    entrant.save(update_fields=["state", "state_reason", "state_detail", "left_in_round"])
    return entrant


def _leaves_in(tournament: Tournament, entrant: Entrant) -> int:
    last = current_round(tournament)
    if last is None:
        return 1
    going_on = Pairing.objects.filter(round=last, is_over=False, seats__entrant=entrant).first()
    if going_on is None or going_on.seats.count() != 2:
        return last.number + 1
    matches = going_on.pairing_matches.filter(counts=True).values_list("match", flat=True)
    cancel_queued_matches(list(matches), message(gettext_noop("One of the bots has left the tournament.")))
    return last.number


def _check_room(tournament: Tournament, bot: Bot) -> None:
    there = Entrant.objects.in_it().filter(tournament=tournament)
    if there.count() >= tournament.max_entrants:
        template = gettext_noop("The tournament is full: %(count)s bots take part.")
        raise Conflict(message(template, count=tournament.max_entrants))
    if not bot.owner.is_house and there.filter(bot__owner=bot.owner_id).count() >= tournament.max_entrants_per_author:
        most = tournament.max_entrants_per_author
        one = gettext_noop("An author may enter one bot here: withdraw the other first.")
        several = gettext_noop("An author may enter %(count)s bots here: withdraw one of them first.")
        raise Conflict(message(one) if most == 1 else message(several, count=most))


def unchecked(tournament: Tournament) -> list[Entrant]:
    """Entrants that wait for a check, and for which none is to be played."""
    going_on = Q(state__in=[Match.State.QUEUED, Match.State.RUNNING]) | Q(
        state=Match.State.FINISHED, settled_at__isnull=True
    )
    live = Check.objects.filter(match__in=Match.objects.filter(going_on, tournament_check__isnull=False))
    waiting = Entrant.objects.filter(tournament=tournament, state=Entrant.State.CHECKING)
    return [
        entrant
        for entrant in waiting.select_related("version__bot")
        if not live.filter(entrant=entrant, version=entrant.version_id).exists()
    ]


def _describe_fault(row: LegSeat) -> Message:
    return message(gettext_noop("%(fault)s in its check."), fault=FAULT_NAMES[Verdict(row.verdict)])


def _tell_failed(check: Check, entrant: Entrant) -> None:
    tournament = check.entrant.tournament
    closed = gettext_noop("%(version)s failed its check for %(tournament)s. %(reason)s %(detail)s")
    open = gettext_noop(
        "%(version)s failed its check for %(tournament)s. %(reason)s %(detail)s Upload a better version before entries "
        "close."
    )
    reason, detail = entrant.state_reason or "", entrant.state_detail or ""
    notify(
        user=check.version.bot.owner,
        event=Event.TOURNAMENT_CHECK,
        text=message(
            open if tournament.state == State.OPEN else closed,
            version=str(check.version),
            tournament=tournament.title,
            reason=reason,
            detail=detail,
        ),
        url=tournament.get_absolute_url(),
        about=f"check {check.pk}",
        payload={
            "tournament": tournament.slug,
            "bot": check.version.bot.slug,
            "version": check.version.number,
            "match": check.match_id,
            "reason": str(reason),
            "detail": str(detail),
        },
    )

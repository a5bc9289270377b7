"""How a tournament goes on by itself. Everything here may be called at any time, and again: what is done stays done."""

from collections import Counter

from django.db import transaction
from django.utils.timezone import now

from arena.matches.models import Match
from arena.notices.models import Event
from arena.notices.services import notify
from arena.tournaments.formats import base
from arena.tournaments.models import Entrant, Pairing, PairingMatch, PairingSeat, Round, Tournament
from arena.tournaments.pairing_outcome import Game, decide, wanted
from arena.tournaments.services.entering import unchecked
from arena.tournaments.services.matches import cancel_queued_matches, queue_check, queue_pairing_match
from arena.tournaments.services.organising import State, call_off, freeze, halt
from arena.tournaments.services.rows import (
    as_value,
    current_round,
    lock,
    read_field,
    read_games,
    read_rounds,
    read_standings,
)
from arena.tournaments.services.seeding import by_strength
from arena.tournaments.settings import InvalidSettings
from engine.message import Message, gettext_noop, message

ORDINALS = {1: gettext_noop("%(number)sst"), 2: gettext_noop("%(number)snd"), 3: gettext_noop("%(number)srd")}
"""English ordinals by the last digit, where they don't end in "th"."""
MAX_VOID = 3
"""So often the arena may fail to play one match before people look at it."""


@transaction.atomic
def go_on(*, tournament: Tournament) -> list[Match]:
    """Do what is to do next: checks of entries, the start, counting what is over, the next round, the end.

    The matches that were queued for it.
    """
    tournament = lock(tournament)
    matches: list[Match] = []
    if tournament.state == State.OPEN and tournament.entries_close_at and tournament.entries_close_at <= now():
        tournament = freeze(tournament)
    if tournament.state in (State.OPEN, State.CHECKING):
        matches += [queue_check(tournament, entrant) for entrant in unchecked(tournament)]
    if tournament.state == State.CHECKING:
        _begin_when_checked(tournament)
    if tournament.state == State.RUNNING:
        matches += _play(tournament)
    Tournament.objects.filter(pk=tournament.pk).update(looked_at=now())
    return matches


def touched_by(*, match: Match) -> Tournament | None:
    """Return the tournament that a match was played for; None if it was for none."""
    return Tournament.objects.filter(rounds__pairings__pairing_matches__match=match).first()


def _begin_when_checked(tournament: Tournament) -> None:
    entrants = tournament.entrants.filter(state__in=[Entrant.State.CHECKING, Entrant.State.READY])
    if entrants.filter(state=Entrant.State.CHECKING).exists():
        return
    ready = by_strength(tournament, entrants.select_related("version"))
    if len(ready) < 2:
        call_off(tournament, message(gettext_noop("Fewer than two bots were ready when it was to start.")))
        return
    try:
        tournament.full_settings.check(len(ready))
    except InvalidSettings as error:
        halt(tournament, error.message)
        return
    for number, entrant in enumerate(ready, 1):
        entrant.number = number
    Entrant.objects.bulk_update(ready, ["number", "rating"])
    tournament.state, tournament.started_at = State.RUNNING, now()
    tournament.save(update_fields=["state", "started_at"])
    _tell_all(
        tournament,
        Event.TOURNAMENT_STARTED,
        gettext_noop("%(bot)s plays in %(tournament)s, which has started: its seed is %(number)s."),
    )


def _play(tournament: Tournament) -> list[Match]:
    while True:
        round = current_round(tournament)
        if round is None or round.finished_at is not None:
            round = _next_round(tournament)
            if round is None:
                _finish(tournament)
                return []
        left = _settle(tournament, round)
        if left:
            return _top_up(tournament, left)
        Round.objects.filter(pk=round.pk).update(finished_at=now())


def _next_round(tournament: Tournament) -> Round | None:
    rounds = read_rounds(tournament)
    pairings = tournament.format.pair(read_field(tournament), rounds, tournament.full_settings)
    if pairings is None:
        return None
    number = len(rounds) + 1
    attempt = Round.objects.filter(tournament=tournament, number=number).count()
    round = Round.objects.create(tournament=tournament, number=number, attempt=attempt)
    rows = Pairing.objects.bulk_create(
        Pairing(round=round, board=board, name=pairing.name, must_decide=pairing.must_decide)
        for board, pairing in enumerate(pairings, 1)
    )
    entrants = {entrant.number: entrant for entrant in Entrant.objects.field().filter(tournament=tournament)}
    PairingSeat.objects.bulk_create(
        PairingSeat(pairing=row, index=index, entrant=entrants[number])
        for row, pairing in zip(rows, pairings, strict=True)
        for index, number in enumerate(pairing.entrants)
    )
    return round


Left = list[tuple[Pairing, list[Game]]]
"""Pairings that go on, with what was played in each."""


def _settle(tournament: Tournament, round: Round) -> Left:
    """Store the results of what is decided. What goes on."""
    pairings = round.pairings.filter(is_over=False).prefetch_related("seats__entrant__version__bot")
    going_on = list(pairings.select_related("round"))
    field, settings = read_field(tournament), tournament.full_settings
    games = read_games(going_on)
    left: Left = []
    for pairing in going_on:
        value = as_value(pairing)
        played = games.get(pairing.pk, [])
        result = base.walkover(value, field, round.number) or decide(value, played, settings)
        if result is None:
            left.append((pairing, played))
        else:
            _store(pairing, result)
    return left


def _store(pairing: Pairing, result: base.Result) -> None:
    seats = list(pairing.seats.all())
    for seat, points, score in zip(seats, result.points, result.scores, strict=True):
        seat.points, seat.score = points, score
    PairingSeat.objects.bulk_update(seats, ["points", "score"])
    Pairing.objects.filter(pk=pairing.pk).update(is_over=True, played=result.played)
    unneeded = pairing.pairing_matches.filter(match__state=Match.State.QUEUED)
    reason = message(gettext_noop("The pairing was decided without it."))
    cancel_queued_matches(list(unneeded.values_list("match", flat=True)), reason)


def _top_up(tournament: Tournament, left: Left) -> list[Match]:
    """Queue the matches that are wanted and are not there. What is void is made again, but not for ever."""
    matches: list[Match] = []
    made = PairingMatch.objects.filter(pairing__in=[pairing for pairing, _ in left])
    made.filter(counts=True, match__state=Match.State.VOID).update(counts=False, failed=True)
    settings = tournament.full_settings
    there = set(made.filter(counts=True).values_list("pairing", "number"))
    failures = Counter(made.filter(failed=True).values_list("pairing", "number"))
    for pairing, over in left:
        needed = len(over) + wanted(as_value(pairing), over, settings)
        for number in range(1, needed + 1):
            if (pairing.pk, number) in there:
                continue
            if failures[pairing.pk, number] >= MAX_VOID:
                template = gettext_noop("The arena failed %(times)s times to play a match of round %(number)s.")
                halt(tournament, message(template, times=MAX_VOID, number=pairing.round.number))
                return matches
            matches.append(queue_pairing_match(tournament, pairing, number))
    return matches


def _finish(tournament: Tournament) -> None:
    places = {standing.number: standing.place for standing in read_standings(tournament)}
    entrants = list(Entrant.objects.field().filter(tournament=tournament))
    for entrant in entrants:
        entrant.place = places[entrant.number or 0]
    Entrant.objects.bulk_update(entrants, ["place"])
    tournament.state, tournament.finished_at = State.FINISHED, now()
    tournament.save(update_fields=["state", "finished_at"])
    _tell_all(
        tournament, Event.TOURNAMENT_FINISHED, gettext_noop("%(tournament)s is over: %(bot)s finished %(place)s.")
    )


def format_ordinal(number: int) -> Message:
    """Return a place as an ordinal number: 1st, 2nd, 3rd, 4th."""
    if number % 100 not in (11, 12, 13) and number % 10 in ORDINALS:
        return message(ORDINALS[number % 10], number=number)
    return message(gettext_noop("%(number)sth"), number=number)


def _tell_all(tournament: Tournament, event: Event, template: str) -> None:
    entrants = Entrant.objects.field().filter(tournament=tournament).select_related("bot__owner")
    for entrant in entrants.exclude(bot__owner__is_house=True):
        number, place = entrant.number or "", format_ordinal(entrant.place) if entrant.place else ""
        notify(
            user=entrant.bot.owner,
            event=event,
            text=message(template, bot=entrant.bot.name, tournament=tournament.title, number=number, place=place),
            url=tournament.get_absolute_url(),
            about=f"entrant {entrant.pk}",
            payload={
                "tournament": tournament.slug,
                "bot": entrant.bot.slug,
                "number": entrant.number,
                "place": entrant.place,
            },
        )

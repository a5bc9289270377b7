"""Advance a tournament: count or decide results, draw rounds, take bots out, and finish it."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from django.db import transaction
from django.utils.timezone import now

from arena.bots.teams import list_authors_of_bot, list_authors_of_bots
from arena.contests.tournaments.formats import base
from arena.contests.tournaments.models import (
    Entrant,
    OrganiserAct,
    OrganiserActKind,
    Pairing,
    PairingMatch,
    PairingSeat,
    Round,
    Tournament,
)
from arena.contests.tournaments.phases import explain_missing_rounds
from arena.contests.tournaments.queries import list_awaited_versions, list_unchecked_entrants
from arena.contests.tournaments.services.access import (
    PAIRING_SEPARATOR,
    check_organiser,
    is_round_hidden,
    notify_organisers,
    record_act,
    show_hidden_rounds,
)
from arena.contests.tournaments.services.announcing import tell_of_absence
from arena.contests.tournaments.services.entering import tell_invited
from arena.contests.tournaments.services.matches import (
    build_pairing,
    cancel_queued_matches,
    find_current_round,
    is_played_apart,
    lock_tournament,
    queue_check,
    queue_pairing_match,
    read_field,
    read_match_results,
    read_rounds,
    read_standings,
)
from arena.contests.tournaments.services.organising import State, freeze_entries, mark_paused, order_by_strength
from arena.contests.tournaments.services.trials import leave_out_rest, leave_out_stuck_trials, settle_versions
from arena.contests.tournaments.settings import InvalidSettings
from arena.contests.tournaments.standings import (
    MatchResult,
    build_even_points,
    build_given_result,
    build_lost_points,
    build_winner_points,
    count_matches_needed,
    decide,
    may_give,
)
from arena.core.errors import ArenaError, Conflict
from arena.matches.models import Match
from arena.people.accounts.models import User
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user
from engine.message import Message, gettext_noop, message

# Advance a tournament: start it, count results, draw rounds, queue matches and finish it.
#
# Everything here is idempotent and can be called at any time.

ORDINAL_TEMPLATES_BY_LAST_DIGIT = {
    1: gettext_noop("%(number)sst"),
    2: gettext_noop("%(number)snd"),
    3: gettext_noop("%(number)srd"),
}
"""English ordinals that don't end in "th"."""
TOO_FEW_READY = gettext_noop("It needs two ready bots to start, but has %(count)s. Reopen entries, or cancel it.")
NOT_APPROVED = gettext_noop(
    "%(bot)s isn't playing in %(tournament)s, which started before an organiser approved the entry."
)
MAX_FAILURES_PER_MATCH = 3
"""The number of failures of the arena at one match after which the tournament is paused."""


@transaction.atomic
def advance_tournament(*, tournament: Tournament) -> list[Match]:
    """Advance a tournament as far as its matches allow, and return the matches that were queued.

    It may queue checks, start, count results, draw the next round, finish, or reveal hidden rounds.
    """
    tournament = lock_tournament(tournament)
    matches: list[Match] = []
    if tournament.state == State.OPEN and tournament.entries_close_at and tournament.entries_close_at <= now():
        tournament = freeze_entries(tournament)
    if tournament.state in (State.OPEN, State.CHECKING):
        settle_versions(tournament)
        if tournament.takes_entries:
            tell_invited(tournament)
        matches += [queue_check(tournament, entrant) for entrant in list_unchecked_entrants(tournament)]
    if tournament.state == State.CHECKING:
        _start_when_checked(tournament)
    if tournament.state == State.RUNNING:
        matches += _play_rounds(tournament)
    if tournament.allows_remote and tournament.state == State.RUNNING:
        tell_of_absence(tournament)
    if tournament.reveals_at is not None and tournament.reveals_at <= now():
        _reveal(tournament, None)
    Tournament.objects.filter(pk=tournament.pk).update(last_advanced_at=now())
    return matches


def _start_when_checked(tournament: Tournament) -> None:
    """Seed the entrants that are ready and start, once all checks are over; pause if it can't be played.

    Trials of entered versions are waited for, and of those uploaded in time to replace them: such a version plays then,
    or is left out.
    """
    entrants = tournament.entrants.filter(state__in=[Entrant.State.CHECKING, Entrant.State.READY])
    if entrants.filter(state=Entrant.State.CHECKING).exists():
        return
    leave_out_stuck_trials(tournament)
    if list_awaited_versions(tournament).exists():
        return
    leave_out_rest(tournament)
    ready = order_by_strength(tournament, entrants.select_related("version"))
    if len(ready) < 2:
        mark_paused(tournament, message(TOO_FEW_READY, count=len(ready)))
        return
    try:
        tournament.full_settings.check(len(ready))
    except InvalidSettings as error:
        mark_paused(tournament, error.message)
        return
    for number, entrant in enumerate(ready, 1):
        entrant.number = number
    Entrant.objects.bulk_update(ready, ["number", "rating"])
    if tournament.hidden_rounds:
        planned = tournament.format.count_rounds(len(ready), tournament.full_settings)
        tournament.hidden_from_round = max(1, planned - tournament.hidden_rounds + 1)
    tournament.state, tournament.started_at = State.RUNNING, now()
    tournament.save(update_fields=["state", "started_at", "hidden_from_round"])
    _tell_of_start(tournament, len(ready))


def _tell_of_start(tournament: Tournament, ready: int) -> None:
    """Tell who plays, whose entry was approved too late, and the organisers where not all rounds can be drawn."""
    _notify_entrants(
        tournament,
        Event.TOURNAMENT_STARTED,
        gettext_noop("%(tournament)s has started, and %(bot)s is playing as seed %(number)s."),
    )
    for entrant in tournament.entrants.filter(state=Entrant.State.WAITING).select_related("bot__owner"):
        text = message(NOT_APPROVED, bot=entrant.bot.name, tournament=tournament.title)
        for user in list_authors_of_bot(entrant.bot):
            notify_user(user=user, event=Event.TOURNAMENT_STARTED, text=text, url=tournament.get_absolute_url())
    missing = explain_missing_rounds(tournament.format, ready, tournament.full_settings)
    if missing is not None:
        template = gettext_noop("Your tournament %(tournament)s has started. %(reason)s")
        text = message(template, tournament=tournament.title, reason=missing)
        notify_organisers(tournament, Event.TOURNAMENT_REMINDER, text, about=f"rounds of tournament {tournament.pk}")


def _play_rounds(tournament: Tournament) -> list[Match]:
    """Finish rounds that are decided and draw the next ones; return the matches that were queued."""
    while True:
        round = find_current_round(tournament)
        if round is None or round.finished_at is not None:
            round = _draw_next_round(tournament)
            if round is None:
                _finish(tournament)
                return []
        open_pairings = _store_results(tournament, round)
        if open_pairings:
            return _queue_missing_matches(tournament, open_pairings)
        Round.objects.filter(pk=round.pk).update(finished_at=now())


def _draw_next_round(tournament: Tournament) -> Round | None:
    """Create the next round with its pairings; return None after the last."""
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
    entrants = {entrant.number: entrant for entrant in Entrant.objects.seeded().filter(tournament=tournament)}
    PairingSeat.objects.bulk_create(
        PairingSeat(pairing=row, index=index, entrant=entrants[number])
        for row, pairing in zip(rows, pairings, strict=True)
        for index, number in enumerate(pairing.entrants)
    )
    return round


OpenPairings = list[tuple[Pairing, list[MatchResult]]]
"""Undecided pairings with the results of their matches."""


def _store_results(tournament: Tournament, round: Round) -> OpenPairings:
    """Store the results of decided pairings, and return the others."""
    undecided = round.pairings.filter(is_over=False).prefetch_related("seats__entrant__version__bot")
    pairings = list(undecided.select_related("round"))
    field, settings = read_field(tournament), tournament.full_settings
    results = read_match_results(pairings)
    open_pairings: OpenPairings = []
    for pairing in pairings:
        value = build_pairing(pairing)
        played = results.get(pairing.pk, [])
        result = base.decide_walkover(value, field, round.number) or decide(value, played, settings)
        if result is None:
            open_pairings.append((pairing, played))
        else:
            store_result(pairing, result)
    return open_pairings


def store_result(pairing: Pairing, result: base.Result) -> None:
    """Store the result of a pairing, and cancel its queued matches."""
    seats = list(pairing.seats.all())
    for seat, points, game_points in zip(seats, result.points, result.game_points, strict=True):
        seat.points, seat.game_points = points, game_points
    PairingSeat.objects.bulk_update(seats, ["points", "game_points"])
    Pairing.objects.filter(pk=pairing.pk).update(is_over=True, played=result.played)
    unneeded = pairing.pairing_matches.filter(match__state=Match.State.QUEUED)
    reason = message(gettext_noop("The pairing was decided without it."))
    cancel_queued_matches(list(unneeded.values_list("match", flat=True)), reason)


def _queue_missing_matches(tournament: Tournament, open_pairings: OpenPairings) -> list[Match]:
    """Queue the matches that these pairings need, and return them. Pause if the arena keeps failing at one of them."""
    matches: list[Match] = []
    made = PairingMatch.objects.filter(pairing__in=[pairing for pairing, _ in open_pairings])
    made.filter(counts=True, match__state=Match.State.VOID).update(counts=False, failed=True)
    settings = tournament.full_settings
    there = set(made.filter(counts=True).values_list("pairing", "number"))
    failures = Counter(made.filter(failed=True).values_list("pairing", "number"))
    for pairing, over in open_pairings:
        needed = len(over) + count_matches_needed(build_pairing(pairing), over, settings)
        if is_played_apart(pairing):
            needed *= len(pairing.seats.all())
        for number in range(1, needed + 1):
            if (pairing.pk, number) in there:
                continue
            if failures[pairing.pk, number] >= MAX_FAILURES_PER_MATCH:
                template = gettext_noop(
                    "The arena failed to play a match in round %(number)s after %(times)s attempts."
                )
                mark_paused(tournament, message(template, times=MAX_FAILURES_PER_MATCH, number=pairing.round.number))
                return matches
            matches.append(queue_pairing_match(tournament, pairing, number))
    return matches


def _finish(tournament: Tournament) -> None:
    """Store the final places, and finish the tournament. Hidden rounds are waited for with what tells of them."""
    tournament.state, tournament.finished_at = State.FINISHED, now()
    tournament.save(update_fields=["state", "finished_at"])
    template = gettext_noop("Your tournament %(tournament)s has finished.")
    if tournament.is_concealed:
        template = gettext_noop("Your tournament %(tournament)s has finished. Reveal its last rounds on the projector.")
    else:
        announce_places(tournament)
    text = message(template, tournament=tournament.title)
    about = f"end of tournament {tournament.pk}"
    notify_organisers(tournament, Event.TOURNAMENT_FINISHED, text, about=about)


def announce_places(tournament: Tournament) -> None:
    """Store the final places of a finished tournament, and tell its authors."""
    _store_places(tournament)
    _notify_entrants(
        tournament, Event.TOURNAMENT_FINISHED, gettext_noop("%(bot)s finished %(place)s in %(tournament)s.")
    )


def _store_places(tournament: Tournament) -> list[int]:
    """Store the final places by the results of now, and return the entrants, by their keys, that have another one."""
    places = {standing.number: standing.place for standing in read_standings(tournament)}
    entrants = list(Entrant.objects.seeded().filter(tournament=tournament))
    moved = [entrant.pk for entrant in entrants if entrant.place != (places[entrant.number or 0] or None)]
    for entrant in entrants:
        entrant.place = places[entrant.number or 0] or None
    Entrant.objects.bulk_update(entrants, ["place"])
    return moved


def format_ordinal(number: int) -> Message:
    """Return a place as an ordinal number: 1st, 2nd, 3rd, 4th."""
    if number % 100 not in (11, 12, 13) and number % 10 in ORDINAL_TEMPLATES_BY_LAST_DIGIT:
        return message(ORDINAL_TEMPLATES_BY_LAST_DIGIT[number % 10], number=number)
    return message(gettext_noop("%(number)sth"), number=number)


def _notify_entrants(
    tournament: Tournament,
    event: Event,
    template: str,
    only: Collection[int] | None = None,
    about: str = "entrant",
) -> None:
    """Send a notice to the authors of each seeded entrant, or of those with these keys.

    Of a tournament for a group nothing goes to webhooks.
    """
    entrants = Entrant.objects.seeded().filter(tournament=tournament).select_related("bot__owner")
    if only is not None:
        entrants = entrants.filter(pk__in=only)
    if event == Event.TOURNAMENT_FINISHED:
        entrants = entrants.exclude(place=None)  # who was disqualified has been told then
    for entrant in entrants.exclude(bot__owner__is_house=True):
        number, place = entrant.number or "", format_ordinal(entrant.place) if entrant.place else ""
        payload = {
            "tournament": tournament.slug,
            "bot": entrant.bot.slug,
            "number": entrant.number,
            "place": entrant.place,
        }
        for user in list_authors_of_bot(entrant.bot):
            notify_user(
                user=user,
                event=event,
                text=message(template, bot=entrant.bot.name, tournament=tournament.title, number=number, place=place),
                url=tournament.get_absolute_url(),
                about=f"{about} {entrant.pk}",
                payload=None if tournament.audience_id is not None else payload,
            )


# Reveal hidden rounds: place by place, or all at once, and by itself some days after the end.


@transaction.atomic
def reveal_next_place(*, tournament: Tournament, organiser: User) -> Tournament:
    """Show the next of the final places on the projector, from the last one; with the first everything is revealed.

    Raise NotYours, or Conflict where nothing is hidden, or before the end.
    """
    tournament = _check_concealed(tournament, organiser)
    if tournament.state != State.FINISHED:
        problem = gettext_noop("You can reveal places once all rounds are finished.")
        raise Conflict(message(problem))
    tournament.revealed_places += 1
    tournament.save(update_fields=["revealed_places"])
    if tournament.revealed_places >= Entrant.objects.seeded().filter(tournament=tournament).count():
        _reveal(tournament, organiser)
    return tournament


@transaction.atomic
def reveal_all(*, tournament: Tournament, organiser: User) -> Tournament:
    """Show all hidden rounds to everybody who sees the tournament. Raise NotYours, or Conflict where none is hidden."""
    tournament = _check_concealed(tournament, organiser)
    _reveal(tournament, organiser)
    return tournament


def _check_concealed(tournament: Tournament, organiser: User) -> Tournament:
    tournament = check_organiser(tournament, organiser)
    if not tournament.is_concealed:
        raise Conflict(message(gettext_noop("The tournament has no hidden rounds.")))
    return tournament


def _reveal(tournament: Tournament, by: User | None) -> None:
    show_hidden_rounds(tournament)
    record_act(tournament, OrganiserActKind.REVEAL, message(gettext_noop("Last rounds revealed")), by=by)
    if tournament.state == State.FINISHED:
        announce_places(tournament)


# Decide pairings in the place of their matches or above them, as an organiser, and take such results back.
#
# A round that was drawn before a decision stays as it was drawn, unless the organisers have it replayed. So every
# decision is kept with the number of rounds that had been drawn by then, and with what held before.


class DecidedOutcome(StrEnum):
    """What an organiser can decide."""

    WIN = "win"
    EVEN = "even"
    LOST = "lost"


NO_REASON = gettext_noop("Give a reason; it's shown next to the result.")
OUTCOME_TEXTS = {
    DecidedOutcome.WIN: gettext_noop("Round %(round)s, %(pairing)s: decided, %(winner)s wins"),
    DecidedOutcome.EVEN: gettext_noop("Round %(round)s, %(pairing)s: decided as a tie"),
    DecidedOutcome.LOST: gettext_noop("Round %(round)s, %(pairing)s: decided as a loss for all"),
}


@dataclass(frozen=True, slots=True)
class PairingDecision:
    """What an organiser decides about a pairing, and why."""

    outcome: DecidedOutcome
    reason: str
    winner: str = ""
    """Slug of the bot that wins; not used by other outcomes."""


MOVED_BY_DECISION = gettext_noop("An organiser decided a pairing in %(tournament)s: %(bot)s is now %(place)s.")


@transaction.atomic
def decide_pairing(
    *, tournament: Tournament, organiser: User, number: int, board: int, decision: PairingDecision
) -> Pairing:
    """Give a pairing a result, also one that is over: the results of its matches stay, and the decision counts.

    Of an open pairing the matches that wait are cancelled. Places are computed again where the tournament is finished.
    Raise NotYours, Conflict, or ArenaError for a result that the format doesn't allow.
    """
    tournament = check_organiser(tournament, organiser)
    if not decision.reason.strip():
        raise ArenaError(message(NO_REASON))
    pairing = _find_pairing(tournament, number, board)
    value, points = build_pairing(pairing), _build_points(pairing, decision)
    if not may_give(value, points):
        problem = gettext_noop("One bot must win this pairing, because the winner advances.")
        raise ArenaError(message(problem))
    if pairing.is_over and points == _list_points(pairing):
        raise Conflict(message(gettext_noop("The pairing already has this result.")))
    reason = decision.reason.strip()
    _keep_decision(tournament, pairing, list(points), reason)
    pairing.given_points, pairing.given_reason = list(points), reason
    pairing.save(update_fields=["given_points", "given_reason", "decisions"])
    pairing.pairing_matches.filter(match__state=Match.State.RUNNING).update(counts=False)
    store_result(pairing, build_given_result(value, points))
    text = _describe(pairing, decision)
    act = record_act(
        tournament, OrganiserActKind.DECIDE_PAIRING, text, by=organiser, reason=decision.reason, round=number
    )
    _notify_authors(tournament, pairing, text, decision.reason)
    _follow_decision(tournament, act)
    return pairing


@transaction.atomic
def undo_decision(*, tournament: Tournament, organiser: User, number: int, board: int, reason: str = "") -> Pairing:
    """Take a given result back, so that the matches of the pairing decide again. Raise NotYours, Conflict, ArenaError.

    Once the next round has started it needs a reason, and matches that give a result.
    """
    tournament = check_organiser(tournament, organiser)
    pairing = _find_pairing(tournament, number, board)
    if pairing.given_points is None:
        raise Conflict(message(gettext_noop("This pairing wasn't decided by an organiser.")))
    own = None
    if pairing.round.finished_at is not None:
        if not reason.strip():
            raise ArenaError(message(NO_REASON))
        own = _find_own_result(tournament, pairing)
        if own is None:
            problem = gettext_noop(
                "This pairing's matches weren't played, so they can't decide it. Choose another result, or "
                "replay round %(number)s."
            )
            raise Conflict(message(problem, number=number))
    _keep_decision(tournament, pairing, None, reason.strip())
    pairing.given_points, pairing.given_reason, pairing.is_over, pairing.played = None, "", False, False
    pairing.save(update_fields=["given_points", "given_reason", "decisions", "is_over", "played"])
    if own is None:
        PairingSeat.objects.filter(pairing=pairing).update(points=None, game_points=None)
    else:
        store_result(pairing, own)
    template = gettext_noop("Round %(round)s, %(pairing)s: decision undone")
    text = message(template, round=pairing.round.number, pairing=_name_bots(pairing))
    act = record_act(tournament, OrganiserActKind.UNDO_DECISION, text, by=organiser, reason=reason, round=number)
    _notify_authors(tournament, pairing, text, reason)
    _follow_decision(tournament, act)
    return pairing


def _find_pairing(tournament: Tournament, number: int, board: int) -> Pairing:
    """Return a pairing of a round that counts. Raise Conflict where there is none, or no decision is possible now."""
    if tournament.state not in (State.RUNNING, State.PAUSED, State.FINISHED):
        problem = gettext_noop("You can decide pairings once a tournament has started, unless it was cancelled.")
        raise Conflict(message(problem))
    round = Round.objects.latest_attempts().filter(tournament=tournament, number=number).first()
    if round is None:
        raise Conflict(message(gettext_noop("Round %(number)s hasn't started."), number=number))
    pairings = Pairing.objects.filter(round=round, board=board).select_related("round")
    pairing = pairings.prefetch_related("seats__entrant__bot__owner", "seats__entrant__version__bot").first()
    if pairing is None:
        problem = gettext_noop("Round %(number)s has no board %(board)s.")
        raise Conflict(message(problem, number=number, board=board))
    return pairing


def _list_points(pairing: Pairing) -> tuple[float | None, ...]:
    return tuple(seat.points for seat in pairing.seats.all())


def _find_own_result(tournament: Tournament, pairing: Pairing) -> base.Result | None:
    """Return the result of a pairing without decisions; None where its matches give none."""
    value, played = build_pairing(pairing), read_match_results([pairing]).get(pairing.pk, [])
    walkover = base.decide_walkover(value, read_field(tournament), pairing.round.number)
    return walkover or decide(value, played, tournament.full_settings)


def _keep_decision(tournament: Tournament, pairing: Pairing, points: list[float] | None, reason: str) -> None:
    """Add a decision to those of a pairing, before it changes; the caller saves them."""
    own = _find_own_result(tournament, pairing)
    decision = {
        "at": now().isoformat(),
        "after": Round.objects.filter(tournament=tournament).count(),
        "points": points,
        "reason": reason,
        "given_before": pairing.given_points,
        "points_before": list(_list_points(pairing)) if pairing.is_over else None,
        "was_played": own is not None and own.played,
    }
    pairing.decisions = [*pairing.decisions, decision]


def _follow_decision(tournament: Tournament, act: OrganiserAct) -> None:
    """Let a forecast be made again, or the final places of a finished tournament follow."""
    if tournament.state != State.FINISHED:
        Tournament.objects.filter(pk=tournament.pk).update(forecast_after_round=None)
    elif not tournament.is_concealed and (moved := _store_places(tournament)):
        _notify_entrants(tournament, Event.TOURNAMENT_FINISHED, MOVED_BY_DECISION, moved, about=f"act {act.pk} entrant")


def _build_points(pairing: Pairing, decision: PairingDecision) -> tuple[float, ...]:
    """Return the points by seat. Raise ArenaError where the winner isn't in the pairing."""
    slugs = [seat.entrant.bot.slug for seat in pairing.seats.all()]
    if decision.outcome == DecidedOutcome.EVEN:
        return build_even_points(len(slugs))
    if decision.outcome == DecidedOutcome.LOST:
        return build_lost_points(len(slugs))
    if decision.winner not in slugs:
        raise ArenaError(message(gettext_noop("Choose which bot wins this pairing.")))
    return build_winner_points(len(slugs), slugs.index(decision.winner))


def _describe(pairing: Pairing, decision: PairingDecision) -> Message:
    names = {seat.entrant.bot.slug: seat.entrant.bot.name for seat in pairing.seats.all()}
    winner = names.get(decision.winner, "")
    template = OUTCOME_TEXTS[decision.outcome]
    return message(template, round=pairing.round.number, pairing=_name_bots(pairing), winner=winner)


def _name_bots(pairing: Pairing) -> str:
    return PAIRING_SEPARATOR.join(seat.entrant.bot.name for seat in pairing.seats.all())


def _notify_authors(tournament: Tournament, pairing: Pairing, text: Message, reason: str) -> None:
    """Tell the authors of a pairing what was decided; of a hidden round they learn it once that is revealed."""
    if is_round_hidden(tournament, pairing.round.number):
        return
    authors = list_authors_of_bots(seat.entrant.bot for seat in pairing.seats.all())
    template = gettext_noop("%(tournament)s: %(text)s. %(reason)s")
    for author in sorted(authors, key=lambda user: user.pk):
        notify_user(
            user=author,
            event=Event.TOURNAMENT_LEFT,
            text=message(template, tournament=tournament.title, text=text, reason=reason),
            url=f"{tournament.get_absolute_url()}rounds/{pairing.round.number}/",
        )


# Replay matches, as staff wants it whoever organises the tournament.


@transaction.atomic
def replay_match(*, match: Match) -> Tournament:
    """Let a match of a tournament be played again with the same number and deal; return the tournament.

    `advance_tournament` queues the other match. Raises Conflict as `check_replay`.
    """
    row = find_pairing_match(match)
    tournament = lock_tournament(row.pairing.round.tournament)
    check_replay(find_pairing_match(match))
    PairingMatch.objects.filter(pk=row.pk).update(counts=False)
    return tournament


def find_pairing_match(match: Match) -> PairingMatch:
    """Return the row of a match in its tournament, with pairing, round and tournament."""
    return PairingMatch.objects.select_related("pairing__round__tournament").get(match=match)


def find_replacement(row: PairingMatch) -> int | None:
    """Return the match that counts in the place of another one; None where there is none yet."""
    counting = PairingMatch.objects.filter(pairing=row.pairing_id, number=row.number, counts=True)
    return counting.values_list("match", flat=True).first()


def check_replay(row: PairingMatch) -> None:
    """Raise Conflict where the pairing of a match is decided, or where the match doesn't count."""
    tournament, round = row.pairing.round.tournament, row.pairing.round
    if tournament.state not in (State.RUNNING, State.PAUSED):
        raise Conflict(message(gettext_noop("%(tournament)s isn't running."), tournament=tournament.title))
    if row.pairing.is_over or not row.counts or not round.is_latest_attempt:
        problem = gettext_noop(
            "You can't remove just this match from %(tournament)s: its pairing is decided, or the match "
            "doesn't count. The organiser can replay round %(round)s."
        )
        raise Conflict(message(problem, tournament=tournament.title, round=round.number))

"""Check how states follow one another: decisions, forfeits, copies and the same play again."""

from random import Random

from engine.contract.errors import require, require_same
from engine.contract.invariants import check_outcome, check_refusal, check_state
from engine.contract.plays import Subject, choose_any, play_out, portray, run
from engine.core import PERSON_ENDINGS, PUBLIC_ONLOOKER, Json, Seat, State, forfeit_event

STOPS = (0, 1, 2, 5, 13, 34)
"""Decisions after which a seat forfeits."""
PLIES_PER_REVIEW = 10
"""After so many decisions all events so far are asked for again."""


def check_decisions(subject: Subject) -> None:
    """Check every state of random plays, what each decision adds to the log, and the length of the play."""
    for seed in range(subject.plays):
        rng, state = Random(seed), subject.begin(seed)
        limit = subject.game.max_plies(subject.options, state.seats)
        told = {reader: state.events(reader) for reader in list_readers(state)}
        time = 0
        while True:
            check_state(subject.game, state)
            time = check_time(subject, state, time)
            if state.to_act is None:
                break
            check_decision(state, rng, told)
            require(state.ply <= limit, f"a play takes more than max_plies(), {limit} decisions")
        check_outcome(state.outcome, state.seats)


def list_readers(state: State) -> tuple[Seat | None, ...]:
    """Return all for whom events can be asked."""
    return (None, PUBLIC_ONLOOKER, *range(state.seats))


def check_time(subject: Subject, state: State, before: int) -> int:
    """Check that the count of turns or rounds goes on by one at most, from 0; return it."""
    counts = subject.game.counts
    if counts is None:
        return 0
    now: int = state.view(0)[counts]
    require(now - before in (0, 1), f"view(): {counts!r} goes from {before} to {now}; count one by one, from 0")
    require(state.to_act is not None or now > 0, f"view(): {counts!r} is still 0 at the end")
    return now


def check_decision(state: State, rng: Random, told: dict[Seat | None, list[Json]]) -> None:
    """Play any move, and check what that adds to the log and to the events `told` so far, by reader."""
    seat, ply, length = state.to_act, state.ply, state.log_length
    move = choose_any(state, rng)
    text = state.text(move)
    state.play(move)
    require_same(state.ply, ply + 1, "ply: add one for each decision")
    for reader, events in told.items():
        added = state.events(reader, length)
        events += added
        if reader is None or reader == seat:
            named = [(event.get("seat"), event.get("action")) for event in added[:1]]
            require_same(named, [(seat, text)], f"events({reader}): the first after a decision is the action itself")
        if state.ply % PLIES_PER_REVIEW == 0 or state.to_act is None:
            require_same(state.events(reader), events, f"events({reader}): what was told is told differently later")


def check_copies(subject: Subject) -> None:
    """Check that a copy and its original go their own ways."""
    for seed in range(subject.plays):
        rng = Random(seed)
        state = subject.play(seed, rng.randint(0, 40))
        before = portray(state)
        twin = state.copy()
        require_same(portray(twin), before, "copy() differs from the original")
        play_out(twin, rng)
        require_same(portray(state), before, "copy() shares something: playing the copy changed the original")
        after = portray(twin)
        play_out(state, rng)
        require_same(portray(twin), after, "copy() shares something: playing the original changed the copy")


def check_playing_again(subject: Subject) -> None:
    """Check that the same deal and the same actions give the same play, from an object of its own."""
    for seed in range(subject.plays):
        rng, state, actions = Random(seed), subject.begin(seed), []
        while state.to_act is not None:
            actions.append(state.text(choose_any(state, rng)))
            state.play(state.parse(actions[-1]))
        again = subject.begin(seed)
        for action in actions:
            again.play(again.parse(action))
        require_same(
            portray(again), portray(state), "the same deal and actions give another play: chance is for deal()"
        )


def check_words(subject: Subject) -> None:
    """Check that every action of the plays is legal and listed, or refused, at any other time."""
    for seed in range(max(len(subject.game.seats), subject.plays // 4)):
        texts = {state.text(move) for state in run(subject.begin(seed), Random(seed)) for move in state.moves()}
        known = sorted(texts)
        words = ["", " ", "?", "no such action", *subject.texts, *known[:: 1 + len(known) // 40]]
        for state in run(subject.begin(seed), Random(seed)):
            before = portray(state)
            for text in words:
                check_refusal(state, text)
            require_same(portray(state), before, "parse() changes the state")


def check_forfeits(subject: Subject) -> None:
    """Check that a seat can go out at any time, whether it is to act or not, by a verdict or as a person."""
    for number, verdict in enumerate(("timeout", *PERSON_ENDINGS)):
        for seed in range(len(subject.game.seats)):
            for plies in STOPS:
                state = subject.play(seed, plies)
                if state.to_act is not None:
                    check_forfeit(subject, state, (state.to_act + number) % state.seats, verdict)


def check_forfeit(subject: Subject, state: State, seat: int, verdict: str) -> None:
    """Put a seat out, and check the rest of the play."""
    ply, length = state.ply, state.log_length
    if state.is_out(seat):
        return
    state.forfeit(seat, verdict)
    require_same(state.ply, ply + 1, "forfeit(): add one to ply")
    for reader in list_readers(state):
        told = state.events(reader, length)[:1]
        require_same(told, [forfeit_event(seat, verdict)], "forfeit(): everybody's first event is forfeit_event()")
    if state.seats == 2:
        require(state.to_act is None, "forfeit(): with two seats the play is over")
        require_same(
            state.outcome and state.outcome.reason, verdict, "forfeit(): of two seats, the reason is the verdict"
        )
    else:
        require(state.is_out(seat), "forfeit(): with three seats or more is_out() is true then")
        over = state.outcome is not None and state.outcome.reason == verdict
        require(not over, "forfeit(): with three seats or more the others play on, and the end has a reason of its own")
    check_state(subject.game, state)
    for after in run(state, Random(ply)):
        require(after.to_act != seat, "forfeit(): a seat that is out is asked again")
    check_state(subject.game, state)
    check_outcome(state.outcome, state.seats)
    assert state.outcome is not None
    still_in = [other for other in range(state.seats) if other != seat and not state.is_out(other)]
    places = state.outcome.places
    require(
        all(places[other] < places[seat] for other in still_in),
        "forfeit(): who forfeits is behind all who are still in: give it a lower score",
    )

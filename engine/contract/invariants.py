"""Check one state, and the outcome of a play, against what the contract promises."""

import json

from engine.contract.errors import ContractError, require, require_same
from engine.core import PUBLIC_ONLOOKER, Game, IllegalAction, MalformedAction, Outcome, State

MAX_REFUSAL_LENGTH = 500


def check_state(game: Game, state: State) -> None:
    """Check the views and the legal moves of a state, and at the end its events."""
    check_views(game, state)
    if state.to_act is None:
        check_events(state)
        check_end(state)
    else:
        check_moves(state)


def check_views(game: Game, state: State) -> None:
    """Check that every seat's view is JSON, is the same when it is asked for again, and has the keys it must have."""
    times = set()
    for seat in range(state.seats):
        view = state.view(seat)
        require_same(json.loads(json.dumps(view)), view, "view() is not plain JSON: lists and text, no tuples or sets")
        require_same(state.view(seat), view, "view() differs when it is asked for again")
        require(isinstance(view.get("decision"), str), "view(): 'decision' is missing, a word for what is decided")
        require("to_move" in view, "view(): 'to_move' is missing, the seat to act")
        require_same(view["to_move"], state.to_act, "view(): 'to_move' is not the seat to act")
        found = [key for key in ("turn", "round") if key in view]
        require_same(found, [game.counts] if game.counts else [], "view(): count what Game.counts says, for every seat")
        times.add(view[game.counts] if game.counts else None)
    require(len(times) == 1, f"view(): every seat sees the same {game.counts}")


def check_events(state: State) -> None:
    """Check that all events so far are JSON objects with the keys they must have."""
    for seat in (None, PUBLIC_ONLOOKER, *range(state.seats)):
        whole = state.events(seat)
        require_same(json.loads(json.dumps(whole)), whole, "events() are not plain JSON")
        shaped = all("event" in event or {"seat", "action"} <= event.keys() for event in whole)
        require(shaped, "events(): each has 'event', or 'seat' and 'action'")
        require_same(state.events(seat, state.log_length), [], "events(): there are some after the log's end")


def check_moves(state: State) -> None:
    """Check that every legal move is listed once, and is read from its own text."""
    moves = list(state.moves())
    texts = [state.text(move) for move in moves]
    require(bool(moves), "moves() is empty although a seat is to act")
    require(len(set(moves)) == len(moves), "moves() lists a move twice")
    require(len(set(texts)) == len(texts), "text() is the same for two moves")
    require_same([state.parse(text) for text in texts], moves, "parse() of a move's text is not the move")
    require(all(text == " ".join(text.split()) for text in texts), "text(): separate words by single spaces")
    require_same(list(state.actions()), texts, "actions() are not the texts of moves()")
    alone = len(moves) == 1 and state.open_grammar is None
    require_same(state.forced(), moves[0] if alone else None, "forced() is the only legal move, or None")


def check_end(state: State) -> None:
    """Check a state whose play is over."""
    require(list(state.moves()) == [] and state.forced() is None, "moves() lists moves after the end")
    require(state.outcome is not None, "to_act is None and there is no outcome: set both at the end")
    try:
        state.parse("pass")
    except (IllegalAction, MalformedAction):
        return
    raise ContractError("parse() takes an action after the end: raise IllegalAction")


def check_outcome(outcome: Outcome | None, seats: int) -> None:
    """Check that scores and places are for every seat and agree."""
    require(outcome is not None, "the play is over without an outcome")
    assert outcome is not None
    require(bool(outcome.reason), "outcome: say a reason, a word of the game's own")
    require_same((len(outcome.places), len(outcome.scores)), (seats, seats), "outcome: one place and score a seat")
    places = Outcome.from_scores(outcome.scores, outcome.reason).places
    require_same(outcome.places, places, "outcome: places don't agree with the scores, use Outcome.from_scores")


def check_refusal(state: State, text: str) -> None:
    """Check that `text` is a listed legal move, or is refused in words, and reading it changes nothing."""
    try:
        move = state.parse(text)
    except (IllegalAction, MalformedAction) as refusal:
        require(0 < len(str(refusal)) < MAX_REFUSAL_LENGTH, f"parse(): refuse {text[:40]!r} in a short sentence")
    else:
        require_same(state.text(move), text, "parse() takes a text that isn't how the move is written")
        if state.open_grammar is None:
            require(move in state.moves(), f"moves() is not complete: {text!r} is legal and not in it")

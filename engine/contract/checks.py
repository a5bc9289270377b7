"""Check any game against the contract in `engine.core`: its description, its states, and what it keeps secret."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

from engine.contract.errors import ContractError, describe_difference, require, require_same
from engine.contract.plays import Subject, choose_any, list_changes, play_out, portray, run
from engine.core import (
    PERSON_ENDINGS,
    PUBLIC_ONLOOKER,
    BadDeal,
    Game,
    IllegalAction,
    Json,
    MalformedAction,
    Outcome,
    Seat,
    State,
    forfeit_event,
)
from engine.options import BadOptions

# Check what a game says of itself: key, editions, options, seats and deals.


def check_description(subject: Subject) -> None:
    """Check the attributes of the game and what it does with options."""
    game, edition = subject.game, subject.edition
    require(game.key.isidentifier() and game.key.islower(), "key: use lower-case letters, it is part of addresses")
    require(bool(game.title) and game.rules_version >= 1, "title and rules_version: say both, versions from 1 on")
    require(game.counts in (None, "turn", "round"), "counts: it is 'turn', 'round' or None")
    require(len(game.seats) > 0 and game.seats[0] >= 2, "seats: a game has two seats or more")
    options = subject.options
    require_same(json.loads(json.dumps(options)), options, "options() are not plain JSON")
    require_same(game.options(edition, **options), options, "options(): all options given at once are not the same")
    require_same([option.key for option in game.rule_options], list(options), "rule_options describe other options")
    list_changes(game, edition)
    require_same(game.options(edition), options, "options() remembers changes from an earlier call")
    try:
        game.options(edition, no_such_option=1)
    except BadOptions:
        pass
    else:
        raise ContractError("options() takes an option that isn't there: use engine.options.build_options")
    try:
        game.options("no-such-edition")
    except BadOptions:
        return
    raise ContractError("options() takes an edition that isn't there: use engine.options.build_options")


DEALS_TRIED = 20
"""Number of seeds of which at least two should give different deals."""


def check_deals(subject: Subject) -> None:
    """Check that deals are JSON made of the given chance alone, and that wrong ones are refused."""
    game, options = subject.game, subject.options
    for seats in game.seats:
        deals = [game.deal(options, seats, Random(seed)) for seed in (1, *range(1, DEALS_TRIED))]
        require_same(deals[0], deals[1], "deal() differs for the same seed: use the given rng alone")
        differs = deals[0] == {} or any(deal != deals[0] for deal in deals[2:])
        require(differs, "deal() is the same for every seed: use the given rng, or deal {} where there is no chance")
        require_same(json.loads(json.dumps(deals[0])), deals[0], "deal() is not plain JSON")
        if deals[0]:
            refuse_deal(subject, seats, {}, "an empty deal")
        for place in list_lists(deals[0]):
            longer, shorter = deepcopy(deals[0]), deepcopy(deals[0])
            find_part(longer, place).append(find_part(longer, place)[0])
            find_part(shorter, place).pop()
            name = ".".join(map(str, place))
            refuse_deal(subject, seats, longer, f"a deal with an element of {name} twice")
            refuse_deal(subject, seats, shorter, f"a deal without one of {name}")
        refuse_deal(subject, seats, deals[0] | {"no-such-part": 1}, "a deal with a part that isn't there")
    for seats in (0, 1, game.seats[-1] + 1):
        refuse_deal(subject, seats, game.deal(options, game.seats[0], Random(1)), f"{seats} seats")


def list_lists(part: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the keys and indexes that lead to each list of a deal that isn't empty."""
    if isinstance(part, list) and part:
        yield place
    for key, below in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield from list_lists(below, (*place, key))


def find_part(deal: Json, place: tuple[Any, ...]) -> list[Any]:
    """Return the list at this place of a deal."""
    part: Any = deal
    for key in place:
        part = part[key]
    assert isinstance(part, list)
    return part


def refuse_deal(subject: Subject, seats: int, deal: dict[str, object], what: str) -> None:
    """Raise ContractError unless the game refuses to start so."""
    try:
        subject.game.start(subject.options, seats, deal)
    except BadDeal:
        return
    raise ContractError(f"start() takes {what}: raise BadDeal")


# Check that no seat is told what it can't know, and that `redeal` deals all of that anew.

MAX_REFUSALS_COMPARED = 40
MAX_REDEALS_TRIED = 10
"""One of so many redeals should differ from the state."""
MIN_SHARE_OF_SECRETS_REDEALT = 0.25
"""Least share of secret actions after which a redeal differs: where few cards are left, these tell what was hidden.

A redeal that leaves out a part of what is hidden is often found by `check_whole_secret`."""
LEAST_HIDDEN_TO_JUDGE = 12
"""After so many secret actions of one seat, one of them should have been redealt for each other seat."""
OPENINGS_PER_SEAT_COUNT = 40
"""Plays for each number of seats whose first states are searched for two that look the same to a seat."""
MAX_OPENING_PLIES_TRIED = 4
MAX_PLIES_FORETOLD = 30


def check_redeal(state: State, seat: int, rng: Random) -> State:
    """Return a redealt state after checking that the seat can't distinguish it, and that the original is unchanged."""
    before = portray(state)
    again, twin = (state.redeal(seat, Random(rng_seed)) for rng_seed in [rng.random()] * 2)
    require_same(portray(state), before, "redeal() changes the state: deal anew in a copy")
    require_same(foretell(again), foretell(twin), "redeal() differs for the same seed: use the given rng alone")
    shown, redealt = state.view(seat), twin.view(seat)
    require(redealt == shown, f"view() tells seat {seat} what it can't know: {describe_difference(redealt, shown)}")
    for reader in (seat, PUBLIC_ONLOOKER):
        text = f"events({reader}) tell what seat {seat} can't know, or redeal() changes what it knows"
        require_same(twin.events(reader), state.events(reader), text)
    require_same((twin.to_act, twin.ply), (state.to_act, state.ply), "redeal() changes to_act or ply")
    require_same(twin.log_length, state.log_length, "redeal() changes the length of the log")
    if state.to_act == seat:
        require_same(list(twin.actions()), list(state.actions()), "redeal() changes the seat's own legal moves")
        require_same(twin.open_grammar, state.open_grammar, "redeal() changes what the seat may say")
    return twin


def check_redeals(subject: Subject) -> None:
    """Check that every seat's redeal looks the same to it, at any time, and is played to an end.

    Where others play on without a seat, also soon after it has gone out.
    """
    for seed in range(2 * subject.plays):
        rng = Random(seed)
        check_twins(subject, subject.play(seed, rng.randint(0, 100)), rng)
    choices = len(subject.game.seats)
    for seed in range(choices - 1, choices * subject.plays, choices):  # with the most seats
        rng = Random(seed)
        state = subject.play(seed, rng.randint(1, 2 * subject.game.seats[-1]))
        if state.seats > 2 and state.to_act is not None:
            state.forfeit(int(rng.random() * state.seats), "timeout")
            check_twins(subject, state, rng)


def check_twins(subject: Subject, state: State, rng: Random) -> None:
    """Check the redeal of a state for each seat."""
    limit = subject.game.max_plies(subject.options, state.seats)
    for seat in range(state.seats):
        twin = check_redeal(state, seat, rng)
        kept = [text for text in twin.actions() if not is_legal(twin, text)]
        require_same(kept, [], "redeal() keeps moves that are not legal any more: list them anew")
        if state.to_act == seat:
            check_refusals(state, twin, subject.begin(0).actions())
        require(play_out(twin, rng).ply <= limit, "a redealt play has no end")
        check_agreement(twin)


def check_refusals(state: State, twin: State, texts: Iterable[str]) -> None:
    """Check that the refusal of an action tells nothing of what the seat to act can't know."""
    for text in list(texts)[:MAX_REFUSALS_COMPARED]:
        found, expected = read_refusal(twin, text), read_refusal(state, text)
        require_same(found, expected, f"the refusal of {text!r} tells what the seat can't know")


def read_refusal(state: State, text: str) -> str:
    """Return why an action is refused, or an empty text where it is legal."""
    try:
        state.parse(text)
    except (IllegalAction, MalformedAction) as refusal:
        return str(refusal)
    return ""


def check_agreement(state: State) -> None:
    """Check that nobody is told an action that wasn't played, as after a redeal that changed it in one place only."""
    played = count_actions(state.events(None))
    for reader in (PUBLIC_ONLOOKER, *range(state.seats)):
        for action, times in count_actions(state.events(reader)).items():
            text = (
                f"events({reader}) tell {action!r}, and events(None) another action: redeal() changed it in one place"
            )
            require("?" in action[1] or times <= played[action], text)


def count_actions(events: Iterable[Json]) -> Counter[tuple[Seat, str]]:
    """Return how often each seat took each action."""
    return Counter((event["seat"], event["action"]) for event in events if "action" in event)


def is_legal(state: State, text: str) -> bool:
    """Return whether this is the text of a legal action."""
    try:
        state.parse(text)
    except (IllegalAction, MalformedAction):
        return False
    return True


def check_secret_actions(subject: Subject) -> None:
    """Check that all secret actions are declared, and that a redeal changes what they hide."""
    declared = subject.game.secret_actions
    seeds = range(max(6, subject.plays // 3))
    _, hidden_by_pair, changed_by_pair = count_secret_actions(subject, seeds)
    hidden, changed = add_up(hidden_by_pair), add_up(changed_by_pair)
    missing = ", ".join(map(repr, sorted(hidden.keys() - declared)))
    require(
        not missing,
        f"after {missing} another seat knows less than the one that acted: put {missing} into Game.secret_actions. "
        "What follows an action counts, too, as the deal of new cards",
    )
    for word, times in hidden.items():
        require(
            changed[word] >= times * MIN_SHARE_OF_SECRETS_REDEALT,
            f"after {word!r} another seat knows less than the one that acted, and yet redeal() gave the same state in "
            f"{times - changed[word]} of {times} cases: deal anew what {word!r} hides",
        )
    for (word, seats, actor, seat), times in hidden_by_pair.items():
        require(
            times < LEAST_HIDDEN_TO_JUDGE or changed_by_pair[word, seats, actor, seat] > 0,
            f"redeal() for seat {seat} of {seats} never changes what {word!r} of seat {actor} hides",
        )


def check_declared_secrets(subject: Subject) -> None:
    """Check that what is declared as secret is ever hidden from somebody, in some edition."""
    seeds = range(max(6, subject.plays // 3))
    played, hidden, _ = count_secret_actions(subject, seeds)
    for word in sorted(subject.game.secret_actions & played - {word for word, *_ in hidden}):
        editions = (replace(subject, edition=edition) for edition in subject.game.editions)
        require(
            any(is_ever_hidden(edition, word, seeds) for edition in editions),
            f"{word!r} is in Game.secret_actions, and yet all seats are told the whole of it: hide it from the others",
        )


Secret = tuple[str, int, int, int]
"""The first word of an action, the number of seats, who acted, and from whom something was hidden."""


def count_secret_actions(subject: Subject, seeds: Iterable[int]) -> tuple[set[str], Counter[Secret], Counter[Secret]]:
    """Return the first words of all actions in random plays, what they hid how often, and how often it was redealt."""
    played, hidden, changed = set[str](), Counter[Secret](), Counter[Secret]()
    for word, actor, length, state in follow_actions(subject, seeds):
        played.add(word)
        for seat in list_seats_kept_out(state, actor, length):
            secret = word, state.seats, actor, seat
            hidden[secret] += 1
            changed[secret] += is_redealt(state, seat, actor)
    return played, hidden, changed


def add_up(secrets: Counter[Secret]) -> Counter[str]:
    """Return the counts by the first word alone."""
    total = Counter[str]()
    for (word, *_), times in secrets.items():
        total[word] += times
    return total


def is_ever_hidden(subject: Subject, word: str, seeds: Iterable[int]) -> bool:
    """Return whether an action with this first word hides something from some seat in random plays."""
    followed = (step for step in follow_actions(subject, seeds) if step[0] == word)
    return any(list_seats_kept_out(state, actor, length) for _, actor, length, state in followed)


def follow_actions(subject: Subject, seeds: Iterable[int]) -> Iterator[tuple[str, int, int, State]]:
    """Yield of each action of random plays its first word, who acted, the log position before, and the state after."""
    for seed in seeds:
        rng, state = Random(seed), subject.begin(seed)
        while (actor := state.to_act) is not None:
            move, length = choose_any(state, rng), state.log_length
            word = state.text(move).split()[0]
            state.play(move)
            yield word, actor, length, state


def list_seats_kept_out(state: State, actor: int, length: int) -> list[int]:
    """Return the seats that know less than the actor of what has happened since this log position."""
    if state.outcome is not None or state.is_out(actor):
        return []
    told = state.events(actor, length)
    others = {seat: state.events(seat) for seat in range(state.seats) if seat != actor}
    return [seat for seat, known in others.items() if not all(event in known for event in told)]


def is_redealt(state: State, seat: int, actor: int) -> bool:
    """Return whether some redeal for `seat` gives the actor another state."""
    known = state.view(actor), state.events(actor)
    twins = (state.redeal(seat, Random(again)) for again in range(MAX_REDEALS_TRIED))
    return any((twin.view(actor), twin.events(actor)) != known for twin in twins)


def check_revealing_events(subject: Subject) -> None:
    """Check that what is not declared as revealing tells the seat that acts nothing it did not know."""
    if subject.game.revealing_events is None:
        return
    for seed in range(subject.plays):
        rng, state = Random(seed), subject.begin(seed)
        while (actor := state.to_act) is not None:
            action = state.text(choose_any(state, rng))
            twin, length = state.redeal(actor, rng), state.log_length
            state.play(state.parse(action))
            told = state.events(actor, length)
            if state.to_act != actor or subject.game.is_revealing(told):
                continue
            twin.play(twin.parse(action))
            word = repr(action.split()[0])
            require_same(
                (twin.to_act, twin.events(actor, length), twin.view(actor)),
                (actor, told, state.view(actor)),
                f"{word} tells the seat that acts what it did not know: put {word}, or an event with it, into "
                "Game.revealing_events",
            )


def check_whole_secret(subject: Subject) -> None:
    """Check that `redeal` changes a state wherever another one was found that looks the same to the seat."""
    alike: dict[tuple[int, int, str], dict[str, State]] = defaultdict(dict)
    for seed in range(OPENINGS_PER_SEAT_COUNT * len(subject.game.seats)):
        state = subject.begin(seed)
        for ply in range(MAX_OPENING_PLIES_TRIED):
            future = foretell(state)
            for seat in range(state.seats):
                key = state.seats, seat, repr((ply, state.view(seat), state.events(seat)))
                alike[key].setdefault(future, state.copy())
            if state.to_act is not None:
                state.play(choose_any(state, Random(ply)))
    for (_, seat, _), states in alike.items():
        if len(states) > 1:
            known, state = next(iter(states.items()))
            twins = (foretell(state.redeal(seat, Random(again))) for again in range(MAX_REDEALS_TRIED))
            require(
                any(twin != known for twin in twins),
                f"redeal() gives seat {seat} always the same state, though others look the same to it after "
                f"{state.ply} decisions: deal anew all it can't know, and what is still to come",
            )


def foretell(state: State) -> str:
    """Return all that is hidden in a state, as far as it shows in what all know now and in one way of playing on."""
    rng, later = Random(1), state.copy()
    for _ in range(MAX_PLIES_FORETOLD):
        if later.to_act is not None:
            later.play(choose_any(later, rng))
    return portray(state) + portray(later)


def check_explanations(subject: Subject) -> None:
    """Check that explanations are JSON, and use nothing that is still hidden from those who are shown them."""
    for seed in range(subject.plays):
        rng, state = Random(seed), subject.begin(seed)
        while (actor := state.to_act) is not None:
            for text in (*state.actions(), *subject.texts):
                explain(state, text)
            seat = int(rng.random() * state.seats)
            move = choose_any(state, rng)
            check_explanation(state, actor, state.text(move), seat, rng)
            state.play(move)


def check_explanation(state: State, actor: int, action: str, seat: int, rng: Random) -> None:
    """Check that what explains an action to a seat is the same in a redeal in which it sees the same happen."""
    twin = state.redeal(seat, rng)
    if state.explain(action) is None or not is_legal(twin, action):
        return
    length = state.log_length
    after, twin_after = state.copy(), twin.copy()
    after.play(after.parse(action))
    twin_after.play(twin_after.parse(action))
    told = after.events(seat, length)
    told_whole = bool(told) and (told[0].get("seat"), told[0].get("action")) == (actor, action)
    if told_whole and told == twin_after.events(seat, length) and after.view(seat) == twin_after.view(seat):
        text = f"explain({action!r}) uses what seat {seat} can't know even after the action"
        require_same(twin.explain(action), state.explain(action), text)


def explain(state: State, text: str) -> Json | None:
    """Return the explanation of a text, or None; the text may be malformed where the game says so."""
    try:
        said = state.explain(text)
    except (IllegalAction, MalformedAction):
        return None
    require(said is None or isinstance(said, dict), "explain() gives no JSON object")
    return said


# Check one state, and the outcome of a play, against what the contract promises.

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
    require(outcome is not None, "the leg is finished without an outcome")
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


# Check how states follow one another: decisions, forfeits, copies and the same play again.

STOPS = (0, 1, 2, 5, 13, 34)
"""Decisions after which a seat forfeits."""
SPELLINGS_PER_STATE = 4
"""Number of legal actions in each state of which other spellings are tried."""
PLIES_PER_REVIEW = 10
"""After so many decisions all events so far are asked for again."""


def check_decisions(subject: Subject) -> None:
    """Check every state of random plays, what each decision adds to the log, and the length of the play."""
    for seed in range(subject.plays):
        rng, state = Random(seed), subject.begin(seed)
        limit = subject.game.max_plies(subject.options, state.seats)
        told = {reader: deepcopy(state.events(reader)) for reader in list_readers(state)}
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
    seen = state.view(0)
    as_seen = deepcopy(seen)
    move = choose_any(state, rng)
    text = state.text(move)
    state.play(move)
    require_same(state.ply, ply + 1, "ply: add one for each decision")
    require_same(seen, as_seen, "view() returns something that changes as the play goes on: build it from nothing")
    for reader, events in told.items():
        added = deepcopy(state.events(reader, length))
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
        state = subject.play(seed, seed % 8)
        before = portray(state)
        if state.to_act is not None:
            state.copy().forfeit(seed % state.seats, "timeout")
        require_same(portray(state), before, "copy() shares something: a forfeit in the copy changed the original")


def check_playing_again(subject: Subject) -> None:
    """Check that the same deal and the same actions give the same play, from an object of its own."""
    game, options = subject.game, subject.options
    for seed in range(subject.plays):
        seats = game.seats[seed % len(game.seats)]
        deal = game.deal(options, seats, Random(seed))
        as_dealt = deepcopy((options, deal))
        rng, state, actions = Random(seed), game.start(options, seats, deal), []
        while state.to_act is not None:
            actions.append(state.text(choose_any(state, rng)))
            state.play(state.parse(actions[-1]))
        require_same((options, deal), as_dealt, "a play changes the options or the deal it was started with")
        again = game.start(options, seats, deal)
        for action in actions:
            again.play(again.parse(action))
        require_same(
            portray(again), portray(state), "the same deal and actions give another play: chance is for deal()"
        )


def misspell(text: str) -> list[str]:
    """Return other spellings of an action, which are all malformed."""
    spaced = [f" {text}", f"{text} ", f"{text}\n", text.replace(" ", "  "), text.replace(" ", "\t")]
    numbers = [re.sub(r"\d+", form, text) for form in (r"0\g<0>", r"+\g<0>", r"\g<0>.0", r"\g<0>_0")]
    wide = text.translate({ord("0") + digit: ord("０") + digit for digit in range(10)})
    return [*spaced, *numbers, wide, text.upper(), text.lower(), text.title(), f"{text} {text}", f"{text};"]


def check_words(subject: Subject) -> None:
    """Check that every action of the plays is legal and listed, or refused, at any other time or spelt otherwise."""
    for seed in range(max(len(subject.game.seats), subject.plays // 4)):
        texts = {state.text(move) for state in run(subject.begin(seed), Random(seed)) for move in state.moves()}
        known = sorted(texts)
        words = ["", " ", "?", "no such action", *subject.texts, *known[:: 1 + len(known) // 40]]
        for state in run(subject.begin(seed), Random(seed)):
            before = portray(state)
            listed = list(state.actions())[:: 1 + len(state.moves()) // SPELLINGS_PER_STATE]
            for text in (*words, *(other for one in listed for other in misspell(one) if other != one)):
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
        require(state.to_act is None, "forfeit(): with two seats the leg is finished")
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
    limit = subject.game.max_plies(subject.options, state.seats)
    require(state.ply <= limit, f"a play with a forfeit takes more than max_plies(), {limit} decisions")
    assert state.outcome is not None
    still_in = [other for other in range(state.seats) if other != seat and not state.is_out(other)]
    places = state.outcome.places
    require(
        all(places[other] < places[seat] for other in still_in),
        "forfeit(): who forfeits is behind all who are still in: give it a lower score",
    )


# Check the plays of an edition whose options are changed, one at a time.


def check_changed_options(subject: Subject) -> None:
    """Check some plays with each other value of each option."""
    for change in list_changes(subject.game, subject.edition):
        arrived = change.items() <= subject.game.options(subject.edition, **change).items()
        require(arrived, f"options() takes {json.dumps(change)} and leaves the edition's value: use build_options")
        changed = replace(subject, plays=max(1, subject.plays // 10), changes=change)
        try:
            for check in (check_deals, check_decisions, check_redeals, check_forfeits, check_secret_actions):
                check(changed)
        except ContractError as error:
            ((key, value),) = change.items()
            raise ContractError(f"with {key} = {json.dumps(value)}: {error}") from error


# The checks of the contract, in the order in which their errors help most.

Check = Callable[[Subject], None]

CHECKS: Mapping[str, Check] = {
    "description": check_description,
    "deals": check_deals,
    "decisions": check_decisions,
    "copies": check_copies,
    "playing again": check_playing_again,
    "words": check_words,
    "forfeits": check_forfeits,
    "redeals": check_redeals,
    "secret actions": check_secret_actions,
    "declared secrets": check_declared_secrets,
    "revealing events": check_revealing_events,
    "all that is secret": check_whole_secret,
    "explanations": check_explanations,
    "changed options": check_changed_options,
}
"""By name: raises ContractError where the subject breaks a part of the contract."""

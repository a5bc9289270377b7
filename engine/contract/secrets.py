"""Check that no seat is told what it can't know, and that `redeal` deals all of that anew."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from engine.contract.errors import describe_difference, require, require_same
from engine.contract.plays import Subject, choose_any, play_out, portray
from engine.core import PUBLIC_ONLOOKER, IllegalAction, Json, MalformedAction, State

MAX_REDEALS_TRIED = 10
"""One of so many redeals should differ from the state."""
MIN_SHARE_OF_SECRETS_REDEALT = 0.25
"""Least share of secret actions after which a redeal differs: where few cards are left, these tell what was hidden.

A redeal that leaves out a part of what is hidden is found by `check_whole_secret`."""
OPENINGS_PER_SEAT_COUNT = 40
"""Plays for each number of seats whose first states are searched for two that look the same to a seat."""
MAX_OPENING_PLIES = 4
MAX_PLIES_FORETOLD = 30


def check_redeal(state: State, seat: int, rng: Random) -> State:
    """Return a redealt state after checking that the seat can't distinguish it, and that the original is unchanged."""
    before = portray(state)
    twin = state.redeal(seat, rng)
    require_same(portray(state), before, "redeal() changes the state: deal anew in a copy")
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
    """Check that every seat's redeal looks the same to it, at any time, and is played to an end."""
    limit = subject.game.max_plies
    for seed in range(2 * subject.plays):
        rng = Random(seed)
        state = subject.play(seed, rng.randint(0, 100))
        for seat in range(state.seats):
            twin = check_redeal(state, seat, rng)
            kept = [text for text in twin.actions() if not is_legal(twin, text)]
            require_same(kept, [], "redeal() keeps moves that are not legal any more: list them anew")
            require(play_out(twin, rng).ply <= limit(subject.options, state.seats), "a redealt play has no end")


def is_legal(state: State, text: str) -> bool:
    """Return whether this is the text of a legal action."""
    try:
        state.parse(text)
    except (IllegalAction, MalformedAction):
        return False
    return True


def check_secret_actions(subject: Subject) -> None:
    """Check that the secret actions are those the game declares, and that a redeal changes what they hide."""
    declared = subject.game.secret_actions
    seeds = range(max(6, subject.plays // 3))
    played, hidden, changed = count_secret_actions(subject, seeds)
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
    for word in sorted(declared & played - hidden.keys()):
        editions = (replace(subject, edition=edition) for edition in subject.game.editions)
        require(
            any(is_ever_hidden(edition, word, seeds) for edition in editions),
            f"{word!r} is in Game.secret_actions, and yet all seats are told the whole of it: hide it from the others",
        )


def count_secret_actions(subject: Subject, seeds: Iterable[int]) -> tuple[set[str], Counter[str], Counter[str]]:
    """Return the first words of actions in random plays: all, how often they hid something, how often it was redealt.

    It counts once for each seat from which something is hidden.
    """
    played, hidden, changed = set[str](), Counter[str](), Counter[str]()
    for word, actor, length, state in follow_actions(subject, seeds):
        played.add(word)
        for seat in list_seats_kept_out(state, actor, length):
            hidden[word] += 1
            changed[word] += is_redealt(state, seat, actor)
    return played, hidden, changed


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
        for ply in range(MAX_OPENING_PLIES):
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

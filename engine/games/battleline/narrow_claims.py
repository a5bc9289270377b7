"""Find the claim of a leg that came nearest to being refuted.

A claim at a flag whose other side is not complete rests on troops that lie face up elsewhere. A *refuter* is such a
troop that would refute the claim by itself if it were still unseen (BL-18). A claim is the narrower the fewer refuters
it has; of as many, the more recently the last of them came to lie face up. Of claims that are equal in both, the one
that ends the leg is narrower, then the first.
"""

from collections import Counter
from collections.abc import Iterable

from engine.core import CloseCall, Json
from engine.games.battleline.cards import add_card, list_cards
from engine.games.battleline.legal import find_refutation
from engine.games.battleline.moves import CLAIM, decode_move, parse_action
from engine.games.battleline.position import Position, full_deck


def find_narrowest_claim(steps: Iterable[tuple[Position, Json]]) -> CloseCall | None:
    """Return the narrowest claim among decisions, each with the table before it; None where no claim has a refuter.

    The margin is the number of refuters, the turns since the last of them was seen, and 0 where the claim ends the leg,
    else 1. The facts are `flag`, `card` (the last refuter), `refuters`, `turns`, `player` (the seat that played it),
    `lies_at` (its flag; null where it is discarded), and `mine`, `theirs` (cards) and `free` (places) of the two sides.
    """
    seen: dict[int, tuple[int, int]] = {}
    unseen, turn, player = Counter[int](), 0, 0
    calls: list[tuple[int, CloseCall]] = []
    number = -1
    for number, (table, entry) in enumerate(steps):
        now_unseen = Counter(list_cards(table.unseen))
        seen.update(dict.fromkeys(unseen - now_unseen, (turn, player)))
        unseen, turn, player = now_unseen, table.turn, entry["seat"]
        flag = read_claimed_flag(table, entry["action"])
        if flag is not None and (call := measure_claim(table, player, flag, seen, number)) is not None:
            calls.append((number, call))
    closest = min(calls, key=lambda one: (*one[1].margin, one[0] != number), default=None)
    if closest is None:
        return None
    at, call = closest
    return CloseCall(call.step, call.seat, (*call.margin, int(at != number)), call.facts)


def read_claimed_flag(table: Position, action: str) -> int | None:
    """Return the flag, from 0, that an action claims; None for other actions."""
    if not action.startswith("claim"):
        return None
    kind, _, flag, _ = decode_move(parse_action(action, table.rules.colours, table.rules.flags))
    return flag if kind == CLAIM else None


def measure_claim(
    table: Position, seat: int, flag: int, seen: dict[int, tuple[int, int]], number: int
) -> CloseCall | None:
    """Return how near a claim came to being refuted; None where it has no refuter.

    `seen` has the turn in which each troop came to lie face up, and the seat that played it.
    """
    refuters = list_refuters(table, seat, flag)
    if not refuters:
        return None
    last = max(refuters, key=lambda card: seen.get(card, (0, 0))[0])
    turn, player = seen.get(last, (0, 0))
    names, turns = table.names.of, table.turn - turn
    facts: Json = {
        "flag": flag + 1,
        "card": names[last],
        "refuters": len(refuters),
        "turns": turns,
        "player": player,
        "lies_at": find_flag_of_troop(table, last, flag),
        "mine": [names[card] for card in table.sides[seat][flag]],
        "theirs": [names[card] for card in table.sides[1 - seat][flag]],
        "free": table.slots[1 - seat][flag] - len(table.sides[1 - seat][flag]),
    }
    return CloseCall(number + 1, seat, (len(refuters), turns), facts)


def list_refuters(table: Position, seat: int, flag: int) -> list[int]:
    """Return the troops that lie face up away from the flag and would each refute the seat's claim if unseen."""
    other = 1 - seat
    if len(table.sides[other][flag]) >= table.slots[other][flag]:
        return []
    rules, trial = table.rules, table.copy()
    elsewhere = Counter(list_cards(full_deck(len(rules.colours), rules.copies, rules.values)))
    for hidden in (list_cards(table.unseen), table.sides[0][flag], table.sides[1][flag]):
        elsewhere.subtract(hidden)
    found = []
    for card in sorted(card for card, count in elsewhere.items() if count > 0):
        trial.unseen = add_card(table.unseen, card)
        if find_refutation(trial, seat, flag) is not None:
            found.append(card)
    return found


def find_flag_of_troop(table: Position, card: int, claimed: int) -> int | None:
    """Return the number of a flag other than the claimed one, from 1, at which a troop lies; None without one."""
    for flag in range(table.rules.flags):
        if flag != claimed and any(card in table.sides[seat][flag] for seat in (0, 1)):
            return flag + 1
    return None

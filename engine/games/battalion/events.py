"""What people and seats are told: events, the reasons for the effect of an attack, and what is counted of a leg."""

from collections.abc import Iterator
from typing import Final

from engine.core import Count, Json, forfeit_event
from engine.games.battalion.formations import (
    CARD_NAMES,
    COMBAT_VALUES_BY_CARD,
    JACK,
    KING,
    QUEEN,
    SKIPPING_QUEEN_VALUE,
    hide_cards,
    list_laid_out,
)
from engine.games.battalion.geometry import GUARD_SPOT, list_bits
from engine.games.battalion.moves import CELL_NAMES, REINFORCE, decode_move, explain_refusal, format_action
from engine.games.battalion.position import ACTED, FELL, FORFEITED, REVEALED, Position
from engine.games.battalion.turn import (
    DIES,
    EMPEROR,
    LOOK,
    STAYS,
    STRIKE,
    WOUNDED,
    Clash,
    is_direct_attack,
    judge_attack_on_table,
)
from engine.simultaneous import knows_choice, tell_choice, tell_revealed_choice

# List the events a seat knows, as public text without what is hidden from it.


def list_events(table: Position, seat: int | None, since: int) -> list[Json]:
    """Return what `seat` (None: a reader who may know all) knows from log position `since` on."""
    known = (build_event(entry, seat) for entry in table.log[since:])
    return [one for one in known if one is not None]


def build_event(entry: tuple[int, int, object, object], seat: int | None) -> Json | None:
    """Return a log entry as this seat knows it, or None where it is hidden."""
    kind, actor, datum, detail = entry
    if kind == ACTED and isinstance(datum, int):
        return build_action_event(actor, datum, detail, knows_choice(seat, actor))
    if kind == FELL:
        return {"event": "out", "seat": actor, "cards": datum}
    assert isinstance(datum, str)
    if kind == FORFEITED:
        return forfeit_event(actor, datum)
    return build_layout_event(kind, actor, datum, seat)


def build_layout_event(kind: int, actor: int, text: str, seat: int | None) -> Json | None:
    """Return a deployment, which all seats choose at the same time (BT-2), or a reforming; cards are hidden."""
    if kind == REVEALED:
        return tell_revealed_choice(seat, actor, hide_cards(text))
    if text.startswith("deploy"):
        return tell_choice(seat, actor, text)
    return {"seat": actor, "action": text if knows_choice(seat, actor) else hide_cards(text)}


def build_action_event(actor: int, move: int, detail: object, knows: bool) -> Json:
    """Return the event of an action; a card from the hand is known to its seat only."""
    kind, _, _, goal = decode_move(move)
    if kind == REINFORCE and not knows:
        return {"seat": actor, "action": f"reinforce ? {CELL_NAMES[goal]}"}
    public: Json = {"seat": actor, "action": format_action(move)}
    if isinstance(detail, Clash):
        return public | describe_clash(detail)
    return public | {"roll": detail} if detail is not None else public


def describe_clash(clash: Clash) -> Json:
    """Return what everybody knows of an attack."""
    public: Json = {"attacker": CARD_NAMES[clash.attacker], "target": CARD_NAMES[clash.target] or None}
    if clash.values is not None:
        public["values"] = list(clash.values)
    return public | {"result": clash.result}


# Explain to people the effect of an attack and its reasons.
#
# `explain_attack` gives, with everything known, `{"attacker": {"seat", "cell", "card"}, "target": {"seat", "cell",
# "card"?}, "path": ["0:2a", "0:1a", "1:1b"] or null, "skipped": cell or null, "values": [{"printed", "modification",
# "value"}, {…}] or null, "result", "wounded": [{"seat", "card"}], "dead": [{"seat", "card"}], "stays": "1:g" or null,
# "out": seat or null, "rulings": ["BT-20", …]}`, or for one that is not legal `{"refused": message, "rulings": […]}`.
# `path` is null for a King's strike, `values` where nothing is compared; `stays` is a guard that keeps its cell, `out`
# the seat whose emperor dies.

Step = tuple[int, int]
"""A seat and a spot."""


def explain_attack(table: Position, seat: int, move: int, legal: bool) -> Json:
    """Return the explanation of an attack by `seat`, in the shape above."""
    if not legal:
        refusal = explain_refusal(table, seat, move)
        assert refusal is not None, "a move that is not legal is refused"
        return {"refused": refusal.reason.to_json(), "rulings": list(refusal.rulings)}
    _, spot, other, goal = decode_move(move)
    clash = judge_attack_on_table(table, seat, spot, other, goal)
    path = find_path(table, (seat, spot), (other, goal)) if clash.attacker != KING else None
    skipped = [step for step in (path or [])[1:-1] if is_occupied(table, step)]
    return {
        "attacker": {"seat": seat, "cell": CELL_NAMES[spot], "card": CARD_NAMES[clash.attacker]},
        "target": {"seat": other, "cell": CELL_NAMES[goal], "card": CARD_NAMES[clash.target] or None},
        "path": None if path is None else [format_step(step) for step in path],
        "skipped": format_step(skipped[0]) if skipped else None,
        "values": explain_values(table, seat, other, clash, bool(skipped)),
        "result": clash.result,
        **explain_fates((seat, spot), (other, goal), clash),
        "rulings": list_deciding_rulings(
            clash, spot == GUARD_SPOT, goal == GUARD_SPOT, bool(skipped), is_modified(table, seat, other)
        ),
    }


def format_step(step: Step) -> str:
    """Return a step in public text, as 1:2b."""
    return f"{step[0]}:{CELL_NAMES[step[1]]}"


def is_occupied(table: Position, step: Step) -> bool:
    """Return whether a card lies there."""
    return bool(table.sides[step[0]].occupied >> step[1] & 1)


def explain_values(table: Position, seat: int, other: int, clash: Clash, skips: bool) -> list[Json] | None:
    """Return how both values come about, or None where nothing is compared."""
    if clash.values is None:
        return None
    printed = (
        SKIPPING_QUEEN_VALUE if skips and clash.attacker == QUEEN else COMBAT_VALUES_BY_CARD[clash.attacker],
        COMBAT_VALUES_BY_CARD[clash.target],
    )
    return [
        {"printed": first, "modification": value - first, "value": value}
        for first, value in zip(printed, clash.values, strict=True)
    ]


def explain_fates(mine: Step, theirs: Step, clash: Clash) -> Json:
    """Return who is wounded, dies, stays in the guard cell and goes out."""
    fates = [(mine, clash.attacker, clash.attacker_fate)]
    if clash.target:
        fates.append((theirs, clash.target, clash.target_fate))
    stays = [format_step(step) for step, _, fate in fates if fate == STAYS and clash.result != LOOK]
    falls = mine[0] if clash.attacker_falls else theirs[0] if clash.target_falls else None
    return {
        "wounded": [{"seat": step[0], "card": CARD_NAMES[card]} for step, card, fate in fates if fate == WOUNDED],
        "dead": [{"seat": step[0], "card": CARD_NAMES[card]} for step, card, fate in fates if fate == DIES],
        "stays": stays[0] if stays else None,
        "out": falls,
    }


def is_modified(table: Position, seat: int, other: int) -> bool:
    """Return whether a modification is in force that changes anything."""
    return bool(table.sides[seat].modification or table.sides[other].modification)


def list_deciding_rulings(clash: Clash, from_guard: bool, at_guard: bool, skips: bool, modified: bool) -> list[str]:
    """Return the rulings that decided, in order."""
    rulings = {
        "BT-17": from_guard,
        "BT-20": clash.result not in (LOOK, STRIKE),
        "BT-21": clash.values is not None,
        "BT-22": clash.attacker == QUEEN and skips,
        "BT-23": (from_guard or at_guard) and clash.result not in (LOOK, EMPEROR),
        "BT-24": clash.result == EMPEROR,
        "BT-25": KING in (clash.attacker, clash.target) and clash.result != LOOK,
        "BT-26": clash.result == LOOK or clash.target == JACK,
        "BT-30": clash.values is not None and modified,
        "BT-40": clash.attacker_falls or clash.target_falls,
    }
    return [ruling for ruling, applies in rulings.items() if applies]


def find_path(table: Position, start: Step, goal: Step) -> list[Step]:
    """Return a shortest path among those with the fewest occupied cells between, at most one (BT-11, BT-22, BT-26)."""
    direct = is_direct_attack(table.sides[start[0]], start[1], table.sides[goal[0]], goal[1])
    allowed = 0 if direct else 1
    before: dict[tuple[Step, int], tuple[Step, int] | None] = {(start, 0): None}
    queue = [(start, 0)]
    for node in queue:
        step, skips = node
        for following in list_connected_steps(table, start, goal, step):
            if following == goal:
                return trace_path(before, node) + [goal]
            if following[1] == GUARD_SPOT:
                continue
            found = (following, skips + is_occupied(table, following))
            if found[1] <= allowed and found not in before:
                before[found] = node
                queue.append(found)
    raise AssertionError("a legal attack has a path")


def list_connected_steps(table: Position, start: Step, goal: Step, step: Step) -> list[Step]:
    """Return the cells connected to one: in its own formation, and from a front cell the other front (BT-4)."""
    seat, spot = step
    graph = table.sides[seat].graph
    found = [(seat, beside) for beside in list_bits(graph.around(1 << spot) if spot != GUARD_SPOT else graph.back)]
    if spot != GUARD_SPOT and graph.front >> spot & 1:
        other = goal[0] if seat == start[0] else start[0]
        found += [(other, beside) for beside in list_bits(table.sides[other].graph.front)]
    return found


def trace_path(before: dict[tuple[Step, int], tuple[Step, int] | None], node: tuple[Step, int] | None) -> list[Step]:
    """Return the path that led to a node."""
    steps: list[Step] = []
    while node is not None:
        steps.append(node[0])
        node = before[node]
    return steps[::-1]


# What is counted of legs of Battalion: attacks by result and card, the sizes of formations, and when seats fall.

ATTACKS: Final = "attacks"
SIZES: Final = "sizes"
FALLS: Final = "falls"
"""The charts: by result and attacking card, by number of cells deployed, and by round."""


def count_event(table: Position, event: Json) -> Iterator[Count]:
    """Yield what an event adds: an attack, a deployment, or a seat that is out."""
    seat = event.get("seat")
    if "attacker" in event:
        yield Count(ATTACKS, event["result"], event["attacker"], seat)
    elif event.get("event") == "out":
        yield Count(FALLS, str(table.round), "", seat)
    elif event.get("action", "").startswith("deploy "):
        for laid in list_laid_out([event]):
            yield Count(SIZES, str(sum(map(len, laid.rows))), "", seat)

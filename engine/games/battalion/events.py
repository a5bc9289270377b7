"""List the events a seat knows, as public text without what is hidden from it."""

from engine.core import Json, forfeit_event
from engine.games.battalion.cards import CARD_NAMES
from engine.games.battalion.combat import Clash
from engine.games.battalion.layout import hide_cards
from engine.games.battalion.moves import CELL_NAMES, REINFORCE, decode_move, format_action
from engine.games.battalion.position import ACTED, FELL, FORFEITED, REVEALED, Position
from engine.simultaneous import knows_choice, tell_choice, tell_revealed_choice


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

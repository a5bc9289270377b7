"""The table at which people play Battalion."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext, pgettext
from arena.pages.games.battalion.board import (
    HIDDEN_CARD,
    BattalionBoard,
    build_board,
    build_card_parts,
    describe_die,
    describe_place,
    find_face,
    format_modification,
    name_seat,
)
from arena.pages.games.battalion.play_field import (
    ArmyPlacement,
    AttackWay,
    FieldCell,
    NumberReason,
    Outlook,
    OwnSide,
    PlayField,
    build_field,
    build_other_cell,
    build_outlook,
    build_own_cell,
    build_own_side,
    draw_way,
    lay_out_seat,
    list_reasons,
    place_armies,
)
from arena.pages.games.battalion.play_layout import LayoutScreen, build_layout_screen
from arena.pages.games.battalion.play_turn import (
    ACT_HELP,
    ATTACK,
    CARD_HELP,
    FIGHT,
    MOVE,
    PICKUP,
    REFORM,
    REINFORCE,
    TURN_ENDINGS,
    Turn,
    ask_before_action,
    ask_before_attack,
    ask_what_to_do,
    find_chosen_card,
    read_turn,
)
from arena.pages.games.cards import Face
from arena.pages.games.presentation import describe_fault
from arena.pages.games.sentence import Sentence
from arena.pages.matches.replay import FORFEIT
from arena.pages.play.parts import Bar, Ending, Option, Stage, describe_waiting
from arena.pages.play.table import PlayTable, starts_with
from engine.core import Json
from engine.games.battalion.moves import refuse_victim
from engine.games.battalion.position import DEPLOY
from engine.games.battalion.turn import LIMIT, QUIET

# The table at which people play Battalion: attacker and defender in full, the others small.


@dataclass(frozen=True, slots=True)
class SmallArmy:
    """A formation drawn small."""

    tracks: int
    ranks: int
    cells: tuple[tuple[str, str], ...]
    """The classes and the text of each."""


@dataclass(frozen=True, slots=True)
class OtherPlayer:
    """What is said of another player, whether shown in full or small."""

    seat: int
    name: str
    suit: str
    standing: str
    die: str
    die_label: str
    hand: range
    """As many as there are cards in the hand."""
    hand_label: str
    dead: Sentence | None
    wounded: Sentence | None
    note: str
    """Why it may not be attacked now, or its place when it is out; may be empty."""
    targets: int
    """How many of its cells the chosen card may attack."""
    url: str
    """Where it is shown in full."""
    mini: SmallArmy | None


# What the table shows once something is chosen, and with another player in full. The page has it at hand, so that
# choosing needs no request.

MAX_AIMS = 24
"""Attacks that the page has at hand; of a longer list the others are asked for, those on the player in full last."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What choosing these words changes on the table, compared with choosing fewer."""

    words: str
    bar: Bar
    back: str
    """Where Cancel leads."""
    places: tuple[FieldCell, ...] = ()
    """Where the chosen card can go."""
    targets: tuple[tuple[int, int], ...] = ()
    """By seat: how many of its cells the chosen card may attack."""
    way: AttackWay | None = None
    heading: str = ""
    """Of what could be in the target; empty without a fight."""
    prospect: tuple[Outlook, tuple[NumberReason, ...]] | None = None
    """What could be there, without its heading: the same for many targets, so it is written once for all of them."""


def list_previews(turn: Turn) -> Iterator[Preview]:
    """Yield the table with each card and each action chosen, then with each attack aimed; none once one is chosen."""
    if turn.chosen or not turn.table.is_own_turn:
        return
    aims: list[Turn] = []
    cells = dict.fromkeys((*turn.attacks, *turn.moves))
    for words in [(ATTACK if cell in turn.attacks else MOVE, cell) for cell in cells]:
        chosen = choose(turn, *words)
        places = [
            *(build_other_cell(chosen, seat, chosen.find_cell(seat, cell), "") for seat, cell in chosen.targets),
            *(build_own_cell(chosen, turn.near, chosen.find_cell(turn.near, cell), "") for cell in chosen.goals),
        ]
        counts = tuple((seat, sum(other == seat for other, _cell in chosen.targets)) for seat in turn.others)
        yield Preview(" ".join(words), build_turn_bar(chosen), "?", tuple(places), counts)
        aims += [choose(chosen, *action.split(" ")) for action in chosen.targets.values()]
    for card, goals in turn.reinforcements.items():
        chosen = choose(turn, REINFORCE, card)
        places = [build_own_cell(chosen, turn.near, chosen.find_cell(turn.near, cell), "") for cell in goals]
        yield Preview(f"{REINFORCE} {card}", build_turn_bar(chosen), "?", tuple(places))
        yield from (preview_action(choose(chosen, *action.split(" "))) for action in goals.values())
    yield from (preview_action(choose(turn, verb)) for verb in (PICKUP, *TURN_ENDINGS) if verb in turn.table.legal)
    aims.sort(key=lambda aimed: aimed.target is None or aimed.target[0] != turn.facing)
    yield from map(preview_attack, aims[:MAX_AIMS])


def choose(turn: Turn, *words: str) -> Turn:
    """Return the turn with the first words of a legal action chosen."""
    legal = tuple(action for action in turn.table.legal if starts_with(action, words))
    return replace(turn, chosen=words, table=replace(turn.table, chosen=words, legal=legal))


def preview_action(turn: Turn) -> Preview:
    """Return the table with an action chosen that needs no look at another's army."""
    back = turn.build_url(*turn.chosen[:-1]) if len(turn.chosen) > 1 else "?"
    return Preview(" ".join(turn.chosen), build_turn_bar(turn), back)


def preview_attack(turn: Turn) -> Preview:
    """Return the table with an attack aimed."""
    forecast = turn.forecast(turn.action)
    aimed = replace(preview_action(turn), way=draw_way(forecast, place_armies(turn, forecast.other)))
    if forecast.kind != FIGHT:
        return aimed
    outlook, reasons = build_outlook(turn, forecast), tuple(list_reasons(turn, forecast))
    return replace(aimed, heading=outlook.heading, prospect=(replace(outlook, heading=""), reasons))


@dataclass(frozen=True, slots=True)
class Facing:
    """The table with another player shown in full."""

    seat: int
    field: PlayField
    facing: OtherPlayer
    others: tuple[OtherPlayer, ...]


def list_facings(turn: Turn) -> Iterator[Facing]:
    """Yield the table with each player in full who is not; none once something is chosen."""
    if turn.chosen or not turn.table.is_own_turn:
        return
    for seat in turn.others:
        if turn.view["seats"][seat]["rows"]:
            faced = replace(turn, facing=seat)
            others = tuple(build_other_player(faced, other) for other in faced.others)
            yield Facing(seat, build_field(faced), build_other_player(faced, seat), others)


@dataclass(frozen=True, slots=True)
class Help:
    """What a card or an action does, in a sentence."""

    about: str
    face: Face | None
    icon: str
    title: str
    text: str
    is_chosen: bool = False


def list_helps(turn: Turn) -> tuple[tuple[str, tuple[Help, ...]], ...]:
    """Return what each card and each action does, under two headings."""
    chosen = find_chosen_card(turn)
    titles = {"A": _("Ace, 11"), "K": _("King"), "Q": _("Queen, 10"), "J": _("Jack")}
    cards = [
        Help(card, find_face(turn.near, card), "", titles[card], str(text), card == chosen)
        for card, text in CARD_HELP.items()
    ]
    cards.append(Help("", None, "", _("2 to 10"), _("Count as printed. Only these can be the guard.")))
    acts = [
        Help(
            "",
            None,
            "next",
            _("Attack"),
            _("The higher card wins and is wounded; the lower one dies. If equal, both die."),
        ),
        Help("", None, "up", _("Reinforce"), _("Bring a card from your hand into an empty cell of the back row.")),
        *(
            Help(verb, None, icon, title, str(ACT_HELP[verb]), verb == turn.verb)
            for verb, icon, title in (
                ("modify", "die", _("Roll")),
                (REFORM, "swap", _("Reform")),
                (PICKUP, "redeploy", _("Recover wounded")),
                ("pass", "dash", _("Pass")),
            )
        ),
    ]
    return (_("Your cards"), tuple(cards)), (_("Your turn: rearrange, then choose one of these"), tuple(acts))


@dataclass(frozen=True, slots=True)
class BattalionPlay:
    """What the templates of the table show."""

    bar: Bar
    field: PlayField | None
    facing: OtherPlayer | None
    others: tuple[OtherPlayer, ...]
    own: OwnSide | None
    outlook: Outlook | None
    reasons: tuple[NumberReason, ...]
    layout: LayoutScreen | None
    state: str
    """Round, and how near the leg is to its end."""
    absence: str
    """Why there is nothing to draw."""
    previews: tuple[Preview, ...]
    prospects: tuple[tuple[Outlook, tuple[NumberReason, ...]], ...]
    """Those of the previews, each once."""
    facings: tuple[Facing, ...]
    aim: str
    helps: tuple[tuple[str, tuple[Help, ...]], ...]
    board: BattalionBoard | None
    """The table once the leg is finished."""
    ending: Ending | None
    """None while the play goes on, and where nobody looks on from a seat."""


def build_play(table: PlayTable) -> BattalionPlay:
    """Return the table as its reader sees it."""
    turn = read_turn(table)
    is_laying = table.is_own_turn and (turn.view["decision"] == DEPLOY or table.chosen[:1] == (REFORM,))
    layout, bar = build_layout_screen(turn) if is_laying else (None, build_turn_bar(turn))
    forecast = turn.forecast(turn.action) if turn.target else None
    fights = forecast is not None and forecast.kind == FIGHT
    previews = () if is_laying else tuple(list_previews(turn))
    return BattalionPlay(
        bar=bar,
        field=None if is_laying or table.is_over else build_field(turn),
        facing=build_other_player(turn, turn.facing) if turn.facing is not None else None,
        others=tuple(build_other_player(turn, seat) for seat in turn.others),
        own=build_own_side(turn) if table.seat is not None and not is_laying else None,
        outlook=build_outlook(turn, forecast) if forecast and fights else None,
        reasons=tuple(list_reasons(turn, forecast)) if forecast and fights else (),
        layout=layout,
        state=describe_round(turn),
        absence=_("Everyone deploys in secret."),
        previews=previews,
        prospects=tuple(dict.fromkeys(preview.prospect for preview in previews if preview.prospect)),
        facings=tuple(list_facings(turn)) if not is_laying else (),
        aim=_(
            "The guard protects your emperor. If it falls to a higher card, or its empty cell is attacked, "
            "you're out. The last player left wins."
        ),
        helps=list_helps(turn),
        board=build_board(table.scene) if table.is_over else None,
        ending=describe_play_ending(table) if table.is_over and table.seat is not None else None,
    )


def describe_round(turn: Turn) -> str:
    """Return the round, and the rounds without a death."""
    if not turn.view["round"]:
        return _("Deployment")
    options = turn.table.scene.options
    words = {"round": turn.view["round"], "quiet": turn.view["quiet"], "most": options["quiet_rounds"]}
    return _("Round %(round)s · %(quiet)s of %(most)s rounds without a death") % words


def describe_play_ending(table: PlayTable) -> Ending:
    """Return who won, who did what in which round, and at a table of more than two the reader's own place."""
    places = table.scene.final_result["places"]
    winners = [seat for seat, place in enumerate(places) if place == 1]
    title = _("%(name)s wins") % {"name": table.names[winners[0]]}
    if table.seat in winners:
        title = _("You win")
    if len(winners) > 1:
        title = _("It's a draw")
    text = describe_cause(table)
    if len(places) > 2 and table.seat not in winners:
        text = f"{text} {_('Your place: %(place)s.') % {'place': places[table.near]}}"
    return Ending(title, text)


def describe_cause(table: PlayTable) -> str:
    """Return why the play ended as it did, in a sentence."""
    reason, last = table.scene.final_result["reason"], table.scene.step
    words = {"round": last.round, "count": table.scene.options["quiet_rounds"]}
    if reason == QUIET:
        return (
            _("No card died in the %(count)s rounds up to round %(round)s, so the player with the most kills wins.")
            % words
        )
    if reason == LIMIT:
        return _("Round %(round)s was the last, so the player with the most kills wins.") % words
    event = next(event for event in reversed(last.events) if "action" in event)
    if event["action"] == FORFEIT:
        return describe_leaving(table, event, last.round)
    fallen = next(one["seat"] for one in reversed(last.events) if one.get("event") == "out")
    who = "own" if event["seat"] == table.seat else "theirs" if fallen == table.seat else "others"
    if fallen == event["seat"]:
        text = CAUSES["guard fell"]["own" if who == "own" else "theirs"]
    else:
        text = CAUSES["guard taken" if event["target"] else "empty"][who]
    words |= {"name": table.names[fallen if who == "own" else event["seat"]], "other": table.names[fallen]}
    return str(text) % {**words, "card": event["attacker"], "target": event["target"]}


CAUSES = {
    "guard taken": {
        "own": gettext_lazy("You took %(name)s's guard, the %(target)s, with your %(card)s in round %(round)s."),
        "theirs": gettext_lazy("%(name)s took your guard, the %(target)s, with the %(card)s in round %(round)s."),
        "others": gettext_lazy(
            "%(name)s took %(other)s's guard, the %(target)s, with the %(card)s in round %(round)s."
        ),
    },
    "empty": {
        "own": gettext_lazy("You reached %(name)s's empty guard cell with your %(card)s in round %(round)s."),
        "theirs": gettext_lazy("%(name)s reached your empty guard cell with the %(card)s in round %(round)s."),
        "others": gettext_lazy("%(name)s reached %(other)s's empty guard cell with the %(card)s in round %(round)s."),
    },
    "guard fell": {
        "own": gettext_lazy("Your guard, the %(card)s, attacked in round %(round)s and died."),
        "theirs": gettext_lazy("%(name)s's guard, the %(card)s, attacked in round %(round)s and died."),
    },
}
"""How the last emperor fell, by who attacked: the reader, another the reader, or two others."""


def describe_leaving(table: PlayTable, event: Json, number: int | None) -> str:
    """Return in a sentence how the last player left the play."""
    if event.get("reason") != "resigned":
        return f"{describe_fault(table.names[event['seat']], event.get('verdict') or event['reason'])}."
    words = {"name": table.names[event["seat"]], "round": number}
    if number and event["seat"] == table.seat:
        return _("You resigned in round %(round)s.") % words
    if number:
        return _("%(name)s resigned in round %(round)s.") % words
    return _("You resigned.") if event["seat"] == table.seat else _("%(name)s resigned.") % words


def count_standing(side: Json) -> int:
    """Return how many cards are neither dead nor wounded."""
    laid = sum(cell["card"] is not None for row in side["rows"] for cell in row)
    guard = side["guard"] is not None and side["guard"]["card"] is not None
    return laid + guard + int(side["hand_size"])


def build_other_player(turn: Turn, seat: int) -> OtherPlayer:
    """Return what is said of another player."""
    side, player = turn.view["seats"][seat], turn.table.players[seat]
    standing = count_standing(side)
    return OtherPlayer(
        seat=seat,
        name=player.name,
        suit=name_seat(seat),
        standing=ngettext("%(count)s standing", "%(count)s standing", standing) % {"count": standing},
        die="" if side["modification"] is None else format_modification(side["modification"]),
        die_label=describe_die(side["modification"], side["modification_left"]),
        hand=range(side["hand_size"]),
        hand_label=_("%(name)s holds %(count)s cards") % {"name": player.name, "count": side["hand_size"]},
        dead=build_card_parts(seat, side["dead"]) if side["dead"] else None,
        wounded=build_card_parts(seat, side["wounded"]) if side["wounded"] else None,
        note=describe_note(turn, seat),
        targets=sum(other == seat for other, _cell in turn.targets),
        url=turn.build_url(*turn.chosen[:2], facing=seat),
        mini=draw_small_army(turn, seat),
    )


def describe_note(turn: Turn, seat: int) -> str:
    """Return why a player may not be attacked now, or its place; empty where there is nothing to say."""
    if turn.view["seats"][seat]["out"]:
        result = turn.table.scene.result
        return describe_place(result["places"], seat) if result else _("out")
    if not turn.table.is_own_turn or turn.view["decision"] == DEPLOY:
        return ""
    if refuse_victim(turn.seen, turn.near, seat) is None:
        return ""
    return _("%(name)s was attacked last turn (BT-16).") % {"name": turn.table.players[seat].name}


def draw_small_army(turn: Turn, seat: int) -> SmallArmy | None:
    """Return a formation drawn small; None where nothing is laid out."""
    rows, guard = turn.read_side(seat)
    if not rows:
        return None
    layout = lay_out_seat(turn, seat)
    placement = ArmyPlacement(layout, 0, 0, is_far=True)
    cells = [*(cell for row in rows for cell in row), *([guard] if guard else [])]
    return SmallArmy(
        tracks=layout.tracks,
        ranks=layout.ranks,
        cells=tuple(
            (
                f"{placement.classes(layout.spots[cell.name])} {find_small_kind(cell.card)}",
                "" if cell.card in (None, HIDDEN_CARD) else cell.card or "",
            )
            for cell in cells
        ),
    )


def find_small_kind(card: str | None) -> str:
    """Return the class of a small cell."""
    return "void" if card is None else "back" if card == HIDDEN_CARD else "open"


def build_turn_bar(turn: Turn) -> Bar:
    """Return the line above the reader's cards."""
    if not turn.table.is_own_turn:
        return Bar(describe_waiting(turn.table))
    moved = len(turn.view["moved"])
    is_acting = bool(turn.card or (turn.action or not turn.goals) and turn.verb not in ("", MOVE, PICKUP))
    arrange = ngettext("Arrange, %(count)s moved", "Arrange, %(count)s moved", moved) % {"count": moved}
    stages = (
        Stage(arrange if moved else _("Arrange"), is_now=not is_acting, is_open=True),
        Stage(_("Act"), is_now=is_acting, is_open=True),
    )
    if not turn.action:
        return Bar(ask_what_to_do(turn), stages)
    choice = turn.table.choose(*turn.chosen)
    assert choice is not None, "a chosen action is legal"
    if turn.target:
        caption = ask_before_attack(turn, turn.forecast(turn.action))
    else:
        caption = ask_before_action(turn)
    back = turn.build_url(*turn.chosen[:-1]) if len(turn.chosen) > 1 else ""
    return Bar(caption, stages, (Option(choice, label_action(turn)),), back=back)


def label_action(turn: Turn) -> str:
    """Return what the button of the chosen action says."""
    if turn.target:
        kinds = {"look": pgettext("what a Jack does", "Look"), "strike": _("Strike")}
        return kinds.get(turn.forecast(turn.action).kind, _("Attack"))
    return {
        "pass": _("Pass"),
        "modify": _("Roll"),
        "pickup": _("Recover wounded"),
        "reinforce": _("Reinforce"),
        "move": _("Move"),
    }[turn.verb]

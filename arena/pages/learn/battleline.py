"""Learn Battle Line: make a formation, claim a flag with its proof, and play a tactics card."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.pages.games.battleline.board import build_proof
from arena.pages.games.battleline.known_cards import TACTIC_HELP
from arena.pages.games.battleline.play import LinePlay, list_formations
from arena.pages.games.battleline.words import WORDINGS_BY_EDITION, Wording, describe_events, name_seats
from arena.pages.games.cards import Face
from arena.pages.games.sentence import format_sentence
from arena.pages.learn.lesson import LEARNER, Lesson, Panel, Place, Step, Teaching, Text, describe_answer
from engine.core import Json
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS
from engine.games.battleline.formations import describe_formation
from engine.games.battleline.game import build_full_decks
from engine.games.battleline.options import Rules, edition_options

# The deal and the game. All of it follows the rules; the deck is stacked, so that the hands need no luck.

EDITION = "standard"
OPTIONS = {"flags": 5, "envelopment": 3, "breakthrough": False}
FORMATIONS, CLAIMS, TACTICS = 1, 2, 3
"""The numbers of the steps."""
OWN_HAND = "P10 R8 G5 R7 R2 B7 Y3"
OTHER_HAND = "B4 O9 Y6 G4 O2 P4 Y8"
DRAWN = "G10 R1 P6 O10 O5 O7 R9 O4 B1 P3 B9 B5 G3 Y7 P2 G8 R6 P9 Y5 R10 B8 O6"
"""In the order in which both draw."""
SCRIPT = """
0: play P10 1 | draw troop
1: play B4 1 | draw troop
0: play R8 2 | draw troop
1: play O9 2 | draw troop
0: play G5 3 | draw troop
1: play Y6 3 | draw troop
0: play R7 2 | draw troop
1: play G4 1 | draw troop
0: * play R9 2 | draw tactic
1: play O2 2 | draw troop
0: claim 2 | play P6 1 | draw troop
1: play P4 1 | draw troop
0: play P3 1 | draw troop
1: claim 1 | play Y8 3 | draw troop
0: play B5 3 | draw troop
1: play R1 4 | draw troop
0: play Y7 4 | draw troop
1: play O10 5 | draw troop
0: play O5 3 | * claim 3 | draw troop
1: play O7 5 | draw troop
0: play G8 4 | draw troop
1: play O4 5 | draw troop
0: play P9 4 | draw troop
1: play B1 4 | draw troop
0: * play fog 4 | * claim 4
"""
EXAMPLES = {
    "wedge": "R9 R8 R7",
    "phalanx": "G5 B5 O5",
    "battalion": "P10 P6 P3",
    "skirmish": "Y7 G8 P9",
    "host": "O9 R2 B7",
}
"""Three example cards for each formation, most of them from this game."""
NAMES = CARD_NAMES_BY_COLOURS["ROYGBP"]


def stack_decks() -> Json:
    """Return the deal: the cards named above on top, then all others in order."""
    decks = build_full_decks(Rules.read(edition_options(EDITION, OPTIONS)))
    first = {"troops": f"{OWN_HAND} {OTHER_HAND} {DRAWN}".split(), "tactics": ["fog"]}
    return {
        name: [*first.get(name, ()), *(card for card in cards if card not in first.get(name, ()))]
        for name, cards in decks.items()
    }


# What is said at each position. Numbers, formations and proofs are the engine's.


@dataclass(frozen=True, slots=True)
class ExampleFormation:
    """A formation in the list of all, with three cards that make it."""

    icon: str
    name: str
    meaning: str
    faces: Sequence[Face]
    is_wanted: bool


@dataclass(frozen=True, slots=True)
class Prospect:
    """What the other side could still reach at a flag, in one of two cases."""

    heading: str
    laid: Sequence[Face]
    coming: Sequence[Face]
    """Drawn from the cards that the referee counts as unseen."""
    best: str
    verdict: str
    is_wanted: bool
    """Whether it is the case that the learner's move brings about."""


def teach(place: Place) -> Teaching:
    """Return what is said at a position."""
    wording = get_wording(place)
    tell = {FORMATIONS: teach_formations, CLAIMS: teach_claims, TACTICS: teach_tactics}[place.step]
    return tell(wording, place)


def get_wording(place: Place) -> Wording:
    """Return the wording of the edition with the learner as reader."""
    wording = WORDINGS_BY_EDITION[EDITION]
    return name_seats(wording, (_("You"), wording.seat(1 - LEARNER)), LEARNER)


def teach_formations(wording: Wording, place: Place) -> Teaching:
    """Return what is said of formations."""
    first = place.find_first()
    card, flag = read_play(first.wanted)
    kind, total = judge(first, card, flag)
    there = list_own_cards(first, flag)
    values = {"card": wording.token(card), "flag": flag, "kind": wording.formation(kind).lower(), "sum": total}
    caption = format_sentence(_("Play {card} at flag {flag}. It makes a {kind} of {sum}."), **values)
    if place.is_done:
        done = _("A {kind} of {sum}: no kind of formation is stronger. {answer}")
        caption = format_sentence(done, **values, answer=describe_answer(place, partial(describe_events, wording)))
    now = _("{cards} are at flag {flag}. {card} makes a {kind}, the strongest kind.")
    if place.is_done:
        there, now = [*there, card], _("{cards} are at flag {flag}: a {kind}, the strongest kind.")
    panel = Panel(
        title=_("Three cards make a formation"),
        lead=" ".join(
            (
                _("The stronger formation wins the flag. Between two of the same kind, the higher total wins."),
                _("The deck has 60 troops: six colours, 1 to 10, one of each."),
            )
        ),
        now=format_sentence(now, **values, cards=wording.tokens(there)),
        kind="formations",
        content=list(list_examples(wording, kind)),
    )
    return Teaching(caption, panel)


def teach_claims(wording: Wording, place: Place) -> Teaching:
    """Return what is said of claims."""
    first = place.find_first()
    explanation = first.state.explain(first.wanted)
    assert explanation is not None, "a claim is always explained"
    flag = explanation["flag"]
    kind = wording.formation(explanation["mine"]["formation"])
    caption: Text = format_sentence(
        _("Your {kind} is full, and nothing can beat it. Claim flag {flag}."), kind=kind.lower(), flag=flag
    )
    if place.is_done:
        done = _("Flag {flag} is yours, and stays yours. {answer}")
        caption = format_sentence(done, flag=flag, answer=describe_answer(place, partial(describe_events, wording)))
    proof = build_proof(wording, first.scene, explanation)
    tie = _("%(other)s would have to beat it: the side completed first wins a tie.") % {"other": proof.other}
    panel = Panel(title=proof.title, lead=f"{proof.lead} {tie}", now=proof.verdict, kind="claim", content=proof)
    return Teaching(caption, panel)


def teach_tactics(wording: Wording, place: Place) -> Teaching:
    """Return what is said of tactics cards."""
    first = place.find_first()
    card, flag = read_play(first.wanted)
    without, with_it = explain_both(first, flag)
    mine = without["mine"]
    best = find_best(with_it)
    values = {"card": wording.token(card), "flag": flag, "other": wording.seat(1 - LEARNER), "sum": mine["sum"]}
    if place.made == 0:
        caption = format_sentence(
            _("{card}. {effect} Play it at flag {flag}."), **values, effect=str(TACTIC_HELP[card])
        )
    else:
        template = _("{other} can reach {best} at most now, and you have {sum}. Claim flag {flag}.")
        caption = format_sentence(template, **values, best=best["sum"])
    kinds = (wording.formation(one["formation"]).lower() for one in (mine, find_best(without)))
    lead = _("Your {kind} at flag {flag} totals {sum}, but {other} could still make a {better}, which is stronger.")
    own = [number for number, owner in list_owners(first) if owner == LEARNER]
    now = format_sentence(
        _("You've won {count} flags. With flag {flag} you win this short game."), count=len(own), flag=flag
    )
    held = [one for one in best["cards"] if one in first.scene.after[LEARNER]["hand"]]
    if held:
        seen = _("{card} is in your own hand, but only face-up cards count as seen. {now}")
        now = format_sentence(seen, card=wording.tokens(held), now=now)
    panel = Panel(
        title=_("A tactics card bends the rules"),
        lead=format_sentence(lead, **values, **dict(zip(("kind", "better"), kinds, strict=True))),
        now=now,
        kind="tactics",
        content=list(list_prospects(wording, card, without, with_it)),
    )
    return Teaching(caption, panel)


def list_examples(wording: Wording, wanted: str) -> Iterator[ExampleFormation]:
    """Yield all formations, strongest first, with an example of each."""
    for kind, name, meaning in list_formations(wording):
        yield ExampleFormation(kind, name, meaning, show(wording, EXAMPLES[kind].split()), kind == wanted)


def list_prospects(wording: Wording, card: str, without: Json, with_it: Json) -> Iterator[Prospect]:
    """Yield what the other side could still reach without a tactics card and with it."""
    name = wording.card(card)
    best, most = find_best(without), find_best(with_it)
    mine, total = without["mine"], with_it["mine"]["sum"]
    yield Prospect(
        heading=_("Without %(card)s") % {"card": name},
        laid=show(wording, without["theirs"]["cards"]),
        coming=show(wording, best["cards"]),
        best=f"{wording.formation(best['formation'])} {best['sum']}",
        verdict=_("beats your %(held)s") % {"held": describe_held(wording, mine)},
        is_wanted=False,
    )
    yield Prospect(
        heading=_("With %(card)s, only the total counts") % {"card": name},
        laid=show(wording, with_it["theirs"]["cards"]),
        coming=show(wording, most["cards"]),
        best=_("%(sum)s at most") % {"sum": most["sum"]},
        verdict=_("you have %(sum)s: claim it") % {"sum": total},
        is_wanted=True,
    )


def show(wording: Wording, cards: Iterable[str]) -> list[Face]:
    """Return how cards of the explanation look, which nobody follows from place to place."""
    return [replace(wording.face(card), key="") for card in cards]


def describe_held(wording: Wording, formation: Json) -> str:
    """Return a formation with its total within a sentence."""
    return f"{wording.formation(formation['formation']).lower()} {formation['sum']}"


# What the engine says of a position.


def read_play(action: str) -> tuple[str, int]:
    """Return the card and the flag of an action that plays one."""
    _verb, card, flag = action.split()
    return card, int(flag)


def list_own_cards(place: Place, flag: int) -> list[str]:
    """Return the learner's cards at a flag."""
    cards: list[str] = place.scene.after[LEARNER]["flags"][flag - 1]["cards"][LEARNER]
    return cards


def list_owners(place: Place) -> list[tuple[int, int | None]]:
    """Return each flag's number and owner."""
    return [(one["flag"], one["owner"]) for one in place.scene.after[LEARNER]["flags"]]


def judge(place: Place, card: str, flag: int) -> tuple[str, int]:
    """Return kind and total of the formation that a troop would complete; an empty kind where it completes none."""
    cards = [*list_own_cards(place, flag), card]
    if len(cards) < place.scene.after[LEARNER]["flags"][flag - 1]["needs"][LEARNER]:
        return "", 0
    made = describe_formation([NAMES.card[one] for one in cards], NAMES.of, 0)
    return str(made["formation"]), int(str(made["sum"]))


def explain_both(place: Place, flag: int) -> tuple[Json, Json]:
    """Return what the referee says of a claim before and after the tactics card that the learner is to play."""
    without = place.state.explain(f"claim {flag}")
    state = place.state.copy()
    state.play(state.parse(place.wanted))
    with_it = state.explain(f"claim {flag}")
    assert without is not None and with_it is not None, "a claim is always explained"
    return without, with_it


def find_best(explanation: Json) -> Json:
    """Return the best that the other side can still reach."""
    best: Json = next(reply for reply in explanation["replies"] if reply["cards"] is not None)
    return best


def explain_other(place: Place, action: str) -> Text:
    """Return why another legal action is taken back."""
    wording = get_wording(place)
    verb, *words = action.split()
    if verb != "play":
        return _("Claim the flag before you draw a card.")
    card, flag = read_play(action)
    better, there = read_play(place.wanted)
    values = {"card": wording.token(better), "flag": there, "played": wording.token(card), "other_flag": flag}
    if place.step == TACTICS:
        template = _("{played} at flag {other_flag} doesn't win flag {flag}. {card} does.")
        return format_sentence(template, **values)
    kind, total = judge(place, card, flag)
    best = wording.formation(judge(place, better, there)[0]).lower()
    if kind:
        template = _("That makes a {kind} of {sum}; a {best} is stronger.")
        return format_sentence(template, kind=wording.formation(kind).lower(), sum=total, best=best)
    count, needs = len(list_own_cards(place, flag)) + 1, place.scene.after[LEARNER]["flags"][flag - 1]["needs"][LEARNER]
    template = _("That's only {count} of {needs} cards at flag {other_flag}. {card} completes a {best} at flag {flag}.")
    return format_sentence(template, **values, count=count, needs=needs, best=best)


def simplify(play: LinePlay) -> LinePlay:
    """Return the table without decks, from which the lesson draws by itself, and with the aim beside the other seat."""
    aim = str(LESSON.aim)
    seats = (play.board.seats[LEARNER], replace(play.board.seats[1 - LEARNER], score=aim))
    return replace(play, decks=(), board=replace(play.board, seats=seats))


LESSON = Lesson(
    game="battleline",
    title=gettext_lazy("Learn in 90 seconds"),
    brief=gettext_lazy("Five flags, three moves, every step explained."),
    aim=gettext_lazy("Five flags. Any three win."),
    opponent=lambda: WORDINGS_BY_EDITION[EDITION].seat(1 - LEARNER),
    options=OPTIONS,
    deal=stack_decks(),
    script=SCRIPT,
    steps=(
        Step(gettext_lazy("Formations"), gettext_lazy("Back to formations"), ("play R9",)),
        Step(gettext_lazy("Claims"), gettext_lazy("Next: claims")),
        Step(gettext_lazy("Tactics"), gettext_lazy("Next: a tactics card"), ("play fog",)),
    ),
    teach=teach,
    explain_other=explain_other,
    simplify=simplify,
    ending=gettext_lazy(
        "Real games have nine flags: three side by side win (breakthrough), or any five (envelopment). The table "
        "shows what each card makes and explains every claim, as it did here."
    ),
    won=gettext_lazy("You've won three flags. Any three are enough in this short game: that's called envelopment."),
    has_puzzles=True,
    edition=EDITION,
)

"""The proof of a claim for people: both sides, then each kind of formation and why it does not reach the claim.

Reads what `engine.games.battleline.explain` gives.
"""

from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.games.battleline.ground import find_ignored_card, read_ground_flags
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, Names
from engine.games.battleline.formations import GROUND_IGNORES_HIGHEST, GROUND_LOW_SUM_WINS, GROUND_SUM_ONLY
from engine.games.battleline.tiles import DEFENDING_SEAT_BY_TILE, RIVER, WOODLAND

MAX_CARDS_LISTED = 4
"""More cards than this in a reason are not listed one by one."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A kind of formation, from the strongest down, and why the other side can't reach it."""

    icon: str
    name: str
    reason: Sentence | str
    seat: int | None
    """The seat that stands on this rung and so decides; None elsewhere."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note on a change by the ground, with its ruling."""

    text: str
    rule: str


@dataclass(frozen=True, slots=True)
class Proof:
    """The explanation of a claim, for `proof.html`."""

    title: str
    lead: str
    flag: int
    seat: int
    mine: list[Face]
    mine_free: range
    mine_is: str
    theirs: list[Face]
    theirs_is: str
    free: range
    claimant: str
    other: str
    rungs: list[Rung]
    verdict: Sentence | str
    notes: list[Note]
    rules_url: str


@dataclass(frozen=True, slots=True)
class Case:
    """An explanation with all that is needed to speak of it."""

    wording: Wording
    explanation: Json
    flag: Json
    """As all see it, after the step."""
    names: Names

    @property
    def seat(self) -> int:
        """Return the seat that claims."""
        return int(self.explanation["seat"])

    @property
    def is_sum(self) -> bool:
        """Return whether only sums count here."""
        return bool(read_ground_flags(self.flag, self.seat) & GROUND_SUM_ONLY)

    @property
    def is_low(self) -> bool:
        """Return whether the lower sum wins here."""
        return bool(read_ground_flags(self.flag, self.seat) & GROUND_LOW_SUM_WINS)

    @property
    def is_own(self) -> bool:
        """Return whether it is explained to who claims."""
        return self.wording.reader == self.seat

    @property
    def claimant(self) -> str:
        """Return the name of the seat that claims."""
        return self.wording.seat(self.seat)

    @property
    def other(self) -> str:
        """Return the name of the other seat."""
        return self.wording.seat(1 - self.seat)

    @property
    def best(self) -> Json | None:
        """Return the strongest reply that the other side can still make; None where it can't fill its side."""
        return next((reply for reply in self.explanation["replies"] if reply["cards"] is not None), None)

    def formation(self, kind: str) -> str:
        """Return the name of a kind of formation here."""
        return _("Sum") if self.is_sum else self.wording.formation(kind)

    def formation_with_sum(self, formation: Json) -> str:
        """Return a formation with its sum, as it stands within a sentence."""
        return f"{self.formation(formation['formation']).lower()} {formation['sum']}"

    def faces(self, cards: list[str], seat: int) -> list[Face]:
        """Return how the cards of a side look here."""
        is_full = len(cards) == self.flag["needs"][seat]
        ignored = find_ignored_card(cards, self.flag, seat, self.names) if is_full else None
        shown = (self.wording.face(card, is_ignored=place == ignored) for place, card in enumerate(cards))
        return [replace(face, key="") for face in shown]


def build_proof(wording: Wording, scene: Scene, explanation: Json) -> Proof:
    """Return the proof, or the refutation, of a claim in the scene shown."""
    flag = scene.after[0]["flags"][explanation["flag"] - 1]
    names = CARD_NAMES_BY_COLOURS[scene.options["colours"]]
    return describe_case(Case(wording, explanation, flag, names), scene.edition, scene.options["copies"])


def describe_case(case: Case, edition: str, copies: int) -> Proof:
    """Return the proof in words. `copies` says how often each troop is in the deck."""
    explanation, seat = case.explanation, case.seat
    mine, theirs = explanation["mine"], explanation["theirs"]
    title = _("Why %(seat)s may claim flag %(flag)s")
    if not explanation["holds"]:
        title = _("Why %(seat)s may not claim flag %(flag)s")
    if case.is_own:
        title = (
            _("Why you may claim flag %(flag)s") if explanation["holds"] else _("Why you may not claim flag %(flag)s")
        )
    lacking = 0 if "formation" in mine else max(0, explanation["needs"] - len(mine["cards"]))
    return Proof(
        title=title % {"seat": case.claimant, "flag": explanation["flag"]},
        lead=describe_lead(case),
        flag=explanation["flag"],
        seat=seat,
        mine=case.faces(mine["cards"], seat),
        mine_free=range(lacking),
        mine_is=case.formation_with_sum(mine).capitalize() if "formation" in mine else "",
        theirs=case.faces(theirs["cards"], 1 - seat),
        theirs_is=describe_best(case, theirs["free"]) if explanation["replies"] else "",
        free=range(theirs["free"]),
        claimant=case.claimant,
        other=case.other,
        rungs=[describe_rung(reply, case) for reply in explanation["replies"]],
        verdict=describe_verdict(case),
        notes=list_notes(case, copies),
        rules_url=reverse("rules", args=["battleline", edition]),
    )


def describe_lead(case: Case) -> str:
    """Return what has to be shown."""
    words = {"claimant": case.claimant, "other": case.other}
    if case.explanation["because"] in ("incomplete", "closed"):
        return _("Only a full side at an open flag can claim it.")
    if not case.explanation["theirs"]["free"]:
        return _("Both sides are full, so the two formations are compared as they lie.") % words
    if case.is_own:
        return (
            _("%(other)s's side is not full yet, so you have to prove that no troop still unseen can beat your own.")
            % words
        )
    return (
        _("%(other)s's side is not full yet, so %(claimant)s has to prove that no troop still unseen can beat its own.")
        % words
    )


def describe_best(case: Case, free: int) -> str:
    """Return what the other side has, or can still reach with `free` places."""
    if case.best is None:
        return _("Can't be filled")
    held = case.formation_with_sum(case.best)
    return (_("At best %(held)s") % {"held": held}) if free else held.capitalize()


def describe_rung(reply: Json, case: Case) -> Rung:
    """Return one kind of formation, and how far the other side gets with it."""
    kind, mine = reply["formation"], case.explanation["mine"]
    picture = "fog" if case.is_sum else kind
    reason = describe_reason(reply, case)
    if kind == mine["formation"]:
        words = {"seat": case.claimant, "sum": mine["sum"], "other": case.other, "reason": reason}
        is_reached = reply["cards"] is not None
        sentence = _("{seat} holds {sum}; {reason}") if is_reached else _("{seat} holds {sum}. {other}: {reason}")
        if case.is_own:
            sentence = _("You hold {sum}; {reason}") if is_reached else _("You hold {sum}. {other}: {reason}")
        return Rung(picture, case.formation(kind), format_sentence(sentence, **words), case.seat)
    return Rung(picture, case.formation(kind), reason, 1 - case.seat if reply is case.best else None)


def describe_reason(reply: Json, case: Case) -> Sentence | str:
    """Return why the other side can't reach this kind, or how far it gets."""
    why = reply["why"]
    if reply["cards"] is not None:
        sentences = {
            (True, False): _("{other} reaches {sum} with {cards}"),
            (True, True): _("{other} only ties with {cards}"),
            (False, False): _("{other} has {sum}"),
            (False, True): _("{other} has {sum} too"),
        }
        sentence = sentences[bool(reply["cards"]), why == "equal"]
        return format_sentence(sentence, other=case.other, sum=reply["sum"], cards=case.wording.tokens(reply["cards"]))
    if why == "gone" and reply.get("gone"):
        if len(reply["gone"]) > MAX_CARDS_LISTED:
            return _("its troops lie face up")
        gone = len(reply["gone"])
        return format_sentence(
            ngettext("{cards} lies face up", "{cards} lie face up", gone),
            cards=case.wording.tokens(reply["gone"]),
        )
    if read_ground_flags(case.flag, 1 - case.seat) & GROUND_IGNORES_HIGHEST and why == "gone":
        return _("no unseen troops fit") if case.explanation["theirs"]["free"] else _("its cards don't fit")
    return {
        "colours": _("the colours differ"),
        "values": _("the numbers don't fit"),
        "apart": _("numbers too far apart"),
        "short": _("too few troops unseen"),
    }.get(why, _("its troops lie face up"))


def describe_verdict(case: Case) -> Sentence | str:
    """Return whether the claim holds, and why."""
    because, refutation = case.explanation["because"], case.explanation["refutation"]
    words = {
        "claimant": case.claimant,
        "other": case.other,
        "best": case.formation_with_sum(case.best) if case.best else "",
    }
    if refutation:
        sentence = _("The claim does not hold: {other} can still reach {best} with {cards}.")
        return format_sentence(sentence, **words, cards=case.wording.tokens(refutation))
    if case.is_own and because in ("tie-last", "incomplete"):
        return {
            "tie-last": _("The claim does not hold: both sides are equal, and you placed the last card."),
            "incomplete": _("The claim does not hold: your side is not full."),
        }[because]
    sentences = {
        "beats-all": _("The claim holds: the best %(other)s can still reach is %(best)s."),
        "short": _("The claim holds: too few troops are unseen for %(other)s to fill its side."),
        "tie-first": _("The claim holds: both sides are equal, and %(other)s placed the last card."),
        "tie-last": _("The claim does not hold: both sides are equal, and %(claimant)s placed the last card."),
        "beaten": _("The claim does not hold: %(other)s has %(best)s."),
        "incomplete": _("The claim does not hold: %(claimant)s's side is not full."),
        "closed": _("The claim does not hold: the flag is claimed already."),
    }
    return sentences.get(because, _("The claim does not hold.")) % words


def list_notes(case: Case, copies: int) -> list[Note]:
    """Return what is different at this flag, or with this deck."""
    tile, wording = case.flag["tile"], case.wording
    notes = []
    if tile in DEFENDING_SEAT_BY_TILE:
        words = {"tile": wording.tile(tile).name, "seat": wording.seat(DEFENDING_SEAT_BY_TILE[tile])}
        notes.append(Note(_("%(tile)s: %(seat)s lays one card more, and its highest does not count.") % words, "BL-60"))
    if tile == RIVER:
        notes.append(Note(_("River: four cards a side."), "BL-62"))
    if case.flag["mud"]:
        notes.append(Note(_("Mud: one card more for each side."), "BL-14"))
    if case.is_low:
        notes.append(Note(_("Hills: within a formation the lower sum wins."), "BL-66"))
    if tile == WOODLAND:
        notes.append(Note(_("Woodland: no formations, only the sum."), "BL-67"))
    if case.flag["fog"]:
        notes.append(Note(_("Fog: no formations, only the sum."), "BL-13"))
    if copies > 1:
        notes.append(
            Note(_("There are two of every troop, so where one lies face up the other may still come."), "BL-11")
        )
    return notes

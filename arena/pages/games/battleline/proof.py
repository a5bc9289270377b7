"""The proof of a claim for people: both sides, then each kind of formation and why it does not reach the claim.

Reads what `engine.games.battleline.explain` gives.
"""

from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.games.battleline.ground import find_ignored, ground_of
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.battleline.words import fill
from arena.pages.games.cards import Face
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.games.battleline.cards import NAMES, Names
from engine.games.battleline.formations import LOW, SPARE, SUM_ONLY
from engine.games.battleline.tiles import DEFENDER, RIVER, WOODLAND

MANY = 4
"""More cards than this in a reason are not listed one by one."""


@dataclass(frozen=True, slots=True)
class Rung:
    kind: str
    name: str
    reason: SafeString | str
    seat: int | None
    """The seat that stands on this rung and so decides; None elsewhere."""


@dataclass(frozen=True, slots=True)
class Note:
    """What the ground changes, and the ruling on it."""

    text: str
    rule: str


@dataclass(frozen=True, slots=True)
class Proof:
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
    verdict: SafeString | str
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
        return int(self.explanation["seat"])

    @property
    def is_sum(self) -> bool:
        return bool(ground_of(self.flag, self.seat) & SUM_ONLY)

    @property
    def is_low(self) -> bool:
        return bool(ground_of(self.flag, self.seat) & LOW)

    @property
    def claimant(self) -> str:
        return self.wording.seat(self.seat)

    @property
    def other(self) -> str:
        return self.wording.seat(1 - self.seat)

    @property
    def best(self) -> Json | None:
        """The strongest reply that the other side can still make."""
        return next((reply for reply in self.explanation["replies"] if reply["cards"] is not None), None)

    def kind(self, kind: str) -> str:
        return _("Sum") if self.is_sum else self.wording.kind(kind)

    def held(self, formation: Json) -> str:
        return f"{self.kind(formation['formation']).lower()} {formation['sum']}"

    def faces(self, cards: list[str], seat: int) -> list[Face]:
        is_full = len(cards) == self.flag["needs"][seat]
        ignored = find_ignored(cards, self.flag, seat, self.names) if is_full else None
        shown = (self.wording.face(card, is_ignored=place == ignored) for place, card in enumerate(cards))
        return [replace(face, key="") for face in shown]


def prove(wording: Wording, scene: Scene, explanation: Json) -> Proof:
    flag = scene.after[0]["flags"][explanation["flag"] - 1]
    names = NAMES[scene.options["colours"]]
    return lay_out(Case(wording, explanation, flag, names), scene.edition, scene.options["copies"])


def lay_out(case: Case, edition: str, copies: int) -> Proof:
    explanation, seat = case.explanation, case.seat
    mine, theirs = explanation["mine"], explanation["theirs"]
    title = _("Why %(seat)s may claim flag %(flag)s")
    if not explanation["holds"]:
        title = _("Why %(seat)s may not claim flag %(flag)s")
    lacking = 0 if "formation" in mine else max(0, explanation["needs"] - len(mine["cards"]))
    return Proof(
        title=title % {"seat": case.claimant, "flag": explanation["flag"]},
        lead=tell_lead(case),
        flag=explanation["flag"],
        seat=seat,
        mine=case.faces(mine["cards"], seat),
        mine_free=range(lacking),
        mine_is=case.held(mine).capitalize() if "formation" in mine else "",
        theirs=case.faces(theirs["cards"], 1 - seat),
        theirs_is=tell_best(case, theirs["free"]) if explanation["replies"] else "",
        free=range(theirs["free"]),
        claimant=case.claimant,
        other=case.other,
        rungs=[draw_rung(reply, case) for reply in explanation["replies"]],
        verdict=tell_verdict(case),
        notes=list_notes(case, copies),
        rules_url=reverse("rules", args=["battleline", edition]),
    )


def tell_lead(case: Case) -> str:
    words = {"claimant": case.claimant, "other": case.other}
    if case.explanation["because"] in ("incomplete", "closed"):
        return _("Only a full side at an open flag can claim it.")
    if not case.explanation["theirs"]["free"]:
        return _("Both sides are full, so the two formations are compared as they lie.") % words
    return (
        _("%(other)s's side is not full yet, so %(claimant)s has to prove that no troop still unseen can beat its own.")
        % words
    )


def tell_best(case: Case, free: int) -> str:
    if case.best is None:
        return _("Can't be filled")
    held = case.held(case.best)
    return (_("At best %(held)s") % {"held": held}) if free else held.capitalize()


def draw_rung(reply: Json, case: Case) -> Rung:
    kind, mine = reply["formation"], case.explanation["mine"]
    picture = "fog" if case.is_sum else kind
    reason = tell_reason(reply, case)
    if kind == mine["formation"]:
        words = {"seat": case.claimant, "sum": mine["sum"], "other": case.other, "reason": reason}
        is_reached = reply["cards"] is not None
        sentence = _("{seat} holds {sum}; {reason}") if is_reached else _("{seat} holds {sum}. {other}: {reason}")
        return Rung(picture, case.kind(kind), fill(sentence, **words), case.seat)
    return Rung(picture, case.kind(kind), reason, 1 - case.seat if reply is case.best else None)


def tell_reason(reply: Json, case: Case) -> SafeString | str:
    """Why the other side can't reach this kind, or how far it gets."""
    why = reply["why"]
    if reply["cards"] is not None:
        sentences = {
            (True, False): _("{other} reaches {sum} with {cards}"),
            (True, True): _("{other} only ties with {cards}"),
            (False, False): _("{other} has {sum}"),
            (False, True): _("{other} has {sum} too"),
        }
        sentence = sentences[bool(reply["cards"]), why == "equal"]
        return fill(sentence, other=case.other, sum=reply["sum"], cards=name_cards(case.wording, reply["cards"]))
    if why == "gone" and reply.get("gone"):
        if len(reply["gone"]) > MANY:
            return _("its troops lie face up")
        gone = len(reply["gone"])
        return fill(
            ngettext("{cards} lies face up", "{cards} lie face up", gone),
            cards=name_cards(case.wording, reply["gone"]),
        )
    if ground_of(case.flag, 1 - case.seat) & SPARE and why == "gone":
        return _("no unseen troops fit") if case.explanation["theirs"]["free"] else _("its cards don't fit")
    return {
        "colours": _("the colours differ"),
        "values": _("the numbers don't fit"),
        "apart": _("numbers too far apart"),
        "short": _("too few troops unseen"),
    }.get(why, _("its troops lie face up"))


def name_cards(wording: Wording, cards: list[str]) -> SafeString:
    return format_html_join(mark_safe(" "), "{}", ((wording.token(card),) for card in cards))


def tell_verdict(case: Case) -> SafeString | str:
    because, refutation = case.explanation["because"], case.explanation["refutation"]
    words = {"claimant": case.claimant, "other": case.other, "best": case.held(case.best) if case.best else ""}
    if refutation:
        sentence = _("The claim does not hold: {other} can still reach {best} with {cards}.")
        return fill(sentence, **words, cards=name_cards(case.wording, refutation))
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
    """What is different at this flag, or with this deck."""
    tile, wording = case.flag["tile"], case.wording
    notes = []
    if tile in DEFENDER:
        words = {"tile": wording.tile(tile).name, "seat": wording.seat(DEFENDER[tile])}
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
        notes.append(Note(_("Every troop is there twice, so one that lies face up may still come again."), "BL-11"))
    return notes

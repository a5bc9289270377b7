"""Battle Line in sentences: what was played, claimed, drawn, and how it ended."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from arena.pages.games.battleline.wording import Wording
from arena.pages.games.presentation import Line, describe_fault
from arena.pages.games.sentence import Part, Sentence, format_sentence, join_parts
from engine.core import Json

CLAIMED_FLAGS = {
    "1": pgettext_lazy("object of a claim", "flag 1"),
    "2": pgettext_lazy("object of a claim", "flag 2"),
    "3": pgettext_lazy("object of a claim", "flag 3"),
    "4": pgettext_lazy("object of a claim", "flag 4"),
    "5": pgettext_lazy("object of a claim", "flag 5"),
    "6": pgettext_lazy("object of a claim", "flag 6"),
    "7": pgettext_lazy("object of a claim", "flag 7"),
    "8": pgettext_lazy("object of a claim", "flag 8"),
    "9": pgettext_lazy("object of a claim", "flag 9"),
}
"""Written out, as languages differ in articles before numbers."""


def describe_events(wording: Wording, events: Sequence[Json]) -> list[Line]:
    """Return one line for each event that is worth one; what is drawn belongs to the action before it."""
    lines: list[Line] = []
    claimant = None
    for place, event in enumerate(events):
        verb, *arguments = event.get("action", "").split() or [""]
        if verb == "claim":
            claimant = event["seat"]
            lines += describe_claim(wording, event, list_draws(events[place + 1 :]))
        elif verb == "remove":
            lines.append(describe_removal(wording, event, is_claimant=event["seat"] == claimant))
        elif verb == "draw":
            lines.append(describe_draw(wording, event, list_draws(events[place + 1 :])))
        elif event.get("event") == "award":
            lines.append(describe_award(wording, event))
        elif verb in DESCRIBERS:
            lines.append(DESCRIBERS[verb](wording, event, arguments))
    return lines


def list_draws(events: Sequence[Json]) -> list[Json]:
    """Return the draws with which these events begin."""
    draws: list[Json] = []
    for event in events:
        if event.get("event") != "draw":
            break
        draws.append(event)
    return draws


def say(wording: Wording, seat: int, template: str, own_template: str, **values: object) -> Sentence:
    """Return what a seat did, from a template about `{seat}`, or from the one that speaks to who sits there."""
    if wording.reader == seat:
        return format_sentence(own_template, **values)
    return format_sentence(template, seat=wording.seat(seat), **values)


def describe_award(wording: Wording, event: Json) -> Line:
    """Describe a flag that goes to a seat which can prove it and did not claim it."""
    template = _("Flag {flag} is awarded to {seat}, which can prove it")
    own = _("Flag {flag} is awarded to you, as you can prove it")
    return Line(say(wording, event["seat"], template, own, flag=event["flag"]), is_weighty=True)


def describe_claim(wording: Wording, event: Json, draws: Sequence[Json]) -> list[Line]:
    """Describe a claim, and what Fields bring with it."""
    seat, flag = event["seat"], CLAIMED_FLAGS[event["action"].split()[1]]
    formation = wording.formation(event["formation"]).lower()
    template, own = _("{seat} claims {flag}: {formation} {sum}"), _("You claim {flag}: {formation} {sum}")
    sentence = say(wording, seat, template, own, flag=flag, formation=formation, sum=event["sum"])
    lines = [Line(sentence, is_weighty=True)]
    if draws:
        template, own = _("The {tile} bring {seat} {cards}"), _("The {tile} bring you {cards}")
        tile, cards = wording.tile_token("fields"), list_drawn_cards(wording, draws)
        lines.append(Line(say(wording, seat, template, own, tile=tile, cards=cards)))
    return lines


def describe_removal(wording: Wording, event: Json, is_claimant: bool) -> Line:
    """Describe what a claimed Watchtower takes from the other side, or claimed Marshes from who did not claim them."""
    card, flag = event["action"].split()[1:]
    templates = {
        True: (
            _("{seat} uses the {tile}: {card} leaves flag {flag}"),
            _("You use the {tile}: {card} leaves flag {flag}"),
        ),
        False: (
            _("{seat} loses {card} at flag {flag} to the {tile}"),
            _("You lose {card} at flag {flag} to the {tile}"),
        ),
    }
    tile = wording.tile_token("watchtower" if is_claimant else "marshes")
    template, own = templates[is_claimant]
    return Line(say(wording, event["seat"], template, own, tile=tile, card=wording.token(card), flag=flag))


def describe_draw(wording: Wording, event: Json, draws: Sequence[Json]) -> Line:
    """Describe the cards drawn at the end of a turn, or by Scout."""
    cards = list_drawn_cards(wording, draws)
    return Line(say(wording, event["seat"], _("{seat} draws {cards}"), _("You draw {cards}"), cards=cards))


def list_drawn_cards(wording: Wording, draws: Sequence[Json]) -> Sentence:
    """Return the cards that were drawn, or only their decks where the onlooker didn't see them."""
    cards = (wording.token(event["card"]) if event.get("card") else name_deck(event["deck"]) for event in draws)
    return join_parts(cards, ", ")


def name_deck(deck: str) -> Part:
    """Return a card of a deck that the onlooker doesn't see."""
    return Part(_("a tactics card") if deck == "tactic" else _("a troop"))


def describe_forfeit(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe the fault by which a seat lost."""
    return Line(describe_fault(wording.seat(event["seat"]), event.get("verdict") or event["reason"]), is_weighty=True)


def describe_return(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a card that is put back on its deck after Scout."""
    card = name_deck(event["deck"]) if arguments[0] == "?" else wording.token(arguments[0])
    template, own = _("{seat} puts {card} back on its deck"), _("You put {card} back on its deck")
    return Line(say(wording, event["seat"], template, own, card=card))


def describe_play(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a troop, a wild card, Fog or Mud that is laid at a flag."""
    card, flag = arguments
    templates = {
        "fog": (
            _("{seat} lays {card} on flag {flag}: only the sum counts there"),
            _("You lay {card} on flag {flag}: only the sum counts there"),
        ),
        "mud": (
            _("{seat} lays {card} on flag {flag}: one card more for each side"),
            _("You lay {card} on flag {flag}: one card more for each side"),
        ),
    }
    usual = _("{seat} plays {card} at flag {flag}"), _("You play {card} at flag {flag}")
    template, own = templates.get(card, usual)
    return Line(say(wording, event["seat"], template, own, card=wording.token(card), flag=flag))


GUILE_TEMPLATES = {
    "scout": (gettext_lazy("{seat} plays {tactic}"), gettext_lazy("You play {tactic}")),
    "redeploy": (
        gettext_lazy("{seat} plays {tactic}: {card} goes from flag {flag} to flag {target}"),
        gettext_lazy("You play {tactic}: {card} goes from flag {flag} to flag {target}"),
    ),
    "discard": (
        gettext_lazy("{seat} plays {tactic}: {card} leaves flag {flag} for the discard"),
        gettext_lazy("You play {tactic}: {card} leaves flag {flag} for the discard"),
    ),
    "deserter": (
        gettext_lazy("{seat} plays {tactic}: {card} deserts flag {flag}"),
        gettext_lazy("You play {tactic}: {card} deserts flag {flag}"),
    ),
    "traitor": (
        gettext_lazy("{seat} plays {tactic}: {card} changes sides, from flag {flag} to flag {target}"),
        gettext_lazy("You play {tactic}: {card} changes sides, from flag {flag} to flag {target}"),
    ),
}
"""About a seat, and to who sits there."""


def describe_guile(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a guile tactic: Scout, Redeploy, Deserter or Traitor."""
    tactic = event["action"].split()[0]
    card, flag, target = (*arguments, "", "", "")[:3]
    template, own = GUILE_TEMPLATES["discard" if target == "discard" else tactic]
    sentence = say(
        wording,
        event["seat"],
        str(template),
        str(own),
        tactic=wording.token(tactic),
        card=wording.token(card) if card else "",
        flag=flag,
        target=target,
    )
    return Line(sentence)


def describe_pass(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a pass."""
    return Line(say(wording, event["seat"], _("{seat} passes"), _("You pass")))


def describe_pick(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a tile that is picked in the draft."""
    tile = name_tile(wording, arguments[0])
    return Line(say(wording, event["seat"], _("{seat} picks {tile}"), _("You pick {tile}"), tile=tile))


def describe_lay(wording: Wording, event: Json, arguments: Sequence[str]) -> Line:
    """Describe a tile that is laid after the draft."""
    tile, side = arguments
    templates = {
        "up": (_("{seat} lays {tile} face up"), _("You lay {tile} face up")),
        "down": (_("{seat} lays {tile} face down: plain ground"), _("You lay {tile} face down: plain ground")),
    }
    template, own = templates[side]
    return Line(say(wording, event["seat"], template, own, tile=name_tile(wording, tile)))


def name_tile(wording: Wording, tile: str) -> Part:
    """Return a tile, which the onlooker may not see."""
    return Part(_("a tile")) if tile == "?" else wording.tile_token(tile)


DESCRIBERS: dict[str, Callable[[Wording, Json, Sequence[str]], Line]] = {
    "forfeit": describe_forfeit,
    "return": describe_return,
    "play": describe_play,
    **dict.fromkeys(("scout", "redeploy", "deserter", "traitor"), describe_guile),
    "pass": describe_pass,
    "pick": describe_pick,
    "lay": describe_lay,
}
"""By the first word of an action; the others are described together with what follows from them, or not at all."""


ENDING_LABELS = {
    "breakthrough": gettext_lazy("breakthrough"),
    "envelopment": gettext_lazy("envelopment"),
    "passes": gettext_lazy("two passes"),
}
"""By reason for which a leg ends."""


def describe_ending(wording: Wording, result: Json, envelopment: int) -> str:
    """Return how a leg ended, as one sentence without its stop."""
    reason = result["reason"]
    winners = [seat for seat, place in enumerate(result["places"]) if place == 1]
    if len(winners) > 1:
        flags = int(result["scores"][0])
        return ngettext(
            "Drawn: both passed, and each holds %(flags)s flag",
            "Drawn: both passed, and each holds %(flags)s flags",
            flags,
        ) % {"flags": flags}
    counts = {3: _("three"), 5: _("five")}
    values = {"seat": wording.seat(winners[0]), "count": counts.get(envelopment, envelopment)}
    endings = {
        "breakthrough": _("%(seat)s wins by breakthrough: three flags side by side"),
        "envelopment": _("%(seat)s wins by envelopment: %(count)s flags"),
        "passes": _("%(seat)s wins on flags after two passes"),
    }
    if reason in endings:
        return endings[reason] % values
    fault = describe_fault(wording.seat(1 - winners[0]), reason)
    return _("%(seat)s wins: %(fault)s") % {**values, "fault": fault}

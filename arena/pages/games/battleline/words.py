"""Battle Line in sentences: what was played, claimed, drawn, and how it ended."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from arena.pages.games.battleline.wording import Wording
from arena.pages.games.picture import Line, tell_verdict
from engine.core import Json

KEPT = 8192
"""So many sentences of the commonest kinds are kept: a leg has a hundred of them, and few are new."""


def say(wording: Wording, events: Sequence[Json]) -> list[Line]:
    """One line for each event that is worth one; what is drawn belongs to the action before it."""
    lines: list[Line] = []
    claimant = None
    for place, event in enumerate(events):
        verb, *words = event.get("action", "").split() or [""]
        if verb == "claim":
            claimant = event["seat"]
            lines += say_claim(wording, event, drawn_after(events[place + 1 :]))
        elif verb == "remove":
            lines.append(say_removal(wording, event, is_claimant=event["seat"] == claimant))
        elif verb == "draw":
            lines.append(say_draw(wording, event, drawn_after(events[place + 1 :])))
        elif event.get("event") == "award":
            lines.append(say_award(wording, event))
        elif verb in VERBS:
            lines.append(VERBS[verb](wording, event, words))
    return lines


def drawn_after(events: Sequence[Json]) -> list[Json]:
    drawn: list[Json] = []
    for event in events:
        if event.get("event") != "draw":
            break
        drawn.append(event)
    return drawn


def say_award(wording: Wording, event: Json) -> Line:
    words = {"seat": wording.seat(event["seat"]), "flag": event["flag"]}
    return Line(_("Flag %(flag)s is awarded to %(seat)s, which can prove it") % words, is_weighty=True)


def say_claim(wording: Wording, event: Json, drawn: Sequence[Json]) -> list[Line]:
    """The claim, and what Fields bring with it."""
    seat, held = wording.seat(event["seat"]), wording.held(event["formation"], event["sum"])
    words = {"seat": seat, "flag": event["action"].split()[1], "held": held}
    lines = [Line(_("%(seat)s claims flag %(flag)s: %(held)s") % words, is_weighty=True)]
    if drawn:
        sentence = _("The {tile} bring {seat} {cards}")
        tile = wording.tile_token("fields")
        lines.append(Line(fill(sentence, tile=tile, seat=seat, cards=name_drawn(wording, cards_of(drawn)))))
    return lines


def say_removal(wording: Wording, event: Json, is_claimant: bool) -> Line:
    """What a claimed Watchtower takes from the other side, or claimed Marshes from the one who did not claim them."""
    card, flag = event["action"].split()[1:]
    tile = wording.tile_token("watchtower" if is_claimant else "marshes")
    seat = wording.seat(event["seat"])
    sentence = (
        _("{seat} uses the {tile}: {card} leaves flag {flag}")
        if is_claimant
        else _("{seat} loses {card} at flag {flag} to the {tile}")
    )
    return Line(fill(sentence, seat=seat, tile=tile, card=wording.token(card), flag=flag))


def say_draw(wording: Wording, event: Json, drawn: Sequence[Json]) -> Line:
    return tell_draw(wording, event["seat"], cards_of(drawn), get_language())


@lru_cache(KEPT)
def tell_draw(wording: Wording, seat: int, drawn: Sequence[tuple[str, str]], language: str | None) -> Line:
    return Line(fill(_("{seat} draws {cards}"), seat=wording.seat(seat), cards=name_drawn(wording, drawn)))


def fill(sentence: str, **words: object) -> SafeString:
    """A translated sentence with its words put in; markup only from words that are safe."""
    return format_html(sentence, **words)


def cards_of(drawn: Sequence[Json]) -> tuple[tuple[str, str], ...]:
    """Each with its deck; the deck alone where the card isn't seen."""
    return tuple((event.get("card", ""), event.get("deck", "")) for event in drawn)


def name_drawn(wording: Wording, drawn: Sequence[tuple[str, str]]) -> SafeString:
    cards = [(wording.token(card) if card else name_deck(deck),) for card, deck in drawn]
    return format_html_join(mark_safe(", "), "{}", cards)


def name_deck(deck: str) -> str:
    return _("a tactics card") if deck == "tactic" else _("a troop")


def say_forfeit(wording: Wording, event: Json, words: Sequence[str]) -> Line:
    return Line(tell_verdict(wording.seat(event["seat"]), event["verdict"]), is_weighty=True)


def say_return(wording: Wording, event: Json, words: Sequence[str]) -> Line:
    card = name_deck(event["deck"]) if words[0] == "?" else wording.token(words[0])
    return Line(fill(_("{seat} puts {card} back on its deck"), seat=wording.seat(event["seat"]), card=card))


def say_play(wording: Wording, event: Json, words: Sequence[str]) -> Line:
    card, flag = words
    return tell_play(wording, event["seat"], card, flag, get_language())


@lru_cache(KEPT)
def tell_play(wording: Wording, seat: int, card: str, flag: str, language: str | None) -> Line:
    sentences = {
        "fog": _("{seat} lays {card} on flag {flag}: only the sum counts there"),
        "mud": _("{seat} lays {card} on flag {flag}: one card more for each side"),
    }
    sentence = sentences.get(card, _("{seat} plays {card} at flag {flag}"))
    return Line(fill(sentence, seat=wording.seat(seat), card=wording.token(card), flag=flag))


GUILE = {
    "scout": gettext_lazy("{seat} plays {tactic}"),
    "redeploy": gettext_lazy("{seat} plays {tactic}: {card} goes from flag {flag} to flag {target}"),
    "discard": gettext_lazy("{seat} plays {tactic}: {card} leaves flag {flag} for the discard"),
    "deserter": gettext_lazy("{seat} plays {tactic}: {card} deserts flag {flag}"),
    "traitor": gettext_lazy("{seat} plays {tactic}: {card} changes sides, from flag {flag} to flag {target}"),
}


def say_guile(wording: Wording, event: Json, words: Sequence[str]) -> Line:
    tactic = event["action"].split()[0]
    card, flag, target = (*words, "", "", "")[:3]
    sentence = GUILE["discard" if target == "discard" else tactic]
    return Line(
        fill(
            str(sentence),
            seat=wording.seat(event["seat"]),
            tactic=wording.token(tactic),
            card=wording.token(card) if card else "",
            flag=flag,
            target=target,
        )
    )


def say_pass(wording: Wording, event: Json, words: Sequence[str]) -> Line:
    return Line(fill(_("{seat} passes"), seat=wording.seat(event["seat"])))


def say_pick(wording: Wording, event: Json, words: Sequence[str]) -> Line:
    tile = _("a tile") if words[0] == "?" else wording.tile_token(words[0])
    return Line(fill(_("{seat} picks {tile}"), seat=wording.seat(event["seat"]), tile=tile))


def say_lay(wording: Wording, event: Json, words: Sequence[str]) -> Line:
    tile, way = words
    sentences = {
        "up": _("{seat} lays {tile} face up"),
        "down": _("{seat} lays {tile} face down: plain ground"),
    }
    shown = _("a tile") if tile == "?" else wording.tile_token(tile)
    return Line(fill(sentences[way], seat=wording.seat(event["seat"]), tile=shown))


VERBS: dict[str, Callable[[Wording, Json, Sequence[str]], Line]] = {
    "forfeit": say_forfeit,
    "return": say_return,
    "play": say_play,
    **dict.fromkeys(("scout", "redeploy", "deserter", "traitor"), say_guile),
    "pass": say_pass,
    "pick": say_pick,
    "lay": say_lay,
}
"""By the first word of an action; the others are told together with what follows from them, or not at all."""


def tell_ending(wording: Wording, result: Json, envelopment: int) -> str:
    """How a leg ended, as one sentence."""
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
    words = {"seat": wording.seat(winners[0]), "count": counts.get(envelopment, envelopment)}
    endings = {
        "breakthrough": _("%(seat)s wins by breakthrough: three flags side by side"),
        "envelopment": _("%(seat)s wins by envelopment: %(count)s flags"),
        "passes": _("%(seat)s wins on flags after two passes"),
    }
    if reason in endings:
        return endings[reason] % words
    return _("%(seat)s wins: %(fault)s") % (words | {"fault": tell_verdict(wording.seat(1 - winners[0]), reason)})

"""Choices of Battle Line in words, as an analysis names them, and the kinds of mistakes."""

from collections.abc import Callable, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.games.battleline.wording import Wording
from arena.pages.games.sentence import Sentence, format_sentence

MISTAKE_LABELS: dict[str, str | Promise] = {
    "flag": gettext_lazy("plays the right card at the wrong flag"),
    "card": gettext_lazy("plays the wrong card at the right flag"),
    "placement": gettext_lazy("plays the wrong card at the wrong flag"),
    "tactic-missed": gettext_lazy("plays a troop where a tactics card is better"),
    "tactic-wasted": gettext_lazy("plays a tactics card where a troop is better"),
    "tactic-used": gettext_lazy("uses tactics cards in the wrong way"),
    "pass": gettext_lazy("passes where a card is better"),
    "deck": gettext_lazy("draws from the wrong deck"),
    "returned": gettext_lazy("puts the wrong card back"),
    "removed": gettext_lazy("removes the wrong card"),
    "other": gettext_lazy("chooses the wrong kind of action"),
}
"""By kind, as after "it" (`engine.analysis.battleline.MISTAKE_KINDS`)."""


def name_choice(wording: Wording, action: str) -> Sentence | str:
    """Return an action as a phrase: "yellow 9 at flag 4"."""
    verb, *words = action.split()
    return CHOICE_NAMERS[verb](wording, words) if verb in CHOICE_NAMERS else action


def name_play(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a card that is played at a flag."""
    return format_sentence(_("{card} at flag {flag}"), card=wording.token(words[0]), flag=words[1])


def name_scout(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name the Scout."""
    return wording.tokens(["scout"])


def name_redeploy(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a redeployment."""
    card, flag, target = words
    template = (
        _("{tactic}: {card} from flag {flag} to the discard")
        if target == "discard"
        else _("{tactic}: {card} from flag {flag} to flag {target}")
    )
    tactic = wording.token("redeploy")
    return format_sentence(template, tactic=tactic, card=wording.token(card), flag=flag, target=target)


def name_deserter(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a Deserter and the card that leaves."""
    values = {"tactic": wording.token("deserter"), "card": wording.token(words[0]), "flag": words[1]}
    return format_sentence(_("{tactic}: {card} at flag {flag}"), **values)


def name_traitor(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a Traitor and where the card goes."""
    card, flag, target = words
    values = {"tactic": wording.token("traitor"), "card": wording.token(card), "flag": flag, "target": target}
    return format_sentence(_("{tactic}: {card} from flag {flag} to flag {target}"), **values)


def name_draw(wording: Wording, words: Sequence[str]) -> str | Sentence:
    """Name the decks that are drawn from."""
    names = {"troop": _("drawing a troop"), "tactic": _("drawing a tactics card")}
    if len(words) == 1:
        return names[words[0]]
    values = {"troops": words.count("troop"), "tactics": words.count("tactic")}
    return _("drawing %(troops)s troops and %(tactics)s tactics cards") % values


def name_return(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a card that is put back."""
    return format_sentence(_("putting {card} back"), card=wording.token(words[0]))


def name_removal(wording: Wording, words: Sequence[str]) -> Sentence:
    """Name a card that is removed."""
    return format_sentence(_("removing {card} at flag {flag}"), card=wording.token(words[0]), flag=words[1])


def name_claim(wording: Wording, words: Sequence[str]) -> str:
    """Name a claim."""
    return _("claiming flag %(flag)s") % {"flag": words[0]}


def name_done(wording: Wording, words: Sequence[str]) -> str:
    """Name the end of a turn."""
    return _("ending the turn")


def name_pass(wording: Wording, words: Sequence[str]) -> str:
    """Name a pass."""
    return _("passing")


CHOICE_NAMERS: dict[str, Callable[[Wording, Sequence[str]], Sentence | str]] = {
    "play": name_play,
    "scout": name_scout,
    "redeploy": name_redeploy,
    "deserter": name_deserter,
    "traitor": name_traitor,
    "draw": name_draw,
    "return": name_return,
    "remove": name_removal,
    "pass": name_pass,
    "claim": name_claim,
    "done": name_done,
}
"""By the first word of an action."""

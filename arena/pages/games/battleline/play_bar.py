"""The bar above the reader's hand: the parts of the turn, what to do now, and what can be done besides."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from arena.pages.formatting import join_words
from arena.pages.games.battleline.descriptions import CLAIMED_FLAGS
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.play.parts import Bar, Option, Stage, describe_waiting
from arena.pages.play.table import PlayTable

Caption = Sentence | str


def build_bar(wording: Wording, table: PlayTable) -> Bar:
    """Return the bar."""
    if not table.is_own_turn:
        return Bar(describe_waiting(table))
    decision = table.scene.after[table.near]["decision"]
    caption = describe_decision(wording, table, decision)
    claims = describe_claims(table, is_late=decision == "finish")
    return Bar(
        caption=join_captions(caption, claims) if claims else caption,
        stages=list_stages(table, decision),
        options=list_options(wording, table),
    )


def join_captions(*captions: Caption) -> Caption:
    """Return captions one after the other."""
    template = " ".join(f"{{{place}}}" for place in range(len(captions)))
    return format_sentence(template, **{str(place): caption for place, caption in enumerate(captions)})


def list_stages(table: PlayTable, decision: str) -> Sequence[Stage]:
    """Return the parts of the turn; none before the first."""
    if decision in ("pick", "lay", "draft"):
        return ()
    may_claim = bool(list_claims(table))
    return (
        Stage(_("Claim?"), is_open=may_claim),
        Stage(pgettext("part of a turn", "Play"), is_now=decision != "finish"),
        Stage(_("Draw"), is_now=decision == "finish"),
    )


def list_claims(table: PlayTable) -> list[str]:
    """Return the numbers of the flags that the reader can claim."""
    return [action.removeprefix("claim ") for action in table.legal if action.startswith("claim ")]


def describe_claims(table: PlayTable, is_late: bool) -> str:
    """Return what can be claimed, in a sentence; empty where nothing can."""
    claims = list_claims(table)
    if not claims:
        return ""
    flags = join_words([str(CLAIMED_FLAGS[flag]) for flag in claims], _("%(first)s and %(last)s"))
    return (_("You may still claim %(flags)s.") if is_late else _("You may also claim %(flags)s.")) % {"flags": flags}


def describe_decision(wording: Wording, table: PlayTable, decision: str) -> Caption:
    """Return what the reader is to do now."""
    view = table.scene.after[table.near]
    if table.chosen:
        return describe_chosen(wording, table)
    if decision == "finish":
        return describe_draw(table)
    if decision == "scout":
        return describe_scout(table)
    if decision == "return":
        left = view["returning"]["left"]
        return ngettext(
            "Put %(count)s card back; it lies on top of its deck.",
            "Put %(count)s cards back; the last one lies on top.",
            left,
        ) % {"count": left}
    other = {"other": wording.seat(1 - table.near)}
    return {
        "play": _("Your turn. Choose a card."),
        "marshes": _("Marshes: choose a troop of yours that leaves its flag."),
        "watchtower": _("Watchtower: choose a troop of %(other)s beside the flag.") % other,
        "draft": _("Pick a tile; the others go to %(other)s.") % other,
        "lay": _("Choose a tile for the next place from the left."),
    }[decision]


def describe_chosen(wording: Wording, table: PlayTable) -> Caption:
    """Return what is to be chosen next, after the words chosen so far."""
    first, *rest = table.chosen
    if first == "play":
        count = len(table.list_next_words())
        sentence = ngettext(
            "Choose a flag for {card}. {count} flag is open to it.",
            "Choose a flag for {card}. {count} flags are open to it.",
            count,
        )
        return format_sentence(sentence, card=wording.token(rest[0]), count=count)
    if first == "lay":
        return format_sentence(_("Lay {tile} face up, or face down as plain ground?"), tile=wording.tile_token(rest[0]))
    if first == "scout":
        return format_sentence(_("{card}: you draw three cards, then put two back."), card=wording.token(first))
    if first == "redeploy" and not rest:
        return format_sentence(_("{card}: choose the card to move."), card=wording.token(first))
    if not rest:
        sentence = _("{card}: choose a card of {other}.")
        return format_sentence(sentence, card=wording.token(first), other=wording.seat(1 - table.near))
    if first == "redeploy":
        return format_sentence(_("Choose the new place of {card}, or the discard."), card=wording.token(rest[0]))
    return format_sentence(_("Choose the new place of {card}."), card=wording.token(rest[0]))


def describe_draw(table: PlayTable) -> str:
    """Return from which decks the reader can draw at the end of the turn."""
    if not any(action.startswith("draw ") for action in table.legal):
        return _("There is nothing to draw.")
    left = table.scene.after[table.near]["decks"]
    if not table.scene.options["tactics"]:
        return _("Draw a card: %(troops)s troops are left.") % {"troops": left["troop"]}
    values = {"troops": left["troop"], "tactics": left["tactic"]}
    return _("Choose a deck: %(troops)s troops, %(tactics)s tactics.") % values


def describe_scout(table: PlayTable) -> str:
    """Return which card of Scout is drawn, or that all are named at once."""
    if table.scene.options["scout"] == "at-once":
        return _("Choose the decks of the cards you draw.")
    drawn = sum(entry.action.startswith("draw ") for entry in table.scene.step.entries)
    return _("Draw card %(number)s of 3: choose a deck.") % {"number": drawn + 1}


def list_options(wording: Wording, table: PlayTable) -> list[Option]:
    """Return what can be done that is neither a card nor a flag nor a deck."""
    names = {
        ("pass",): _("Pass"),
        ("done",): _("End the turn"),
        ("lay", "up"): _("Face up"),
        ("lay", "down"): _("Face down"),
        ("redeploy", "discard"): _("To the discard"),
    }
    options = []
    for words, label in names.items():
        begun = table.chosen[:1] == words[:1] and len(words) > 1
        choice = table.choose_next(words[-1]) if begun else table.choose(*words) if len(words) == 1 else None
        if choice:
            options.append(Option(choice, label))
    if table.chosen == ("scout",) and (choice := table.choose("scout")):
        options.append(Option(choice, format_sentence(_("Play {card}"), card=wording.token("scout"))))
    return options + list_draws_at_once(table)


def list_draws_at_once(table: PlayTable) -> list[Option]:
    """Return the draws of more than one card, where they are named at once."""
    options = []
    for action in table.legal:
        verb, *decks = action.split(" ")
        choice = table.choose(verb, *decks)
        if verb == "draw" and len(decks) > 1 and choice:
            options.append(Option(choice, describe_draws(decks.count("troop"), decks.count("tactic"))))
    return options


def describe_draws(troops: int, tactics: int) -> str:
    """Return how many cards of which deck are drawn."""
    words = []
    if troops:
        words.append(ngettext("%(count)s troop", "%(count)s troops", troops) % {"count": troops})
    if tactics:
        words.append(ngettext("%(count)s tactics card", "%(count)s tactics cards", tactics) % {"count": tactics})
    return ", ".join(words)

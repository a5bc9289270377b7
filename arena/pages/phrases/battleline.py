"""What the referee of Battle Line says of actions that are refused."""

from django.utils.translation import gettext_noop as _

REFUSALS = (
    _("the play is over"),
    _("the referee asks for %(asked)s now (BL-1)"),
    _("%(card)s is not in the hand"),
    _("a seat that has played more tactics than the other may not play another (BL-30)"),
    _("a troop can still be played, so passing isn't allowed (BL-22)"),
    _("a card can still be played, so passing isn't allowed (BL-23)"),
    _("the tile %(tile)s is not here to pick (BL-70)"),
    _("the tile %(tile)s is not here to lay (BL-70)"),
    _("only troops are put back for Fields (BL-65)"),
    _("flag %(flag)s is claimed already (BL-5)"),
    _("the own side of flag %(flag)s has fewer than %(amount)s cards (BL-16)"),
    _("flags may be claimed only at the start of the turn (BL-1)"),
    _("flag %(flag)s is tied, and the own side placed its last card later (BL-15)"),
    _("the other side of flag %(flag)s is complete and higher (BL-16)"),
    _("the other side of flag %(flag)s could still win it with %(cards)s (BL-16)"),
    _("the decks hold no such cards, or another number must be drawn (BL-35)"),
    _("a card must be drawn (BL-4)"),
    _("the troop deck is empty (BL-4)"),
    _("the tactic deck is empty (BL-4)"),
    _("nothing is drawn at the end of this turn (BL-4, BL-35)"),
    _("both decks are empty (BL-35)"),
    _("%(card)s is not played at a flag (BL-34)"),
    _("flag %(flag)s is claimed (BL-5)"),
    _("%(card)s, or a tile that does the same, lies at flag %(flag)s already (BL-33)"),
    _("this seat has played its leader (BL-31)"),
    _("the own side of flag %(flag)s has no free slot (%(ruling)s)"),
    _("only a troop is removed (BL-61, BL-63)"),
    _("%(card)s is not an own troop at flag %(flag)s, or the flag is claimed (BL-61)"),
    _("%(card)s is not a troop of the other side at flag %(flag)s, unclaimed and beside flag %(by)s (BL-63)"),
    _("%(card)s does not lie on the own side of flag %(flag)s (%(ruling)s)"),
    _("%(card)s does not lie on the other side of flag %(flag)s (%(ruling)s)"),
    _("only a troop can be a traitor (BL-38)"),
    _("a redeployed card goes to another flag or to the discard (BL-36)"),
)
"""What the rules forbid."""
ASKED = (
    _("a claim or a card to play"),
    _("a claim or the draw that ends the turn"),
    _("a draw of the Scout"),
    _("a card to put back"),
    _("an own troop to remove"),
    _("a troop of the other side to remove"),
    _("a tile to pick"),
    _("a tile to lay"),
)
"""What it asks for instead."""
WORDS = (
    _("unknown action %(words)s; an action begins with %(verbs)s"),
    _("%(words)s should read %(shape)s"),
    _("there is no card %(words)s"),
    _("there is no flag %(words)s; flags are 1 to %(last)s"),
    _("there is no deck %(words)s; there are troop and tactic"),
    _(
        "there is no tile %(words)s; there are castle and marshes and river and watchtower and town and fields and "
        "fortress and hills and woodland"
    ),
    _("there is no face %(words)s; there are down and up"),
)
"""What is not of the grammar."""

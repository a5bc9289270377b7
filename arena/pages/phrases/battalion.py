"""What the referee of Battalion says of actions that are refused, beside what that of Battle Line says too."""

from django.utils.translation import gettext_noop as _

REFUSALS = (
    _("the referee asks for a deployment now (BT-2)"),
    _("formations are deployed once, before the first turn (BT-2)"),
    _("%(card)s lies %(place)s and %(beside)s, but a seat has one of each card (BT-1)"),
    _("the guard is a card from 2 to 10, not %(card)s (BT-2)"),
    _("a formation has one to three rows, not %(rows)s (BT-2)"),
    _("row %(row)s has %(cells)s cells; a row has one to four (BT-2)"),
    _("cells %(cell)s at %(left)s and %(goal)s at %(right)s are less than 2 apart (BT-3)"),
    _("cell %(cell)s is not connected with cell 1a (BT-3)"),
    _("this seat has reformed already, and may do so once a game (BT-35)"),
    _("in a turn in which the wounded were picked up there is no reforming (BT-14)"),
    _("reforming is a whole turn, and cards have been moved in this one (BT-10)"),
    _("there is no card in the formation that could be laid out anew (BT-35)"),
    _("a formation is laid out anew in at most two rows, not %(rows)s (BT-35)"),
    _("%(card)s lies %(place)s and %(beside)s, but there is one of it (BT-1, BT-35)"),
    _("%(card)s %(place)s is not a card of the formation (BT-35)"),
    _(
        "%(card)s from cell %(cell)s is left out; all cards of the formation are laid out, but for one that may be "
        "taken into the hand (BT-35)"
    ),
    _("%(card)s at cell %(cell)s would be farther from the back row than before (BT-35)"),
    _("%(error)s; a formation laid out anew keeps these limits too (BT-35)"),
    _("the wounded are picked up as the first thing in a turn, before any move (BT-14)"),
    _("the wounded are picked up only with no card in the hand (BT-14)"),
    _("there is no wounded card to pick up (BT-14)"),
    _("the guard stays in its cell while its seat has any other card (BT-17)"),
    _("the own formation has no cell %(cell)s (%(ruling)s)"),
    _("the own cell %(cell)s is empty (%(ruling)s)"),
    _("the own cell %(cell)s is not empty (%(ruling)s)"),
    _("the card in %(cell)s has moved in this turn already (BT-12)"),
    _("only a card from 2 to 10 can be the guard, not %(card)s (%(ruling)s)"),
    _("no direct path leads from %(cell)s to %(goal)s through empty cells of the own formation (BT-11, BT-12)"),
    _("%(card)s is not in the hand (BT-13)"),
    _("the back row has no empty cell where a card could enter (BT-13)"),
    _("no direct path leads from an empty cell of the back row to %(cell)s (BT-11, BT-13)"),
    _("a modification of %(change)s is in force, and the die is not rolled before it is back (BT-30)"),
    _("a seat does not attack its own cards (BT-20)"),
    _("there is no seat %(seat)s; seats are 0 to %(last)s (BT-1)"),
    _("seat %(seat)s is out (BT-40)"),
    _("seat %(seat)s was attacked in the turn before, and not twice in a row (BT-16)"),
    _("seat %(seat)s's formation has no cell %(cell)s (BT-20)"),
    _("a King strikes no guard and no guard cell (BT-25)"),
    _("the guard cell %(target)s is empty, so a Jack has nothing to look at (BT-24)"),
    _("the cell %(target)s is empty (BT-20)"),
    _("every path from %(cell)s to %(target)s has more than one occupied cell between (BT-22, BT-26)"),
    _("no direct path leads from %(cell)s to %(target)s: cells between are occupied (BT-11, BT-20)"),
)
"""What the rules forbid."""
PLACES = (
    _("in cell %(cell)s"),
    _("in row %(row)s"),
    _("in the guard cell"),
    _("in the hand"),
)
"""Where a card is laid."""
WORDS = (
    _("%(words)s is longer than any formation"),
    _("%(words)s should read 'reform ROWS' or 'reform ROWS hand=CARD'"),
    _("%(words)s should read %(key)s=CARD"),
    _("%(words)s should read SEAT:CELL, as in 1:2b"),
    _(
        "%(words)s in row %(row)s should read x=CARD with a whole number x from -99 to 99, cells separated by ',' and "
        "rows by '/'"
    ),
    _("there is no card %(words)s; cards are %(cards)s"),
    _("there is no card %(words)s in row %(row)s; cards are %(cards)s"),
    _("there is no card %(words)s in %(key)s=CARD; cards are %(cards)s"),
    _("there is no cell %(words)s; cells are 1a to 3d, the guard's is g"),
)
"""What is not of the grammar."""

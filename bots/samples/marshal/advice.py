"""Estimate the worth of each action for a seat."""

from collections.abc import Mapping, Sequence

from outlook import Flag, Outlook, without

from engine.core import Json, Seat
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, FIRST_TACTIC

MORALE_COST = {"leader-1": 0.15, "leader-2": 0.15, "cavalry": 0.05, "shield": 0.02}
"""Increase of the chances above which a morale card is played."""
GUILE_COST = 0.25
"""Increase of the chances above which another tactic is played."""
TACTIC_WORTH = 0.2
"""Worth of a tactic in the hand."""


class Advice:
    """Estimate how much each action adds to the chances of a seat, given its view."""

    def __init__(self, options: Json, view: Json, seat: Seat) -> None:
        self.outlook = Outlook(options, view, seat)
        self.card = CARD_NAMES_BY_COLOURS[options["colours"]].card
        self.troops = self.outlook.troops
        self.now = {number: self.outlook.chance(flag, self.troops) for number, flag in self.outlook.flags.items()}
        self.losses: dict[int, dict[int, float]] = {}

    @property
    def hope(self) -> float:
        """The chances of the seat from -1 to 1."""
        return round(2 * sum(self.now.values()) / max(1, len(self.now)) - 1, 3)

    def worth(self, action: str) -> float:
        """Return the worth of a play, of a removal or of returning a card."""
        verb, *words = action.split()
        if verb in ("pass", "scout"):
            return -1.0 if verb == "pass" else -0.02
        if verb == "return":
            return -self.card_worth(self.card[words[0]])
        card, number = self.card[words[0]], int(words[1])
        if verb == "play":
            return self.play_worth(words[0], card, number)
        if verb == "remove":
            own = card in self.outlook.flags[number].sides[0]
            return self.change({number: self.outlook.flags[number].lifted(card, 0 if own else 1)})
        return self.guile_worth(verb, card, number, words[2:]) - GUILE_COST

    def change(self, flags: Mapping[int, Flag], troops: int | None = None) -> float:
        """Return how much these changed flags add to the sum of the chances."""
        troops = self.troops if troops is None else troops
        return sum(self.outlook.chance(flag, troops) - self.now[number] for number, flag in flags.items())

    def play_worth(self, name: str, card: int, number: int) -> float:
        flag = self.outlook.flags[number]
        if name in ("fog", "mud"):
            return self.change({number: flag.fogged() if name == "fog" else flag.muddied()}) - GUILE_COST
        if card >= FIRST_TACTIC:
            return self.change({number: flag.placed(card)}) - MORALE_COST[name]
        left = without(self.troops, [card])
        losses = self.losses_without(card)
        return self.change({number: flag.placed(card)}, left) + sum(losses.values()) - losses[number]

    def losses_without(self, card: int) -> dict[int, float]:
        """Return by flag the change of the chance without the card in the hand."""
        if card not in self.losses:
            left = without(self.troops, [card])
            flags = self.outlook.flags.items()
            self.losses[card] = {number: self.outlook.chance(flag, left) - self.now[number] for number, flag in flags}
        return self.losses[card]

    def card_worth(self, card: int) -> float:
        return TACTIC_WORTH if card >= FIRST_TACTIC else -sum(self.losses_without(card).values())

    def guile_worth(self, verb: str, card: int, number: int, target: Sequence[str]) -> float:
        """Return the change of the chances by Redeploy, Deserter or Traitor."""
        flags = {number: self.outlook.flags[number].lifted(card, 0 if verb == "redeploy" else 1)}
        if target and target[0] != "discard":
            other = int(target[0])
            flags[other] = flags.get(other, self.outlook.flags[other]).placed(card)
        return self.change(flags)

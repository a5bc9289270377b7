"""Which action looks best from where a seat sits: an estimate for bots, not a rule."""

from collections.abc import Mapping, Sequence

from outlook import Flag, Outlook, without

from engine.core import Json, Seat
from engine.games.battleline.cards import FIRST_TACTIC, NAMES

PRICE = {"leader-1": 0.15, "leader-2": 0.15, "cavalry": 0.05, "shield": 0.02}
"""What a morale card must add to the chances to be played now."""
GUILE_PRICE = 0.25
"""What another tactic must add."""
TACTIC_WORTH = 0.2
"""What a tactic in the hand is worth."""


class Advice:
    """What each action would add to a seat's chances, as far as its view tells."""

    def __init__(self, options: Json, view: Json, seat: Seat) -> None:
        self.outlook = Outlook(options, view, seat)
        self.card = NAMES[options["colours"]].card
        self.troops = self.outlook.troops
        self.now = {number: self.outlook.chance(flag, self.troops) for number, flag in self.outlook.flags.items()}
        self.losses: dict[int, dict[int, float]] = {}

    @property
    def hope(self) -> float:
        """The own chances from -1 to 1."""
        return round(2 * sum(self.now.values()) / max(1, len(self.now)) - 1, 3)

    def worth(self, action: str) -> float:
        """For a play, a removal, or a card put back; claims are always worth it."""
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
        return self.guile_worth(verb, card, number, words[2:]) - GUILE_PRICE

    def change(self, flags: Mapping[int, Flag], troops: int | None = None) -> float:
        """What these flags, as they would be, add to the sum of the chances."""
        troops = self.troops if troops is None else troops
        return sum(self.outlook.chance(flag, troops) - self.now[number] for number, flag in flags.items())

    def play_worth(self, name: str, card: int, number: int) -> float:
        flag = self.outlook.flags[number]
        if name in ("fog", "mud"):
            return self.change({number: flag.fogged() if name == "fog" else flag.muddied()}) - GUILE_PRICE
        if card >= FIRST_TACTIC:
            return self.change({number: flag.placed(card)}) - PRICE[name]
        left = without(self.troops, [card])
        losses = self.losses_without(card)
        return self.change({number: flag.placed(card)}, left) + sum(losses.values()) - losses[number]

    def losses_without(self, card: int) -> dict[int, float]:
        """By flag: what it would change if the card were gone from the hand."""
        if card not in self.losses:
            left = without(self.troops, [card])
            flags = self.outlook.flags.items()
            self.losses[card] = {number: self.outlook.chance(flag, left) - self.now[number] for number, flag in flags}
        return self.losses[card]

    def card_worth(self, card: int) -> float:
        return TACTIC_WORTH if card >= FIRST_TACTIC else -sum(self.losses_without(card).values())

    def guile_worth(self, verb: str, card: int, number: int, target: Sequence[str]) -> float:
        """Redeploy, Deserter, Traitor: the change at the flags they touch."""
        flags = {number: self.outlook.flags[number].lifted(card, 0 if verb == "redeploy" else 1)}
        if target and target[0] != "discard":
            other = int(target[0])
            flags[other] = flags.get(other, self.outlook.flags[other]).placed(card)
        return self.change(flags)

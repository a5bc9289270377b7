"""Follow the events to learn more about the opponents' hidden cards than the view shows.

A wounded pile is open until it is picked up, so the cards of a hand that was filled from it are known, though not which
of them goes into which cell. Hidden cards are kept in lots: sets of cards, and the places where they can be.
"""

from card_odds import CARDS

HAND = "hand"


class CardLots:
    """One opponent's hidden cards. The first lot contains all cards of the start."""

    def __init__(self):
        self.lots = [set(CARDS)]
        self.place = {}
        self.fallen = set()
        """Cards that left the formation since the wounded pile was last picked up."""

    def cards(self, cell):
        return self.lots[self.place.get(cell, 0)]

    def pickup(self):
        for lot in self.lots:
            lot -= self.fallen
        self.lots.append(self.fallen)
        self.place[HAND] = len(self.lots) - 1
        self.fallen = set()

    def move(self, source, target):
        self.place[target] = self.place.get(source, 0)

    def reinforce(self, card, target):
        self.move(HAND, target)

    def reform(self, *words):
        """Forget everything: a reform is hidden."""
        self.lots, self.place = [set(CARDS)], {}


class HiddenCards:
    def __init__(self):
        self.seats = {}

    def lots_of(self, seat):
        return self.seats.setdefault(seat, CardLots())

    def record(self, events):
        for event in events:
            if "action" not in event:
                continue
            word, *rest = event["action"].split()
            if word == "attack":
                self.lots_of(event["seat"]).fallen.add(event["attacker"])
                if event["target"] and event["result"] != "look":
                    self.lots_of(int(rest[1].partition(":")[0])).fallen.add(event["target"])
            elif word in ("pickup", "move", "reinforce", "reform"):
                getattr(self.lots_of(event["seat"]), word)(*rest)

"""What the events tell of an opponent's hidden cards, and the view doesn't.

A wounded pile lies open until it is taken up. So the cards of a hand that was filled from one are known, though not
which of them comes into which cell. Hidden cards are kept in lots: sets of cards, and the places where they can be.
"""

from counting import CARDS

HAND = "hand"


class Lots:
    """One opponent's hidden cards. The first lot is what was there from the start."""

    def __init__(self):
        self.lots = [set(CARDS)]
        self.place = {}
        self.fallen = set()
        """Cards that were seen to leave the formation since the wounded pile was last taken up."""

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
        """Nobody sees where the cards went."""
        self.lots, self.place = [set(CARDS)], {}


class Memory:
    def __init__(self):
        self.seats = {}

    def of(self, seat):
        return self.seats.setdefault(seat, Lots())

    def hear(self, events):
        for event in events:
            if "action" not in event:
                continue
            word, *rest = event["action"].split()
            if word == "attack":
                self.of(event["seat"]).fallen.add(event["attacker"])
                if event["target"] and event["result"] != "look":
                    self.of(int(rest[1].partition(":")[0])).fallen.add(event["target"])
            elif word in ("pickup", "move", "reinforce", "reform"):
                getattr(self.of(event["seat"]), word)(*rest)

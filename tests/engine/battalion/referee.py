"""A second referee of Battalion, written from the rules' text and the protocol's.

It plays beside the engine: the same legal actions, the same views, the same events, the same end.
"""

from tests.engine.battalion.board import CARDS, WORTH, Board, Event, hidden, laid, new_player, veiled

Cell = tuple[int, str]
"""Seat and name of a cell, or `g`."""


def in_order(hand: list[str]) -> list[str]:
    return sorted(hand, key=CARDS.index)


class Referee(Board):
    """One play. It is told only actions that are legal."""

    def __init__(self, seats: int, dice: list[int], quiet_rounds: int = 20, round_limit: int = 150) -> None:
        super().__init__(seats)
        self.dice, self.rolls = dice, 0
        self.quiet_rounds, self.round_limit = quiet_rounds, round_limit
        self.somebody_died = False
        self.gone: list[int] = []
        """Who went out, in order."""
        self.result: tuple[list[int], list[float], str] | None = None
        self.log: list[tuple[Event | None, dict[int, Event]]] = []
        """What is told to those who may know all, and to each seat."""

    def events(self, seat: int | None) -> list[Event]:
        told = [full if seat is None else by_seat.get(seat) for full, by_seat in self.log]
        return [event for event in told if event is not None]

    def tell(self, event: Event, owner: int | None = None, masked: Event | None = None) -> None:
        others = event if masked is None else masked
        self.log.append((event, {seat: event if seat == owner else others for seat in range(len(self.players))}))

    def play(self, action: str) -> None:
        assert self.to_act is not None
        seat, (verb, *words) = self.to_act, action.split(" ")
        if verb == "deploy":
            self.deploy(seat, action)
            return
        said: Event = {"seat": seat, "action": action}
        attacked = int(words[1].split(":")[0]) if verb == "attack" else None
        more = {
            "pickup": self.pick_up,
            "move": self.move,
            "pass": lambda seat: {},
            "attack": self.attack,
            "reinforce": self.reinforce,
            "modify": self.modify,
            "reform": self.reform,
        }[verb](seat, *words)
        masked = said | {"action": more.pop("masked", action)} | more
        self.tell(said | more, seat, masked)
        if verb in ("pickup", "move"):
            return
        for fallen in (attacked, seat):
            if fallen is not None and self.players[fallen].pop("fallen", False):
                self.go_out(fallen)
        self.end_turn(seat, attacked)

    def deploy(self, seat: int, action: str) -> None:
        rows, guard = action.removeprefix("deploy ").split(" guard=")
        player = self.players[seat]
        player["cells"], player["guard"] = laid(rows), {"card": guard, "shown": False}
        used = [guard] + [cell["card"] for cell in player["cells"].values()]
        player["hand"] = [card for card in CARDS if card not in used]
        player["deployed"] = action
        event = {"seat": seat, "action": action}
        self.log.append((event, {seat: event}))
        self.go_on_deploying(seat)

    def go_on_deploying(self, seat: int) -> None:
        """BT-2: nobody sees anything before all have deployed."""
        waiting = [other for other in self.inside() if not self.players[other]["deployed"]]
        self.to_act = waiting[0] if waiting else self.inside()[0]
        if waiting:
            return
        self.deploying, self.round = False, 1
        for owner in self.inside():
            rows = self.players[owner]["deployed"].removeprefix("deploy ").split(" guard=")[0]
            event = {"seat": owner, "action": f"deploy {veiled(rows)} guard=?"}
            self.log.append((None, {other: event for other in range(len(self.players)) if other != owner}))

    def pick_up(self, seat: int) -> Event:
        player = self.players[seat]
        player["hand"], player["wounded"] = in_order(player["wounded"]), []
        self.picked_up = True
        return {}

    def move(self, seat: int, start: str, end: str) -> Event:
        old, new = self.slot(seat, start), self.slot(seat, end)
        new |= {"card": old["card"], "shown": old["shown"]}
        old |= {"card": None, "shown": False}
        self.moved.append(end)
        return {}

    def modify(self, seat: int) -> Event:
        roll = self.dice[self.rolls % len(self.dice)]
        self.rolls += 1
        self.players[seat] |= {"modification": roll - 3, "just_rolled": True}
        return {"roll": roll}

    def reinforce(self, seat: int, card: str, end: str) -> Event:
        self.players[seat]["hand"].remove(card)
        self.slot(seat, end)["card"] = card
        return {"masked": f"reinforce ? {end}"}

    def reform(self, seat: int, rows: str, taken: str = "") -> Event:
        player = self.players[seat]
        shown = {cell["card"] for cell in player["cells"].values() if cell["shown"]}
        player["cells"] = laid(rows)
        for cell in player["cells"].values():
            cell["shown"] = cell["card"] in shown
        if taken:
            player["hand"] = in_order([*player["hand"], taken.removeprefix("hand=")])
        player["reformed"] = True
        return {"masked": f"reform {veiled(rows)}{' hand=?' if taken else ''}"}

    def attack(self, seat: int, start: str, aim: str) -> Event:
        mine, theirs = (seat, start), (int(aim.split(":")[0]), aim.split(":")[1])
        card, target = self.slot(*mine)["card"], self.slot(*theirs)["card"]
        return {"attacker": card, "target": target} | self.fight(card, target, mine, theirs)

    def fight(self, card: str, target: str | None, mine: Cell, theirs: Cell) -> Event:
        if target is None:
            self.players[theirs[0]]["fallen"] = True
            self.win(mine)
            return {"result": "emperor"}
        if card == "J":
            self.slot(*theirs)["shown"] = True
            self.win(mine)
            return {"result": "look"}
        if "K" in (card, target):
            self.die(mine, theirs[0])
            self.die(theirs, mine[0])
            return {"result": "strike" if card == "K" else "tie"}
        if target == "J":
            self.win(mine)
            self.die(theirs, mine[0])
            return {"result": "wins"}
        return self.compare(card, target, mine, theirs)

    def compare(self, card: str, target: str, mine: Cell, theirs: Cell) -> Event:
        skips = self.field().skips(self.place(*mine), self.place(*theirs))
        printed = 8 if card == "Q" and 0 not in skips else WORTH[card]
        values = [printed + self.edge(mine[0]), WORTH[target] + self.edge(theirs[0])]
        if values[0] == values[1]:
            self.die(mine, theirs[0])
            self.die(theirs, mine[0])
            return {"values": values, "result": "tie"}
        winner, loser = (mine, theirs) if values[0] > values[1] else (theirs, mine)
        self.win(winner)
        self.die(loser, winner[0])
        if loser[1] == "g":
            self.players[loser[0]]["fallen"] = True
        return {"values": values, "result": "wins" if winner is mine else "loses"}

    def edge(self, seat: int) -> int:
        value: int | None = self.players[seat]["modification"]
        return value or 0

    def win(self, cell: Cell) -> None:
        """Wounded, but for a guard in its cell (BT-23)."""
        slot = self.slot(*cell)
        if cell[1] == "g":
            slot["shown"] = True
        else:
            self.players[cell[0]]["wounded"].append(slot["card"])
            slot |= {"card": None, "shown": False}

    def die(self, cell: Cell, killer: int) -> None:
        slot = self.slot(*cell)
        self.players[cell[0]]["dead"].append(slot["card"])
        slot |= {"card": None, "shown": False}
        self.players[killer]["kills"] += 1
        self.somebody_died, self.quiet = True, 0

    def go_out(self, seat: int) -> None:
        """BT-40."""
        player = self.players[seat]
        cards: Event = {
            "rows": self.laid_open(seat, full=True),
            "guard": player["guard"] and hidden(**player["guard"], full=True),
            "hand": player["hand"],
            "wounded": player["wounded"],
            "dead": player["dead"],
        }
        self.tell({"event": "out", "seat": seat, "cards": cards})
        kept = {name: player[name] for name in ("kills", "reformed", "deployed")}
        self.players[seat] = new_player() | kept | {"out": True, "hand": []}
        self.gone.append(seat)

    def end_turn(self, seat: int, attacked: int | None) -> None:
        player = self.players[seat]
        if player["just_rolled"]:
            player["just_rolled"] = False
        elif player["modification"] is not None:
            value = player["modification"]
            player["modification"] = None if value == 0 else value - 1 if value > 0 else value + 1
        self.last_turn = seat, attacked
        self.pass_on(seat)

    def pass_on(self, seat: int) -> None:
        """To the next seat that is in, maybe over the end of a round or of the play."""
        self.moved, self.picked_up = [], False
        inside = self.inside()
        if len(inside) == 1:
            self.finish("last-standing")
            return
        self.to_act = min(inside, key=lambda other: (other <= seat, other))
        if self.to_act <= seat:
            self.end_round()

    def end_round(self) -> None:
        """BT-42."""
        self.quiet += not self.somebody_died
        self.somebody_died = False
        if self.quiet >= self.quiet_rounds:
            self.finish("quiet")
        elif self.round >= self.round_limit:
            self.finish("limit")
        else:
            self.round += 1

    def forfeit(self, seat: int, verdict: str) -> None:
        self.tell({"seat": seat, "action": "forfeit", "verdict": verdict})
        self.go_out(seat)
        if len(self.inside()) == 1:
            self.finish(verdict if len(self.players) == 2 else "last-standing")
        elif self.deploying:
            self.go_on_deploying(seat)
        else:
            self.pass_on(seat)

    def finish(self, reason: str) -> None:
        """BT-41 and BT-42: the last to stand are ranked by kills above those who went out."""
        self.to_act = None
        kills = {seat: self.players[seat]["kills"] for seat in self.inside()}
        groups = [[seat] for seat in self.gone]
        groups += [[seat for seat in kills if kills[seat] == number] for number in sorted(set(kills.values()))]
        places, scores = [0] * len(self.players), [0.0] * len(self.players)
        below = 0
        for group in groups:
            for seat in group:
                places[seat] = len(self.players) - below - len(group) + 1
                scores[seat] = below + (len(group) - 1) / 2
            below += len(group)
        self.result = places, scores, reason

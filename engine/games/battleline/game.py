"""Battle Line: its editions, its deal, and how a play begins."""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any, cast

from engine.core import BadDeal, CloseCall, Count, Game, Json, State
from engine.deal import check_deck, shuffle
from engine.games.battleline.cards import (
    CARD_NAMES_BY_COLOURS,
    LEADER_1,
    LEADER_2,
    TACTIC_DECK,
    TEN_TACTICS,
    TWELVE_TACTICS,
)
from engine.games.battleline.narrow_claims import find_narrowest_claim
from engine.games.battleline.options import RULE_OPTIONS, TITLES, Rules, edition_options
from engine.games.battleline.position import Trace
from engine.games.battleline.state import BattleLineState, determinize
from engine.games.battleline.tactics import begin_draft, lay_dealt_tiles
from engine.games.battleline.tiles import TILES
from engine.games.battleline.view import count_event

TACTICS: dict[int, tuple[int, ...]] = {0: (), len(TEN_TACTICS): TEN_TACTICS, len(TWELVE_TACTICS): TWELVE_TACTICS}
DECKS = ("troops", "tactics", "tiles")
KINGS = (LEADER_1, LEADER_2)
"""By seat: England's and France's (BL-70)."""
MAX_OPENING_PLIES = 20
"""Eight tiles are picked and nine laid (BL-70); a seat may forfeit."""


class BattleLine(Game):
    """The game Battle Line."""

    key = "battleline"
    title = "Battle Line"
    seats = range(2, 3)
    rules_version = 1
    editions = TITLES
    counts = "turn"
    secret_actions = frozenset({"draw", "return", "pick", "lay", "claim"})
    revealing_events = frozenset({"draw", "pick"})
    has_series = True
    rule_options = RULE_OPTIONS
    schema_file = Path(__file__).with_name("schema.json")

    def options(self, edition: str, **changes: Any) -> Json:
        """Return every option of the edition with these changes. Raises BadOptions."""
        return edition_options(edition, changes)

    def deal(self, options: Json, seats: int, rng: Random) -> Json:
        """Return `{"troops": [top first], "tactics": [top first], "tiles": [by flag, or as they are drafted]}`."""
        decks = build_full_decks(Rules.read(options))
        for cards in decks.values():
            shuffle(cards, rng)
        return decks

    def start(self, options: Json, seats: int, deal: Json) -> BattleLineState:
        """Return the first state. Raises BadDeal."""
        rules = Rules.read(options)
        check_deal(rules, seats, deal)
        card = CARD_NAMES_BY_COLOURS[rules.colours].card
        troops = [card[name] for name in deal["troops"]]
        kings = [[king] if deals_kings(rules) else [] for king in KINGS]
        size = rules.hand - len(kings[0])
        hands = (troops[:size] + kings[0], troops[size : 2 * size] + kings[1])
        state = BattleLineState(rules, hands, troops[2 * size :], [card[name] for name in deal["tactics"]])
        if deals_kings(rules):
            state.start_tracking()
            for seat, king in enumerate(KINGS):
                state.knowledge[1 - seat].traces.append(Trace(king, TACTIC_DECK))
        if rules.tiles == "shuffled":
            lay_dealt_tiles(state, deal["tiles"])
        elif rules.tiles == "drafted":
            begin_draft(state, deal["tiles"])
        return state

    def max_plies(self, options: Json, seats: int) -> int:
        """Return the decisions of the longest play there can be.

        Every card is played once at most and no two turns in a row are passes, so there are two turns a card and two
        decisions a turn; claims, Scouts, tiles and the draft add less than one more a card.
        """
        return 5 * len(list_all_cards(Rules.read(options))) + MAX_OPENING_PLIES

    def count_event(self, state: State, event: Json) -> Iterable[Count]:
        """Return what an event adds to the statistics."""
        assert isinstance(state, BattleLineState)
        return count_event(state, event)

    def find_close_call(self, steps: Iterable[tuple[State, Json]]) -> CloseCall | None:
        """Return the claim that came nearest to being refuted (see `narrow_claims`)."""
        return find_narrowest_claim(cast(Iterable[tuple[BattleLineState, Json]], steps))

    def determinize(self, options: Json, seat: int, view: Json, rng: Random) -> BattleLineState:
        """Return a state in which `seat` sees this view, with all it can't see dealt at random.

        Searches begin with it.
        """
        rules = Rules.read(options)
        return determinize(rules, list_all_cards(rules), seat, view, rng)

    imagine = determinize
    """The name that uploaded bots use."""


def list_all_cards(rules: Rules) -> list[int]:
    """Return every troop and tactic, copies included."""
    return list_troops(rules) * rules.copies + list(TACTICS[rules.tactics])


def list_troops(rules: Rules) -> list[int]:
    """Return each troop once, in order."""
    return [10 * colour + value for colour in range(len(rules.colours)) for value in range(rules.values)]


def deals_kings(rules: Rules) -> bool:
    """Return whether each seat starts with its King (BL-70)."""
    return rules.tiles == "drafted" and rules.tactics > 0


def build_full_decks(rules: Rules) -> dict[str, list[str]]:
    """Return the names of the troops, tactics and tiles that are shuffled."""
    names = CARD_NAMES_BY_COLOURS[rules.colours].of
    troops = [names[card] for card in list_troops(rules)]
    tactics = TACTICS[rules.tactics]
    return {
        "troops": troops * rules.copies,
        "tactics": [names[card] for card in tactics if not (deals_kings(rules) and card in KINGS)],
        "tiles": [] if rules.tiles == "none" else list(TILES),
    }


def check_deal(rules: Rules, seats: int, deal: Json) -> None:
    """Raise BadDeal where the deal doesn't have exactly the cards of these rules."""
    if seats != 2:
        raise BadDeal(f"Battle Line has two seats, not {seats}")
    if set(deal) != set(DECKS):
        raise BadDeal("a deal has troops, tactics and tiles")
    for name, expected in build_full_decks(rules).items():
        check_deck(name, deal[name], expected)

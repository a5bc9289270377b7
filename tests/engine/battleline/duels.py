"""Random flags to compare the engine with the oracle at: any cards, any ground, of the decks of some rules."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from engine.games.battleline.options import PRESETS, Rules
from engine.games.battleline.position import Position
from tests.engine.battleline.oracle import TILES, WILDS, Duel, deck, is_troop, value_of
from tests.engine.battleline.tables import lay_out, rules_of

SETTINGS: dict[str, Rules] = {edition: rules_of(edition) for edition in PRESETS} | {
    "long-with-tiles": rules_of("long", tiles="shuffled")
}
"""Every edition, and tiles with a doubled deck. Fog, Mud and wild cards come in all of them."""
MOST_UNSEEN = {0: 50, 1: 50, 2: 45, 3: 26, 4: 15, 5: 12}
"""By free slots, so that all completions can be tried."""


def random_duel(rng: Random, rules: Rules, free: int | None = None) -> Duel:
    """A flag where the claimant's side is complete; half of them close to a tie."""
    tile = rng.choice(TILES) if rules.tiles != "none" else None
    fog, mud = rng.random() < 0.25 and tile != "woodland", rng.random() < 0.33 and tile != "river"
    bare = Duel((), (), (), fog, mud, tile, rng.randint(0, 1), rng.random() < 0.5)
    needs, most = bare.needs(bare.seat), bare.needs(1 - bare.seat)
    free = min(most, rng.choice((0, 1, 1, 2, 2, 3, 4, 5)) if free is None else free)
    pool = list(WILDS) + (["cavalry", "shield"] if rules.tactics == 12 else [])
    wilds = rng.sample(pool, rng.choice((0, 0, 1, 2, 3)))
    split = rng.randint(0, len(wilds))
    left = Counter(deck(rules.colours, rules.copies, rules.values))
    mine = fill(rng, wilds[:split][:needs], needs, left)
    left -= Counter(mine)
    theirs = fill(rng, wilds[split:][: most - free], most - free, left)
    if rng.random() < 0.4:
        theirs = mirrored(rng, mine, theirs, rules)
    rest = list((Counter(deck(rules.colours, rules.copies, rules.values)) - Counter(mine + theirs)).elements())
    unseen = choose_unseen(rng, rest, free)
    return Duel(mine, theirs, unseen, fog, mud, tile, bare.seat, bare.mine_last)


def fill(rng: Random, wilds: list[str], size: int, left: Counter[str]) -> tuple[str, ...]:
    """Wild cards and troops, mostly near each other, in some order."""
    colours = sorted({card[0] for card in left})
    low, few = rng.randint(1, 8), rng.sample(colours, min(len(colours), rng.choice((1, 1, 2, 3, 6))))
    rest = list(left.elements())
    near = [card for card in rest if card[0] in few and low <= value_of(card) < low + 4]
    far = list((Counter(rest) - Counter(near)).elements())
    troops = rng.sample(near, len(near)) + rng.sample(far, len(far))
    side = wilds + troops[: size - len(wilds)]
    return tuple(rng.sample(side, size))


def mirrored(rng: Random, mine: tuple[str, ...], theirs: tuple[str, ...], rules: Rules) -> tuple[str, ...]:
    """A side of the same size and values as part of mine, in other colours."""
    swap = dict(zip(rules.colours, rng.sample(rules.colours, len(rules.colours)), strict=True))
    troops = [swap[card[0]] + card[1:] for card in mine if is_troop(card)]
    wilds = [card for card in theirs if not is_troop(card)]
    side = tuple((wilds + [card for card in troops if card not in mine] + [*theirs])[: len(theirs)])
    both = Counter(card for card in side + mine if is_troop(card))
    return side if max(both.values(), default=0) <= rules.copies else theirs


def choose_unseen(rng: Random, rest: list[str], free: int) -> tuple[str, ...]:
    """Few troops for most positions (fewer than the free slots too), many for some."""
    size = rng.choice((rng.randint(0, 5), rng.randint(0, 14), rng.randint(6, MOST_UNSEEN[free])))
    return tuple(rng.sample(rest, min(size, MOST_UNSEEN[free], len(rest))))


def table_of(duel: Duel, rng: Random, rules: Rules) -> tuple[Position, int]:
    """The duel on a table: position and flag."""
    seat, flag = duel.seat, rng.randrange(rules.flags)
    mine = [(seat, flag, card) for card in duel.mine]
    theirs = [(1 - seat, flag, card) for card in duel.theirs]
    last = theirs if theirs and not duel.mine_last else mine
    turns = mine[: len(mine) - (last is mine)] + theirs[: len(theirs) - (last is theirs)]
    owners = [placed[0] for placed in rng.sample(turns, len(turns))]
    placed = [(mine if owner == seat else theirs).pop(0) for owner in owners]
    table = lay_out(placed + mine + theirs, duel.unseen, rules)
    lay_ground(table, flag, duel)
    return table, flag


def lay_ground(table: Position, flag: int, duel: Duel) -> None:
    if duel.tile is not None:
        table.lay_tile(flag, duel.tile)
    if duel.fog:
        table.lay_fog(flag)
    if duel.mud:
        table.lay_mud(flag)


def random_duels(rules: Rules, count: int, seed: int | str) -> Iterator[tuple[Duel, Position, int]]:
    rng = Random(seed)
    for _ in range(count):
        duel = random_duel(rng, rules)
        yield (duel, *table_of(duel, rng, rules))

"""No two stories of a day contradict each other, nor the match that spectators are shown first.

Days are dealt by seed from real matches: `story_pool.json` has what sample bots played against each other, without the
records (`pennant play greedy careful --matches 12 --seed stories-greedy-careful`, and so on). What is read is the text
of the cards. Ratings are multiples of 25, so that every kind of story has ties.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import pytest

from arena.contests.ladders import showing
from arena.contests.ladders.rating import find_upset_chance
from arena.contests.ladders.showing import PlaylistReason, ShowableMatch, build_playlist
from arena.contests.stories import services
from arena.contests.stories.models import Story
from arena.contests.stories.services import (
    DuelLeg,
    EntryPair,
    RatedBot,
    RatedDuel,
    Twins,
    choose_costliest,
    choose_longest,
    choose_match_of_the_day,
    choose_rivalry,
    choose_twins,
    choose_upset,
    describe_even_twins,
    describe_match_for_story,
    describe_twins,
)
from arena.pages.formatting import format_percent
from arena.pages.watch.spectators import word_even_twins, word_match, word_meetings, word_twins
from tests.full import is_full_run

POOL = json.loads(Path(__file__).with_name("story_pool.json").read_text())
DEFAULT_DAYS, FULL_DAYS = 1_000, 20_000
COUNTS = (0, 1, 1, 2, 2, 3, 5, 8, 13)
"""Of matches a day."""
DAYS_BEFORE = 12


@dataclass
class Day:
    """Matches of a day, and what they ended as."""

    names: dict[int, str]
    duels: dict[int, RatedDuel] = field(default_factory=dict)
    reasons: dict[tuple[int, int], str] = field(default_factory=dict)
    pairs: list[EntryPair] = field(default_factory=list)
    alike: dict[int, int] = field(default_factory=dict)
    """By match: the moves that both legs begin with."""
    costs: dict[int, float] = field(default_factory=dict)
    """By match: what the first bot gave away by the first difference."""


def deal_day(seed: int) -> Day:
    """Deal a day: entries with ratings, their matches of today, and all that they have played against each other."""
    rng = Random(seed)
    kinds = sorted({name for match in POOL for name in match["bots"]})
    entries = [(10 + number, kind) for number, kind in enumerate(kinds * 2)]
    ratings = {entry: rng.randrange(1000, 2001, 25) for entry, _kind in entries}
    good = set(rng.sample(sorted(ratings), rng.choice((0, 4))))
    day = Day({entry: f"{kind}-{entry}" for entry, kind in entries})
    met: dict[tuple[int, int], list[float]] = {}
    chosen = rng.sample(POOL, rng.choice((2, len(POOL))))
    count = rng.choice(COUNTS)
    for match in range(1, count + 1 + DAYS_BEFORE * count):
        played = rng.choice(chosen)
        pair = [
            rng.choice([entry for entry, kind in entries[: 6 if rng.random() < 0.7 else None] if kind == name])
            for name in played["bots"]
        ]
        by_kind = dict(zip(played["bots"], pair, strict=True))
        winners = [by_kind.get(leg["winner"]) for leg in played["legs"]]
        scores = {entry: sum(0.5 if won is None else won == entry for won in winners) for entry in pair}
        low, high = sorted(pair)
        points = {entry: score / len(winners) for entry, score in scores.items()}
        met.setdefault((low, high), []).append(points[low])
        if match > count:
            continue
        sides = [RatedBot(one, ratings[one], points[one], scores[one], ratings[one]) for one in pair]
        legs = zip(played["legs"], winners, strict=True)
        day.duels[match] = RatedDuel(
            match,
            (sides[0], sides[1]),
            tuple(DuelLeg(number, leg["decisions"], won) for number, (leg, won) in enumerate(legs, 1)),
            good.issuperset(pair),
        )
        day.alike[match], day.costs[match] = rng.randrange(6), rng.choice((0.0, 0.12))
        day.reasons |= {(match, number): leg["reason"] for number, leg in enumerate(played["legs"], 1)}
    day.pairs = [EntryPair(low, high, len(won), sum(won)) for (low, high), won in met.items()]
    return day


@dataclass
class Told:
    """A card as is read."""

    kind: str
    match: int
    leg: int
    text: str


def tell(day: Day) -> Iterator[Told]:
    """Tell the stories of a day."""
    played = list(day.duels.values())
    best, upset, longest = choose_match_of_the_day(played), choose_upset(played), choose_longest(played)
    for kind, duel in ((Story.Kind.MATCH_OF_THE_DAY, best), (Story.Kind.UPSET, upset), (Story.Kind.LONGEST, longest)):
        if duel is None:
            continue
        leg = duel.longest_leg if kind == Story.Kind.LONGEST else duel.told_leg
        fields = describe_match_for_story(duel, leg)
        names = (day.names[fields["first_id"]], day.names[fields["second_id"]])
        winner = day.names.get(leg.winner or 0)
        ending = f"{winner} wins by {day.reasons[duel.match, leg.number]}" if winner else "Draw: both passed"
        headline, sentence = word_match(kind, fields["facts"], names, leg.number, ending)
        yield Told(kind, duel.match, leg.number, f"{headline}\n{sentence}")
    if twins := choose_twins(Twins(duel, day.alike[duel.match]) for duel in played if duel.has_other_ending):
        fields = describe_twins(twins) or {}
        names = (day.names[fields["first_id"]], day.names[fields["second_id"]])
        yield Told(Story.Kind.SAME_CARDS, twins.played.match, 1, "\n".join(word_twins(fields["facts"], names)))
    if even := choose_costliest(find_even_twins(day)):
        fields = describe_even_twins(even) or {}
        names = (day.names[fields["first_id"]], day.names[fields["second_id"]])
        yield Told(Story.Kind.ONE_WIN_EACH, even.played.match, 1, "\n".join(word_even_twins(fields["facts"], names)))
    if rivalry := choose_rivalry(day.pairs, played):
        facts = {"matches": rivalry.matches, "points": [rivalry.points, rivalry.matches - rivalry.points]}
        names = f"{day.names[rivalry.first]} and {day.names[rivalry.second]}"
        yield Told(Story.Kind.RIVALRY, 0, 0, f"{names} keep meeting\n{word_meetings(facts)}")


def find_even_twins(day: Day) -> Iterator[Twins]:
    """Yield the matches of which each bot won a leg."""
    for match, duel in day.duels.items():
        if duel.is_one_win_each:
            cost = day.costs[match]
            yield Twins(duel, day.alike[match], 0, cost, duel.sides[0].entry if cost else None)


def read_claims(told: Told) -> Iterator[tuple[tuple[object, ...], object]]:
    """Yield what a card claims: of what, and what it says."""
    head = told.text.partition("\n")[0]
    for one, other, score in re.findall(r"(\S+) beats (\S+?)(?: (\d+(?:\.5)?–\d+(?:\.5)?))?(?=[.\n]|$)", told.text):
        yield ("winner", told.match), one
        yield ("score", told.match), {one: score.split("–")[0], other: score.split("–")[1]}
    for one, other, score in re.findall(r"(\S+) and (\S+) draw(?: (\d+(?:\.5)?–\d+(?:\.5)?))?(?=[.\n]|$)", told.text):
        yield ("winner", told.match), None
        yield ("score", told.match), {one: score.split("–")[0], other: score.split("–")[1]}
    if rated := re.fullmatch(r"(\S+) beats a bot rated (\d+) points? higher", head):
        yield ("winner", told.match), rated[1]
        yield ("leg winner", told.match, told.leg), rated[1]
    for leg, winner in re.findall(r"In leg (\d+), (\S+) wins", told.text):
        yield ("leg winner", told.match, int(leg)), winner
    for one, other in re.findall(r"(\S+) wins both against (\S+)\.", told.text):
        yield ("winner", told.match), one
        yield ("score", told.match), {one: "2", other: "0"}
        yield from ((("leg winner", told.match, leg), one) for leg in (1, 2))
    for one, other in re.findall(r"(\S+) and (\S+) win one leg each", told.text):
        yield ("winner", told.match), None
        yield ("score", told.match), {one: "1", other: "1"}
    for leg in re.findall(r"Leg (\d+) was drawn", told.text):
        yield ("leg winner", told.match, int(leg)), None
    yield from read_length(told, head)


def read_length(told: Told, head: str) -> Iterator[tuple[tuple[object, ...], object]]:
    """Yield what a headline claims of the length of a leg."""
    if needs := re.fullmatch(r"(\S+) needs (\d+) moves to beat (\S+)", head):
        yield ("leg winner", told.match, told.leg), needs[1]
        yield ("decisions", told.match, told.leg), int(needs[2])
    if goes_on := re.fullmatch(r"(\S+) and (\S+) play on for (\d+) moves", head):
        yield ("leg winner", told.match, told.leg), None
        yield ("decisions", told.match, told.leg), int(goes_on[3])


def find_contradictions(day: Day) -> list[str]:
    """Return what of a day's cards can't all be true, and what isn't true of the day itself."""
    cards = list(tell(day))
    by_kind = {card.kind: card for card in cards}
    known = dict(list_facts(day))
    found = [] if len(by_kind) == len(cards) else ["a kind is told twice"]
    found += check_claims(cards, known)
    found += check_longest(by_kind.get(Story.Kind.LONGEST), known)
    found += check_upset(day, by_kind.get(Story.Kind.UPSET), known)
    found += check_rivalry(day, by_kind.get(Story.Kind.RIVALRY))
    return found + list(check_show(day, by_kind))


def check_claims(cards: list[Told], known: dict[tuple[object, ...], object]) -> Iterator[str]:
    """Yield what cards say that isn't so, or that another card denies, and where a win leads to a leg that was lost."""
    claims: dict[tuple[object, ...], tuple[object, str]] = {}
    for card in cards:
        for key, value in read_claims(card):
            said, elsewhere = claims.setdefault(key, (value, card.kind))
            if said != value:
                yield f"{key}: {elsewhere} says {said}, {card.kind} {value}"
            if known[key] != value:
                yield f"{key}: {card.kind} says {value}, and it is {known[key]}"
        if card.kind in (Story.Kind.MATCH_OF_THE_DAY, Story.Kind.UPSET):
            winner = known["winner", card.match]
            if winner is not None and winner != known["leg winner", card.match, card.leg]:
                yield f"{card.kind} tells of a win and leads to a leg that wasn't won"


def check_longest(card: Told | None, known: dict[tuple[object, ...], object]) -> Iterator[str]:
    """Yield where another leg was longer than the longest fight."""
    moves = {key: value for key, value in known.items() if key[0] == "decisions"}
    if card and moves["decisions", card.match, card.leg] != max(moves.values()):
        yield "another leg was longer than the longest fight"


def check_rivalry(day: Day, card: Told | None) -> Iterator[str]:
    """Yield where a rivalry isn't close, or nothing of the day."""
    if card is None:
        return
    told = re.search(r"met (\d+) times: ([\d.]+)–([\d.]+)\.", card.text)
    assert told
    matches, one, other = int(told[1]), float(told[2]), float(told[3])
    if abs(one - other) > 2 or one + other != matches:
        yield f"a rivalry that stands {one} to {other} after {matches} matches"
    names = set(card.text.partition(" keep")[0].split(" and "))
    if not any({day.names[side.entry] for side in duel.sides} == names for duel in day.duels.values()):
        yield "rivals that didn't meet"


def list_facts(day: Day) -> Iterator[tuple[tuple[object, ...], object]]:
    """Yield what is so, by the keys of claims."""
    for match, duel in day.duels.items():
        one, other = duel.sides
        names = {None: None, one.entry: day.names[one.entry], other.entry: day.names[other.entry]}
        won = [leg.winner for leg in duel.legs]
        scores = {side.entry: won.count(side.entry) + won.count(None) / 2 for side in duel.sides}
        best = [entry for entry, score in scores.items() if score == max(scores.values())]
        yield ("winner", match), names[best[0]] if len(best) == 1 else None
        yield ("score", match), {names[entry]: f"{score:g}" for entry, score in scores.items()}
        for leg in duel.legs:
            yield ("leg winner", match, leg.number), names[leg.winner]
            yield ("decisions", match, leg.number), leg.decisions


def check_upset(day: Day, card: Told | None, known: dict[tuple[object, ...], object]) -> Iterator[str]:
    """Yield where the biggest upset isn't the biggest of what any page tells."""
    chances = {}
    for match, duel in day.duels.items():
        winner = next((side for side in duel.sides if day.names[side.entry] == known["winner", match]), None)
        if winner is not None:
            (loser,) = (side for side in duel.sides if side is not winner)
            chances[match] = find_upset_chance(winner.rating, loser.rating) or 1.0
    if card is None:
        return
    if chances[card.match] > min(chances.values()):
        yield "another win was less likely than the biggest upset"
    if f" at {format_percent(chances[card.match])}." not in card.text:
        yield f"the biggest upset had another chance: {card.text}"


def check_show(day: Day, by_kind: dict[str, Told]) -> Iterator[str]:
    """Yield where the show of the front page disagrees with the stories."""
    shown = build_playlist(
        [
            ShowableMatch(
                match,
                tuple(side.entry for side in duel.sides),
                tuple(side.rating for side in duel.sides),
                strengths=tuple(side.strength for side in duel.sides),
                is_good=duel.is_good,
            )
            for match, duel in sorted(day.duels.items(), reverse=True)
        ],
        len(day.duels),
    )
    best = by_kind.get(Story.Kind.MATCH_OF_THE_DAY)
    if (best.match if best else None) != (shown[0].match if shown else None):
        yield "the front page shows another match first than that of the day"
    upset = by_kind.get(Story.Kind.UPSET)
    if upset and any(one.match == upset.match and one.reason == PlaylistReason.CLOSEST for one in shown):
        yield "the biggest upset is shown as an even match"
    if any(one.reason == "upset" and (upset is None or one.match != upset.match) for one in shown):
        yield "an upset is shown that isn't the biggest one"


def test_no_two_stories_of_a_day_contradict_each_other():
    sizes: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    draws = 0
    for seed in range(FULL_DAYS if is_full_run() else DEFAULT_DAYS):
        day = deal_day(seed)
        assert find_contradictions(day) == [], f"day {seed}"
        sizes[len(day.duels)] += 1
        cards = list(tell(day))
        kinds.update(card.kind for card in cards)
        draws += any("draw 1–1" in card.text for card in cards)
    assert min(sizes[0], sizes[1], sizes[2]) >= 50 and draws >= 50
    assert min(kinds[kind] for kind in Story.Kind if kind not in (Story.Kind.NARROWEST_CLAIM, Story.Kind.CLIMBER)) >= 50


def go_by_ratings_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The match of the day had a rule of its own."""

    def place(duel: RatedDuel) -> float:
        one, other = (side.rating for side in duel.sides)
        return abs(one - other) - (one + other) / 2

    monkeypatch.setattr(RatedDuel, "place_in_show", property(place))


def show_the_longest_leg(monkeypatch: pytest.MonkeyPatch) -> None:
    """The leg that was shown had nothing to do with who won the match."""
    monkeypatch.setattr(RatedDuel, "told_leg", RatedDuel.longest_leg)


def call_the_least_surprise_an_upset(monkeypatch: pytest.MonkeyPatch) -> None:
    """An upset could be shown as an even match."""
    monkeypatch.setattr(services, "EVEN_GAP_ELO", 0.0)


def call_any_two_legs_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Legs that each side won could be told as won by one."""
    monkeypatch.setattr(RatedDuel, "has_other_ending", property(lambda duel: duel.winner is not None or duel.match % 2))
    monkeypatch.setattr(RatedDuel, "winner", property(lambda duel: duel.sides[0]))


def let_rivals_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rivalry was one as far as four wins apart."""
    monkeypatch.setattr(services, "MAX_RIVALRY_LEAD", 4.0)


def call_upsets_by_a_rule_of_the_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """The show called what it liked an upset."""
    describe = showing.describe
    monkeypatch.setattr(
        showing,
        "describe",
        lambda one: replace(describe(one), reason="upset" if one.gap > 200 else describe(one).reason),
    )


@pytest.mark.parametrize(
    "old_rule",
    [
        go_by_ratings_before,
        show_the_longest_leg,
        call_the_least_surprise_an_upset,
        call_any_two_legs_twins,
        let_rivals_part,
        call_upsets_by_a_rule_of_the_show,
    ],
)
def test_the_check_finds_the_contradictions_of_each_old_rule(monkeypatch, old_rule):
    old_rule(monkeypatch)
    assert any(find_contradictions(deal_day(seed)) for seed in range(200))

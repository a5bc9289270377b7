import re

import pytest
from django.utils.html import strip_tags

from arena.pages.games import PRESENTATIONS, find_presentation, plain
from arena.pages.games.battleline.board import ClaimCase, describe_case, draw_front_line
from arena.pages.games.battleline.words import (
    ANCIENT_WORDING,
    MEDIEVAL_WORDING,
    PLAYING_CARD_WORDING,
    SUIT_SHAPES,
    TACTIC_ICONS,
    describe_ending,
    describe_events,
)
from arena.pages.matches.replay import play_to
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS
from engine.registry import GAMES
from tests.arena.pages.conftest import list_scenes
from tests.full import default_and_full

SEEDS = default_and_full(range(3), range(3, 12))
STANDARD = find_presentation("battleline", "standard")
draw, prove = STANDARD.build_board, STANDARD.build_proof


def words_of(*events, wording=ANCIENT_WORDING):
    return [str(line) for line in describe_events(wording, events)]


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ({"action": "play G8 3"}, "South plays green 8 at flag 3"),
        ({"action": "play leader-1 9"}, "South plays Alexander at flag 9"),
        ({"action": "play fog 5"}, "South plays Fog on flag 5: only the total counts there"),
        ({"action": "play mud 5"}, "South plays Mud on flag 5: one more card for each side"),
        ({"action": "scout"}, "South plays Scout"),
        ({"action": "return R7"}, "South puts red 7 back on its deck"),
        ({"action": "return ?", "deck": "tactic"}, "South puts a tactics card back on its deck"),
        ({"action": "redeploy R7 1 2"}, "South plays Redeploy: red 7 moves from flag 1 to flag 2"),
        ({"action": "redeploy R7 1 discard"}, "South plays Redeploy and discards red 7 from flag 1"),
        ({"action": "deserter B1 4"}, "South plays Deserter: blue 1 deserts flag 4"),
        ({"action": "traitor B1 4 6"}, "South plays Traitor: blue 1 changes sides, from flag 4 to flag 6"),
        ({"action": "pass"}, "South passes"),
        ({"action": "claim 3", "formation": "phalanx", "sum": 24}, "South claims flag 3: phalanx 24"),
        ({"action": "forfeit", "verdict": "timeout"}, "South didn't answer in time"),
        ({"event": "award", "flag": 3}, "Flag 3 goes to South, who can prove the claim"),
    ],
)
def test_every_kind_of_event_has_its_sentence(event, sentence):
    assert words_of({"seat": 0, **event}) == [sentence]


def test_a_draw_names_the_card_only_where_it_is_known():
    draw_troop = {"seat": 1, "action": "draw troop"}
    drawn = {"seat": 1, "event": "draw", "deck": "troop"}
    assert words_of(draw_troop, drawn) == ["North draws a troop"]
    assert words_of(draw_troop, {**drawn, "card": "P3"}) == ["North draws purple 3"]


def test_several_cards_drawn_at_once_share_a_sentence():
    decks = ("troop", "troop", "tactic")
    drawn = [{"seat": 0, "event": "draw", "deck": deck} for deck in decks]
    action = {"seat": 0, "action": "draw troop troop tactic"}
    assert words_of(action, *drawn) == ["South draws a troop, a troop, a tactics card"]


def test_an_empty_draw_is_not_worth_a_sentence():
    assert words_of({"seat": 0, "action": "done"}) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_of_a_leg_can_be_drawn_told_and_proved(record_of, seed):
    record = record_of(seed)
    for scene in list_scenes(record):
        board = draw(scene)
        in_hand = sum(len(row.hand) for row in board.seats)
        on_table = sum(len(side.faces) for flag in board.flags for side in flag.sides)
        weather = sum(len(flag.weather) for flag in board.flags)
        discarded = sum(map(len, scene.after[0]["discards"]))
        guile = sum(
            card in ("scout", "redeploy", "deserter", "traitor")
            for played in scene.after[0]["tactics_played"]
            for card in played
        )
        everywhere = in_hand + on_table + weather + discarded + guile + sum(scene.after[0]["decks"].values())
        assert everywhere == 70
        assert bool(STANDARD.describe_events(scene.step.events)) == bool(scene.number)
        assert [prove(scene, proof).verdict.startswith("The claim holds") for proof in scene.proofs] == [True] * len(
            scene.proofs
        )


def test_what_a_seat_cannot_see_is_not_on_its_board(record_of):
    for number in (0, 5, 20):
        scene = play_to(record_of(1), number, onlooker=0)
        own, other = draw(scene).seats
        assert not any(card.is_back for card in own.hand)
        assert all(card.is_back and not card.number for card in other.hand)
        assert len(other.hand) == len(scene.after[1]["hand"])


def test_the_card_just_played_is_marked(record_of):
    scene = play_to(record_of(1), 1)
    marked = [card for flag in draw(scene).flags for side in flag.sides for card in side.faces if card.is_new]
    verb, name, _ = scene.step.entries[0].action.split()
    assert verb == "play"
    assert [card.name for card in marked] == [ANCIENT_WORDING.face(name).name]


def test_the_front_bends_away_from_the_owner():
    heights = [float(y) for y in re.findall(r"C\S+ \S+ \S+ \S+ \S+ ([\d.]+)", draw_front_line([None, 0, 1, None]))]
    middle, south, north, end = 35, *heights
    assert south < middle < north
    assert end == middle


def test_every_suit_and_tactic_differs_by_shape_or_name_not_colour_alone():
    suits = [
        (ANCIENT_WORDING if letter in "ROYGBP" else PLAYING_CARD_WORDING).face(f"{letter}5") for letter in SUIT_SHAPES
    ]
    assert len({card.shape for card in suits}) == len(suits)
    for wording in (ANCIENT_WORDING, MEDIEVAL_WORDING):
        assert len({wording.face(card).name for card in TACTIC_ICONS}) == len(TACTIC_ICONS)


def test_a_token_reads_as_the_card_it_is():
    assert strip_tags(ANCIENT_WORDING.token("G8")) == "green 8"
    assert strip_tags(ANCIENT_WORDING.token("leader-2")) == "Darius"
    assert strip_tags(PLAYING_CARD_WORDING.token("S1")) == "spades A"


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("breakthrough", "North wins by breakthrough: three flags side by side"),
        ("envelopment", "North wins by envelopment: five flags"),
        ("passes", "North wins on flags: both passed"),
        ("timeout", "North wins: South didn't answer in time"),
        ("illegal", "North wins: South sent an illegal action"),
        ("crash", "North wins: South's program ended before the leg did"),
    ],
)
def test_the_ending_says_who_and_why(reason, sentence):
    assert describe_ending(ANCIENT_WORDING, {"places": [2, 1], "scores": [1, 5], "reason": reason}, 5) == sentence


def test_a_drawn_leg_names_no_winner():
    outcome = {"places": [1, 1], "scores": [3.0, 3.0], "reason": "passes"}
    assert describe_ending(ANCIENT_WORDING, outcome, 5) == "Draw: both passed with 3 flags each"


@pytest.mark.parametrize("key", GAMES)
def test_every_game_has_a_picture(key):
    for edition in GAMES[key].editions:
        presentation = find_presentation(key, edition)
        assert presentation.folder == key if key in PRESENTATIONS else presentation is plain.PRESENTATION


@pytest.mark.parametrize("seed", SEEDS)
def test_a_proof_says_what_the_claimant_holds_and_the_best_reply(record_of, seed):
    record = record_of(seed)
    for scene in list_scenes(record):
        for explanation in scene.proofs:
            proof = prove(scene, explanation)
            held = [rung for rung in proof.rungs if rung.seat == proof.seat]
            flag = scene.after[0]["flags"][proof.flag - 1]
            assert [rung.icon for rung in held] == ["fog" if flag["fog"] else explanation["mine"]["formation"]]
            assert f"has {explanation['mine']['sum']}" in str(held[0].reason)
            reached = [reply for reply in explanation["replies"] if reply["cards"] is not None]
            if reached:
                assert str(reached[0]["sum"]) in str(proof.verdict) or "equal" in str(proof.verdict)
            else:
                assert proof.theirs_is == "Can't be filled"
            assert len(proof.theirs) + len(proof.free) == explanation["needs"]


def explained(because: str, *replies: dict, free: int = 1) -> dict:
    return {
        "flag": 3,
        "seat": 0,
        "holds": because in ("beats-all", "short", "tie-first"),
        "refutation": None,
        "because": because,
        "needs": 3,
        "mine": {"cards": ["O8", "B8", "G8"], "formation": "phalanx", "sum": 24},
        "theirs": {"cards": ["Y7", "Y5", "Y1"][: 3 - free], "free": free, "unseen": 20},
        "replies": list(replies),
    }


def prove_bare(explanation):
    """At a flag with nothing on its ground."""
    flag = {"fog": False, "mud": False, "tile": None, "needs": [3, 3]}
    return describe_case(ClaimCase(ANCIENT_WORDING, explanation, flag, CARD_NAMES_BY_COLOURS["ROYGBP"]), "standard", 1)


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ({"why": "colours", "cards": None}, "the colours differ"),
        ({"why": "values", "cards": None}, "the numbers don't fit"),
        ({"why": "apart", "cards": None}, "numbers too far apart"),
        ({"why": "short", "cards": None}, "too few unseen troops"),
        ({"why": "gone", "cards": None, "gone": ["Y6"]}, "yellow 6 is face up"),
        ({"why": "gone", "cards": None, "gone": ["Y6", "Y4"]}, "yellow 6 yellow 4 are face up"),
        ({"why": "gone", "cards": None, "gone": []}, "its troops are face up"),
        ({"why": "gone", "cards": None, "gone": ["Y6"] * 9}, "its troops are face up"),
        ({"why": "weaker", "cards": ["Y8"], "sum": 20}, "North reaches 20 with yellow 8"),
        ({"why": "weaker", "cards": [], "sum": 13}, "North has 13"),
        ({"why": "equal", "cards": ["Y8"], "sum": 24}, "North only ties with yellow 8"),
        ({"why": "equal", "cards": [], "sum": 24}, "North has 24 too"),
    ],
)
def test_each_reason_has_its_words(reply, sentence):
    proof = prove_bare(explained("beats-all", {"formation": "battalion", **reply}))
    assert strip_tags(proof.rungs[0].reason) == sentence


def test_a_kind_that_only_the_claimant_reaches_says_so():
    proof = prove_bare(explained("short", {"formation": "phalanx", "why": "values", "cards": None}))
    assert str(proof.rungs[0].reason) == "South has 24. North: the numbers don't fit"
    assert "too few troops are unseen" in str(proof.verdict)

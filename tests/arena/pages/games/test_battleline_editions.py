"""What the other editions bring to the page: names, court cards, tiles, the draft, and proofs on changed ground."""

import pytest
from django.template.loader import render_to_string
from django.utils.html import strip_tags

from arena.pages.games import find_presentation
from arena.pages.games.battleline.board import ClaimCase, describe_case
from arena.pages.games.battleline.known_cards import list_known_cards
from arena.pages.games.battleline.words import (
    MEDIEVAL_WORDING,
    PLAYING_CARD_WORDING,
    TILE_EFFECTS,
    WORDINGS_BY_EDITION,
    describe_ending,
    describe_events,
    is_tactic,
)
from arena.pages.matches.replay import play_to
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, TILE_NAMES
from engine.games.battleline.options import TITLES
from engine.games.battleline.tiles import TILES
from engine.registry import find_game
from engine.replay import states
from tests.arena.pages.conftest import list_scenes
from tests.full import default_and_full

SEEDS = default_and_full([0], [1])
TILED = ("terrain", "hundred-years")


def words_of(*events, wording=MEDIEVAL_WORDING):
    return [str(line) for line in describe_events(wording, events)]


@pytest.mark.parametrize("edition", TITLES)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_can_be_drawn_told_and_proved(record_of, edition, seed):
    record, presentation = record_of(seed, edition), find_presentation("battleline", edition)
    cards = len(record["deal"]["troops"]) + len(record["deal"]["tactics"]) + (2 if edition == "hundred-years" else 0)
    for scene in list_scenes(record):
        board = presentation.build_board(scene)
        guile = ("scout", "redeploy", "deserter", "traitor")
        placed = sum(len(side.faces) for flag in board.flags for side in flag.sides)
        gone = sum(map(len, scene.after[0]["discards"])) + sum(len(flag.weather) for flag in board.flags)
        gone += sum(card in guile for played in scene.after[0]["tactics_played"] for card in played)
        hands = sum(len(row.hand) for row in board.seats)
        assert placed + gone + hands + sum(scene.after[0]["decks"].values()) == cards
        assert all(str(scene.after[0]["decks"][deck]) in left for deck, left in board.decks)
        assert bool(presentation.describe_events(scene.step.events)) == bool(scene.number)
        for proof in scene.proofs:
            shown = render_to_string("games/battleline/proof.html", {"proof": presentation.build_proof(scene, proof)})
            assert "The claim holds" in shown and f"/rules/battleline/{edition}/#BL-16" in shown
    assert presentation.describe_ending(scene)


@pytest.mark.parametrize("edition", TITLES)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_board_says_of_a_full_side_is_what_its_claim_says(record_of, edition, seed):
    presentation = find_presentation("battleline", edition)
    for scene in list_scenes(record_of(seed, edition)):
        for event in scene.step.events:
            if event.get("action", "").startswith("claim"):
                side = presentation.build_board(scene).flags[int(event["action"].split()[1]) - 1].sides[event["seat"]]
                assert side.total == event["sum"]
                assert side.formation in (event["formation"], "fog")


def test_seats_and_cards_have_the_names_of_their_edition():
    assert words_of({"seat": 0, "action": "play leader-1 2"}) == ["England plays King of England at flag 2"]
    assert words_of({"seat": 1, "action": "play shield 2"}) == ["France plays Support Troops at flag 2"]
    claim = {"seat": 1, "action": "claim 3", "formation": "phalanx", "sum": 24}
    assert words_of(claim) == ["France claims flag 3: square 24"]
    assert words_of(claim, wording=PLAYING_CARD_WORDING) == ["North claims flag 3: three of a kind 24"]
    assert words_of({"seat": 0, "action": "play S1 1"}, wording=PLAYING_CARD_WORDING) == [
        "South plays spades A at flag 1"
    ]


def test_court_cards_show_their_letter_and_what_they_do():
    king, queen, jack = (PLAYING_CARD_WORDING.face(card) for card in ("fog", "shield", "traitor"))
    assert [(card.number, card.short) for card in (king, queen, jack)] == [
        ("K", "Fog"),
        ("Q", "Shields"),
        ("J", "Traitor"),
    ]


CLAIM = {"seat": 0, "action": "claim 4", "formation": "host", "sum": 12}


def test_what_a_claimed_tile_asks_for_is_told():
    removal = {"action": "remove R3 5"}
    assert words_of(CLAIM, {"seat": 0, **removal})[1] == "England uses the Watchtower: red 3 leaves flag 5"
    assert words_of(CLAIM, {"seat": 1, **removal})[1] == "France loses red 3 at flag 5 to the Marshes"
    drawn = {"seat": 0, "event": "draw", "deck": "troop"}
    assert words_of(CLAIM, drawn, {**drawn, "card": "P2"})[1] == "The Fields bring England a troop, purple 2"


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        ("pick town", "England picks Town"),
        ("pick ?", "England picks a tile"),
        ("lay town up", "England lays Town face up"),
        ("lay town down", "England lays Town face down: plain ground"),
        ("lay ? down", "England lays a tile face down: plain ground"),
    ],
)
def test_the_opening_is_told(action, sentence):
    assert words_of({"seat": 0, "action": action}) == [sentence]


def test_the_short_game_is_won_with_three_flags():
    result = {"places": [1, 2], "scores": [5, 1], "reason": "envelopment"}
    assert describe_ending(PLAYING_CARD_WORDING, result, 3) == "South wins by envelopment: three flags"


def test_every_tile_has_a_picture_a_name_and_an_effect():
    assert set(TILE_EFFECTS) == set(TILE_NAMES) == set(TILES)
    tags = [MEDIEVAL_WORDING.tile(tile) for tile in TILES]
    assert len({tag.icon for tag in tags}) == len({tag.name for tag in tags}) == 9
    assert MEDIEVAL_WORDING.tile("fortress").effect == "France defends"


@pytest.mark.parametrize("edition", TILED)
def test_tiles_in_force_are_shown_at_their_flags(record_of, edition):
    presentation = find_presentation("battleline", edition)
    for scene in list_scenes(record_of(1, edition)):
        board = presentation.build_board(scene)
        shown = [flag.tile and flag.tile.icon for flag in board.flags]
        assert shown == [flag["tile"] and f"tile-{flag['tile']}" for flag in scene.after[0]["flags"]]


def ignored_cards(record, edition):
    presentation = find_presentation("battleline", edition)
    for scene in list_scenes(record):
        for flag, view in zip(presentation.build_board(scene).flags, scene.after[0]["flags"], strict=True):
            for side in flag.sides:
                left_out = [face for face in side.faces if face.is_ignored]
                yield view, side, left_out


def test_the_defender_of_a_castle_has_one_card_left_out(record_of):
    defended = 0
    for seed in range(6):
        for view, side, left_out in ignored_cards(record_of(seed, "terrain"), "terrain"):
            is_defender = (view["tile"], side.seat) in (("castle", 0), ("fortress", 1))
            is_full = len(side.faces) == view["needs"][side.seat]
            assert len(left_out) == (is_defender and is_full)
            if left_out:
                defended += 1
                assert int(left_out[0].number) == max(int(face.number) for face in side.faces)
    assert defended


def test_the_opening_comes_in_steps_before_the_first_turn(record_of):
    scene = play_to(record_of(1, "hundred-years"), 0)
    opening = [step for step in scene.steps if step.is_opening]
    assert [step.number for step in opening] == list(range(1, 18))
    assert all(len(step.entries) == 1 for step in opening)
    assert scene.steps[18].turn == 1
    assert scene.turns == scene.last - 17
    assert play_to(record_of(1, "hundred-years"), 18).turn == 1


def test_the_opening_shows_each_seat_its_own_tiles_only(record_of):
    draw, record = find_presentation("battleline", "hundred-years").build_board, record_of(1, "hundred-years")
    for own_scene, whole_scene in zip(list_scenes(record, 0)[:17], list_scenes(record)[:17], strict=True):
        own, whole = draw(own_scene).opening, draw(whole_scene).opening
        assert (own.seats[0].choices, own.seats[0].kept) == (whole.seats[0].choices, whole.seats[0].kept)
        assert not own.seats[1].is_known and own.seats[1].choices == own.seats[1].kept == []
        for place, known in zip(own.row, whole.row, strict=True):
            hidden = place.is_laid and not place.is_up and place.number % 2 == 0
            assert (place.tag is None) == (hidden or not place.is_laid)
            assert (known.tag is None) == (not place.is_laid)
    assert draw(play_to(record, 17)).opening is None


def test_nothing_a_seat_cannot_know_is_told_of_the_opening(record_of):
    record, presentation = record_of(1, "hundred-years"), find_presentation("battleline", "hundred-years")
    for step in play_to(record, 0, 1).steps[1:18]:
        told = strip_tags(presentation.describe_events(step.events)[0].text)
        action = step.entries[0].action
        if step.seat == 0 and (action.startswith("pick") or action.endswith("down")):
            assert "a tile" in told


NOTES = {
    "castle": "BL-60",
    "fortress": "BL-60",
    "river": "BL-62",
    "hills": "BL-66",
    "woodland": "BL-67",
}


def test_proofs_speak_of_the_ground_they_stand_on(record_of):
    presentation, seen = find_presentation("battleline", "terrain"), set()
    for seed in range(12):
        for scene in list_scenes(record_of(seed, "terrain")):
            for explanation in scene.proofs:
                tile = scene.after[0]["flags"][explanation["flag"] - 1]["tile"]
                proof = presentation.build_proof(scene, explanation)
                assert [note.rule for note in proof.notes] == ([NOTES[tile]] if tile in NOTES else [])
                assert (proof.rungs[0].name == "Total") == (tile == "woodland")
                seen.add(tile)
    assert set(NOTES) <= seen


def test_a_proof_with_a_doubled_deck_says_so(record_of):
    scene = next(scene for scene in list_scenes(record_of(1, "long")) if scene.proofs)
    assert find_presentation("battleline", "long").build_proof(scene, scene.proofs[0]).notes[-1].rule == "BL-11"


def test_a_game_without_tactics_speaks_of_none(record_of):
    board = find_presentation("battleline", "terrain").build_board(play_to(record_of(1, "terrain"), 3))
    assert [deck for deck, _left in board.decks] == ["troop"]
    assert all("tactics" not in row.score for row in board.seats)


def test_every_edition_of_the_game_has_its_wording():
    assert list(WORDINGS_BY_EDITION) == list(find_game("battleline").editions)


@pytest.mark.parametrize(("free", "sentence"), [(0, "its cards don't fit"), (1, "no unseen troops fit")])
def test_what_a_defender_cannot_make_is_not_laid_to_cards_that_may_be_left_out(free, sentence):
    flag = {"fog": False, "mud": False, "tile": "fortress", "needs": [3, 4]}
    explanation = {
        "flag": 4,
        "seat": 0,
        "holds": True,
        "refutation": None,
        "because": "beats-all",
        "mine": {"cards": ["O6", "O4", "O5"], "formation": "wedge", "sum": 15},
        "theirs": {"cards": ["P5", "R9", "B5", "B1"][: 4 - free], "free": free, "unseen": 9},
        "replies": [{"formation": "phalanx", "cards": None, "beats": False, "why": "gone", "gone": []}],
    }
    proof = describe_case(ClaimCase(MEDIEVAL_WORDING, explanation, flag, CARD_NAMES_BY_COLOURS["ROYGBP"]), "terrain", 1)
    assert str(proof.rungs[0].reason) == sentence
    assert [face.number for face in proof.theirs if face.is_ignored] == ([] if free else ["9"])


@pytest.mark.parametrize("edition", ["standard", "advanced", "long", "hundred-years", "highlands"])
def test_what_is_unseen_lies_in_a_deck_or_in_the_other_hand(record_of, edition):
    record = record_of(0, edition)
    for state in states(record):
        for seat in (0, 1):
            view, other = state.view(seat), state.view(1 - seat)
            known = list_known_cards(WORDINGS_BY_EDITION[edition], record["options"], view, has_hand=True)
            hidden = [card for card in other["hand"] if not is_tactic(card)]
            troops = sum(card.unseen for _, cards in known.troops for card in cards)
            assert troops == view["decks"]["troop"] + len(hidden)
            tactics = [card for _, cards in known.tactics for card in cards]
            held = len(other["hand"]) - len(hidden)
            assert sum(card.unseen for card in tactics) == view["decks"]["tactic"] + held
            assert {card.face.key for card in tactics if card.place == "hand"} == set(filter(is_tactic, view["hand"]))

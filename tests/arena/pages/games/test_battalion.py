"""Battalion's armies, sentences and attacks on the replay page, from whole legs of two, three and four."""

import re
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.utils.html import strip_tags

from arena.pages.games import find_presentation, plain
from arena.pages.games.battalion.board import format_modification
from arena.pages.games.battalion.words import describe_ending, describe_events
from arena.pages.games.presentation import Mark
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Scene, play_back, play_to
from engine.games.battleline.options import TITLES
from tests.arena.pages.conftest import list_scenes
from tests.full import one_of_each

PRESENTATION = find_presentation("battalion", "standard")
ALL_LEGS = [(players, seed) for players in (2, 3, 4) for seed in range(3)]
LEGS = one_of_each(ALL_LEGS, kind=lambda leg: leg[0])
PATH = {"attacker": "10", "target": "9", "values": [10, 9]}


@pytest.fixture
def leg(record_of):
    """The record of a random leg of so many players."""

    def find(players: int, seed: int, forfeit_at: int | None = None):
        return record_of(seed, "standard", "battalion", players, forfeit_at)

    return find


SCENES: dict[tuple[int, int | None], list[Scene]] = {}


def scenes(record, onlooker=None):
    """The scenes after every step of a record, which lives as long as the tests do."""
    key = id(record), onlooker
    if key not in SCENES:
        SCENES[key] = list_scenes(record, onlooker)
    return SCENES[key]


def armies_of(scene: Scene):
    return PRESENTATION.build_board(scene).armies


def words_of(*events):
    return [str(line) for line in describe_events(events)]


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ({"action": "deploy 0=A,2=10,4=9/1=7,3=6/2=Q guard=5"}, "Spades deploys as Arrow, 3-2-1"),
        ({"action": "deploy 0=?,2=?/0=?,2=? guard=?"}, "Spades deploys as Box, 2-2-0"),
        ({"action": "deploy 0=?,2=? guard=?"}, "Spades deploys 2-0-0"),
        ({"action": "pickup"}, "Spades recovers its wounded"),
        ({"action": "move 2a 1a"}, "Spades moves 2a to 1a"),
        ({"action": "move 1a g"}, "Spades moves 1a to the guard"),
        ({"action": "pass"}, "Spades passes"),
        ({"action": "reinforce 9 2a"}, "Spades brings Spades 9 into 2a"),
        ({"action": "reinforce ? 2a"}, "Spades brings a card into 2a"),
        ({"action": "reinforce 9 g"}, "Spades brings Spades 9 in as guard"),
        ({"action": "modify", "roll": 5}, "Spades rolls 5: +2 in combat"),
        ({"action": "modify", "roll": 3}, "Spades rolls 3: ±0 in combat"),
        ({"action": "modify", "roll": 1}, "Spades rolls 1: −2 in combat"),
        ({"action": "reform 0=A,2=10/1=7"}, "Spades reforms to 2-1-0"),
        ({"action": "reform 0=A hand=7"}, "Spades reforms to 1-0-0 and takes Spades 7 into hand"),
        ({"action": "reform 0=? hand=?"}, "Spades reforms to 1-0-0 and takes a card into hand"),
        (
            {"action": "attack 1a 2:2b", **PATH, "result": "wins"},
            "Spades attacks Diamonds at 2b: Spades 10 beats Diamonds 9",
        ),
        (
            {"action": "attack 1a 1:g", **PATH, "result": "loses"},
            "Spades attacks Hearts at the guard: Spades 10 falls to Hearts 9",
        ),
        (
            {"action": "attack 1a 1:2b", **PATH, "result": "tie"},
            "Spades attacks Hearts at 2b: Spades 10 and Hearts 9 both fall",
        ),
        (
            {"action": "attack 1a 3:2b", "attacker": "K", "target": "Q", "result": "strike"},
            "Spades strikes Clubs at 2b: Spades K and Clubs Q both fall",
        ),
        (
            {"action": "attack 1a 1:g", "attacker": "J", "target": "9", "result": "look"},
            "Spades looks at Hearts, the guard: Spades J reveals Hearts 9",
        ),
        (
            {"action": "attack 1a 1:g", "attacker": "2", "target": None, "result": "emperor"},
            "Spades attacks Hearts: Spades 2 finds the guard cell empty",
        ),
        ({"event": "out", "cards": {}}, "Spades is out: its emperor is dead"),
        ({"action": "forfeit", "verdict": "timeout"}, "Spades didn't answer in time"),
    ],
)
def test_every_kind_of_event_has_its_sentence(event, sentence):
    assert words_of({"seat": 0, **event}) == [sentence]


def test_cards_moved_one_after_the_other_share_a_sentence():
    moves = [{"seat": 1, "action": action} for action in ("move 2a 1a", "move 3a 2a")]
    assert words_of(*moves, {"seat": 1, "action": "pass"}) == ["Hearts moves 2a to 1a, 3a to 2a", "Hearts passes"]


@pytest.mark.parametrize(("players", "seed"), LEGS)
def test_every_step_of_a_leg_can_be_told_and_drawn_with_all_its_cards(leg, players, seed):
    for scene in scenes(leg(players, seed)):
        assert bool(PRESENTATION.describe_step(scene.step)) == bool(scene.number)
        fallen = {event["seat"] for event in scene.step.events if event.get("event") == "out"}
        for army in armies_of(scene):
            laid = [cell for cell in army.ground.cells if cell.face and not cell.mark.fate] if army.ground else []
            if army.is_out:
                assert bool(army.ground) == (army.seat in fallen) and not army.piles
            else:
                assert len(laid) + sum(pile.count for pile in army.piles) == 13


@pytest.mark.parametrize(("players", "seed"), ALL_LEGS)
def test_nobody_sees_a_card_that_the_game_hides_from_it(leg, players, seed):
    for onlooker in range(players):
        for scene in scenes(leg(players, seed), onlooker):
            for army in armies_of(scene):
                if army.seat == onlooker or army.is_out or not army.ground:
                    continue
                side = scene.after[onlooker]["seats"][army.seat]
                seen = {cell["cell"]: cell["card"] for row in side["rows"] for cell in row}
                seen["g"] = side["guard"]["card"]
                for cell in army.ground.cells:
                    if cell.face and not cell.mark.fate:
                        assert cell.face.is_back == (seen[cell.name] == "?")
                        assert cell.face.number == ("" if cell.face.is_back else seen[cell.name])
                assert army.piles[0].cards is None


def test_a_deployment_is_seen_by_its_own_seat_and_by_all_when_all_have_deployed(leg):
    record = leg(3, 1)
    second = play_to(record, 2, onlooker=0)
    spades, hearts, diamonds = armies_of(second)
    assert spades.ground and not hearts.ground and not diamonds.ground
    assert hearts.absence == "Deployed; hidden until everyone has."
    assert diamonds.absence == "Not yet deployed."
    assert [line.text for line in PRESENTATION.describe_step(second.step)] == ["Hearts deploys in secret"]
    third = play_to(record, 3, onlooker=0)
    assert all(army.ground for army in armies_of(third))
    assert all(cell.face.is_back for cell in armies_of(third)[1].ground.cells)
    told = [str(line.text) for line in PRESENTATION.describe_step(third.step)]
    assert len(told) == 2 and told[0].startswith("Hearts deploys") and told[1].startswith("Diamonds deploys")


def test_where_everything_is_open_a_deployment_is_drawn_as_it_is_made(leg):
    record = leg(4, 2)
    assert [sum(bool(army.ground) for army in armies_of(scene)) for scene in scenes(record)[:5]] == [
        0,
        1,
        2,
        3,
        4,
    ]
    assert play_to(record, 0).opening == 4
    assert [step.turn for step in play_to(record, 0).steps[:6]] == [None, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(("players", "seed"), LEGS)
def test_turns_are_what_a_seat_does_in_a_row(leg, players, seed):
    steps = play_to(leg(players, seed), 0).steps
    for before, after in zip(steps[1:], steps[2:], strict=False):
        assert len({entry.seat for entry in after.entries}) == 1
        assert before.seat != after.seat
    assert [step.turn for step in steps[players + 1 :]] == list(range(1, len(steps) - players))


@pytest.mark.parametrize(("players", "seed"), LEGS)
def test_an_attack_is_numbered_on_the_board_as_beside_it(leg, players, seed):
    for scene in scenes(leg(players, seed)):
        marks = [cell.mark for army in armies_of(scene) if army.ground for cell in army.ground.cells]
        for explanation in scene.proofs:
            attack = PRESENTATION.build_proof(scene, explanation)
            numbers = sorted(mark.number for mark in marks if mark.number)
            assert numbers == list(range(1, len(attack.path) + 1))
            fates = sorted(mark.fate for mark in marks if mark.fate)
            assert fates == sorted(["dead"] * len(explanation["dead"]) + ["wounded"] * len(explanation["wounded"]))
            assert attack.rulings and all(re.fullmatch(r"BT-\d+", ruling) for ruling in attack.rulings)
            assert all(side.sum for side in attack.sides) == bool(explanation["values"])
            shown = unescape(strip_tags(render_to_string("games/battalion/proof.html", {"proof": attack})))
            assert attack.title in shown and "None" not in shown
        if not scene.proofs:
            assert not any(mark.number or mark.fate for mark in marks)


def test_attacks_of_every_result_were_among_them(leg):
    results = {
        explanation["result"]
        for players, seed in ALL_LEGS
        for scene in scenes(leg(players, seed))
        for explanation in scene.proofs
    }
    assert {"wins", "loses", "tie", "look", "strike"} <= results


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_attack_flies_from_the_left_army_to_the_right_one(leg, players):
    """Of two players each keeps its side."""
    attacks = 0
    for scene in scenes(leg(players, 3)):
        board = PRESENTATION.build_board(scene)
        walked = next((proof for proof in scene.proofs if proof["path"]), None)
        assert bool(board.arc) == bool(walked)
        if walked:
            attacks += 1
            seats = walked["attacker"]["seat"], walked["target"]["seat"]
            places = tuple(board.armies[seat].place for seat in (seats if players > 2 else (0, 1)))
            assert places == ("field-left", "field-right") and board.arc.seat == seats[0]
    assert attacks


@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_armies_are_drawn_in_full_and_the_others_small(leg, players):
    for scene in scenes(leg(players, 0)):
        armies = armies_of(scene)
        small = ["field-small"] * (players - 2)
        assert sorted(army.place for army in armies) == ["field-left", "field-right", *small]
        if players > 2 and scene.step.seat is not None:
            assert armies[scene.step.seat].place == "field-left"


@pytest.mark.parametrize("forfeit_at", [1, 7])
def test_who_makes_a_fault_in_a_leg_of_three_goes_out_and_the_others_play_on(leg, forfeit_at):
    record = leg(3, 0, forfeit_at)
    seat = record["actions"][forfeit_at]["seat"]
    found = [scene for scene in scenes(record) if any(e.action == "forfeit" for e in scene.step.entries)]
    assert len(found) == 1 and not found[0].is_over
    told = [str(line) for line in PRESENTATION.describe_step(found[0].step)]
    name = PRESENTATION.name_seat(seat)
    assert told[-2:] == [f"{name} didn't answer in time", f"{name} is out: its emperor is dead"]
    after = armies_of(play_to(record, found[0].number + 1))[seat]
    assert after.is_out and after.ground is None and after.absence == "The emperor is dead: place 3."


def test_a_card_that_was_moved_or_brought_in_is_marked(leg):
    for scene in scenes(leg(3, 2)):
        arrived = {(e.seat, e.action.split()[2]) for e in scene.step.entries if e.action.startswith(("move", "reinf"))}
        marked = {
            (army.seat, cell.name)
            for army in armies_of(scene)
            if army.ground
            for cell in army.ground.cells
            if cell.face and cell.face.is_new
        }
        assert marked <= arrived


@pytest.mark.parametrize(
    ("reason", "places", "sentence"),
    [
        ("last-standing", [2, 1, 3], "Hearts wins: the last emperor alive"),
        ("quiet", [1, 2, 3], "Spades wins on kills: 20 rounds without a death"),
        ("quiet", [1, 3, 1], "Spades and Diamonds share first place: 20 rounds without a death"),
        ("limit", [2, 3, 1], "Diamonds wins on kills after round 150"),
        ("limit", [1, 1, 1], "Spades, Hearts and Diamonds share first place after round 150"),
        ("crash", [1, 2], "Spades wins: Hearts's program ended before the leg did"),
    ],
)
def test_the_ending_says_who_and_why(leg, reason, places, sentence):
    scene = play_to(leg(2, 0), 0)
    scene.result = {"places": places, "scores": [], "reason": reason}
    assert describe_ending(scene) == sentence


@pytest.mark.parametrize(("number", "text"), [(3, "+3"), (0, "±0"), (-2, "−2")])
def test_a_modification_always_has_a_sign(number, text):
    assert format_modification(number) == text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_board_of_every_step_can_be_rendered_for_every_onlooker(leg, players):
    record = leg(players, 0)
    for onlooker in (None, *range(players)):
        for scene in scenes(record, onlooker)[::3]:
            board = PRESENTATION.build_board(scene)
            shown = render_to_string("games/battalion/board.html", {"board": board})
            assert all(PRESENTATION.name_seat(seat) in shown for seat in range(players))
            assert " style=" not in shown


# What each game puts on the timeline of a leg.

TACTICS = ("leader", "cavalry", "shield", "fog", "mud", "scout", "redeploy", "deserter", "traitor")


def marks_of(playback, presentation):
    return [mark for step in playback.steps for mark in presentation.list_marks(step)]


@pytest.mark.parametrize("onlooker", [None, 0, PUBLIC_ONLOOKER])
@pytest.mark.parametrize("edition", TITLES)
def test_every_claim_and_tactics_card_has_its_mark(record_of, edition, onlooker):
    record, presentation = record_of(1, edition), find_presentation("battleline", edition)
    found = marks_of(play_back(record, onlooker), presentation)
    actions = [entry["action"] for entry in record["actions"]]
    claims = [action for action in actions if action.startswith("claim")]
    awards = [mark for mark in found if "awarded" in mark.label]
    played = [action for action in actions if action.removeprefix("play ").startswith(TACTICS)]
    kinds = [mark.kind for mark in found]
    assert kinds.count("claim") - len(awards) == len(claims)
    assert kinds.count("tactics") == len(played)
    assert set(kinds) <= {*presentation.jump_labels, "forfeit"}
    assert ("tactics" in presentation.jump_labels) == (edition not in ("terrain", "highlands"))


@pytest.mark.parametrize(
    ("event", "mark"),
    [
        (
            {"seat": 0, "action": "claim 3", "formation": "phalanx", "sum": 24},
            Mark("claim", 0, "pennant-0", "South claims flag 3: phalanx 24"),
        ),
        (
            {"seat": 1, "event": "award", "flag": 2},
            Mark("claim", 1, "pennant-1", "Flag 2 goes to North, who can prove the claim"),
        ),
        ({"seat": 1, "action": "play fog 2"}, Mark("tactics", 1, "fog", "North plays Fog")),
        ({"seat": 0, "action": "play leader-2 2"}, Mark("tactics", 0, "leader", "South plays Darius")),
        ({"seat": 0, "action": "traitor B1 4 6"}, Mark("tactics", 0, "traitor", "South plays Traitor")),
        (
            {"seat": 0, "action": "forfeit", "verdict": "timeout"},
            Mark("forfeit", 0, "no", "South didn't answer in time"),
        ),
        ({"seat": 0, "action": "play G8 3"}, None),
        ({"seat": 0, "action": "return ?", "deck": "tactic"}, None),
        ({"seat": 0, "event": "draw", "deck": "tactic", "card": "fog"}, None),
        ({"event": "tiles", "row": []}, None),
    ],
)
def test_a_mark_says_who_did_what(event, mark):
    presentation = find_presentation("battleline", "standard")

    class Told:
        events = (event,)

    assert presentation.list_marks(Told()) == ([mark] if mark else [])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_attack_and_every_elimination_has_its_mark(record_of, players):
    presentation = find_presentation("battalion", "standard")
    record = record_of(1, "standard", "battalion", players)
    found = marks_of(play_back(record, None), presentation)
    attacks = [entry for entry in record["actions"] if entry["action"].startswith("attack")]
    assert [mark.seat for mark in found if mark.kind == "attack"] == [entry["seat"] for entry in attacks]
    assert all("<" not in mark.label for mark in found)
    assert set(presentation.jump_labels) == {"attack", "out"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_cards_standing_are_counted_for_every_seat_and_step(record_of, players):
    presentation = find_presentation("battalion", "standard")
    for seed in range(4):
        record = record_of(seed, "standard", "battalion", players)
        open_playback, public = (play_back(record, onlooker) for onlooker in (None, PUBLIC_ONLOOKER))
        levels = presentation.measure(open_playback)
        assert levels == presentation.measure(public)
        assert [level.seat for level in levels] == list(range(players))
        assert all(len(level.values) == open_playback.last + 1 for level in levels)
        assert all(0 <= value <= 13 for level in levels for value in level.values)
        outs = {mark.seat for mark in marks_of(open_playback, presentation) if mark.kind == "out"}
        assert all(level.values[-1] == 0 for level in levels if level.seat in outs)
        assert all(level.values[0] == level.values[players] > 0 for level in levels)


def test_a_fault_is_marked_in_a_leg_that_goes_on(record_of):
    playback = play_back(record_of(0, "standard", "battalion", 3, 7), None)
    assert [mark.kind for mark in marks_of(playback, find_presentation("battalion", "standard"))].count("forfeit") == 1


def test_a_game_without_a_presentation_marks_nothing(record_of):
    assert marks_of(play_back(record_of(1), None), plain.PRESENTATION) == []

"""What each game puts on the timeline of a leg."""

import pytest

from arena.pages.games import find_presentation, plain
from arena.pages.games.presentation import Mark
from arena.pages.matches.replay import PUBLIC_ONLOOKER, play_back
from engine.games.battleline.options import TITLES

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
    assert ("tactics" in presentation.jump_labels) == (edition != "terrain")


@pytest.mark.parametrize(
    ("event", "mark"),
    [
        (
            {"seat": 0, "action": "claim 3", "formation": "phalanx", "sum": 24},
            Mark("claim", 0, "pennant-0", "South claims flag 3: phalanx 24"),
        ),
        (
            {"seat": 1, "event": "award", "flag": 2},
            Mark("claim", 1, "pennant-1", "Flag 2 is awarded to North, which can prove it"),
        ),
        ({"seat": 1, "action": "play fog 2"}, Mark("tactics", 1, "fog", "North plays Fog")),
        ({"seat": 0, "action": "play leader-2 2"}, Mark("tactics", 0, "leader", "South plays Darius")),
        ({"seat": 0, "action": "traitor B1 4 6"}, Mark("tactics", 0, "traitor", "South plays Traitor")),
        (
            {"seat": 0, "action": "forfeit", "verdict": "timeout"},
            Mark("forfeit", 0, "no", "South gave no answer in time"),
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

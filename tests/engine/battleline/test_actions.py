"""The words of actions: what is malformed, what is only illegal, and that nothing else can happen."""

import pytest

from engine.core import IllegalAction, MalformedAction, State
from tests.engine.battleline.staging import begin, play, stage


def every_decision() -> list[State]:
    scouting = play(stage("", "", holds=("R1 R2 scout", "")), "scout")
    at_once = play(stage("", "", holds=("R1 R2 scout", ""), scout="at-once"), "scout")
    returning = play(scouting.copy(), "draw troop", "draw troop", "draw tactic")
    finishing = play(begin("R1"), "play R1 1")
    tiles = stage("R10 1, R9 1, R8 1", "B1 2, B2 3", row="marshes 1, castle 9")
    marshes = play(tiles.copy(), "claim 1")
    watchtower = play(stage("R10 1, R9 1, R8 1", "B1 2, B2 2", row="watchtower 1, castle 9"), "claim 1")
    drafting = begin(edition="hundred-years", without_tactics=True, row="castle 1")
    laying = drafting.copy()
    while laying.view(0)["decision"] == "draft":
        laying.play(laying.moves()[0])
    return [begin(), finishing, scouting, at_once, returning, tiles, marshes, watchtower, drafting, laying]


@pytest.mark.parametrize("action", ["claim 2", "play R1 1", "scout", "pass", "done", "draw troop", "draw troop tactic",
                                    "return R1", "remove R1 1", "pick river", "lay river up", "deserter R1 1",
                                    "traitor R1 1 2", "redeploy R1 1 discard"])  # fmt: skip
def test_every_action_of_the_grammar_is_legal_or_refused_with_a_ruling_wherever_it_is_said(action: str) -> None:
    for state in every_decision():
        try:
            assert state.text(state.parse(action)) == action
        except IllegalAction as refusal:
            assert "(BL-" in str(refusal) or "isn't in the hand" in str(refusal)


MALFORMED = [
    ("", "unknown action ''; an action begins with claim, play, scout"),
    ("R7", "R7 is a card, not an action; to play it at flag 3, answer play R7 3"),
    ("attack 3", "unknown action 'attack 3'; an action begins with claim, play"),
    ("Claim 3", "unknown action 'Claim 3'"),
    ("claim", "'claim' should read 'claim FLAG'"),
    ("claim 3 4", "'claim 3 4' should read 'claim FLAG'"),
    ("claim  3", "'claim  3' should read 'claim FLAG'"),
    (" claim 3", "unknown action ' claim 3'"),
    ("claim 3\n", "no flag '3\\n'; flags are 1 to 9"),
    ("claim 0", "no flag '0'; flags are 1 to 9"),
    ("claim 10", "no flag '10'; flags are 1 to 9"),
    ("claim 03", "no flag '03'"),
    ("claim ٣", "no flag '٣'"),
    ("claim discard", "no flag 'discard'"),
    ("play R11 3", "no card 'R11'"),
    ("play S7 3", "no card 'S7'"),
    ("play r7 3", "no card 'r7'"),
    ("play R7 discard", "no flag 'discard'"),
    ("redeploy R7 1", "'redeploy R7 1' should read 'redeploy CARD FLAG TO'"),
    ("draw", "'draw' should read 'draw DECK'"),
    ("draw card", "no deck 'card'; decks are troop, tactic"),
    ("draw troop card", "'draw troop card' should read 'draw DECK'"),
    ("return", "'return' should read 'return CARD'"),
    ("pass 1", "'pass 1' should read 'pass'"),
    ("remove R1", "'remove R1' should read 'remove CARD FLAG'"),
    ("remove R1 0", "no flag '0'; flags are 1 to 9"),
    ("pick", "'pick' should read 'pick TILE'"),
    ("pick moat", "no tile 'moat'; tiles are castle, marshes, river"),
    ("lay river", "'lay river' should read 'lay TILE FACE'"),
    ("lay river sideways", "a tile can't be laid 'sideways', only down, up"),
    ("lay moat up", "no tile 'moat'"),
]


@pytest.mark.parametrize(("text", "sentence"), MALFORMED, ids=[repr(row[0]) for row in MALFORMED])
def test_what_is_not_of_the_grammar_is_malformed_and_the_sentence_says_what_was_expected(
    text: str, sentence: str
) -> None:
    for state in every_decision():
        with pytest.raises(MalformedAction) as caught:
            state.parse(text)
        assert str(caught.value).startswith(sentence)


def test_a_long_line_is_cut_in_the_sentence() -> None:
    with pytest.raises(MalformedAction) as caught:
        begin().parse("claim " + "9" * 60_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("deck", ["troop", "tactic", "troop tactic"])
@pytest.mark.parametrize(
    "count", [4, 9, 15, 16, 17, 255, 256, 1_100, 4_095, 4_096, 5_000, 8_192, 9_362, 10_900, 60_000]
)
def test_naming_a_deck_very_often_is_refused_like_anything_else(deck: str, count: int) -> None:
    for state in every_decision():
        with pytest.raises((IllegalAction, MalformedAction)):
            state.parse(f"draw {' '.join([deck] * count)}")


def test_after_the_end_everything_is_refused() -> None:
    state = begin()
    state.forfeit(0, "timeout")
    with pytest.raises(IllegalAction, match="the leg is finished"):
        state.parse("play R1 1")

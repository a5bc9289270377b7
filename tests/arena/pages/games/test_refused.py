"""Claims and attacks that the rules refuse, explained from whole legs in which somebody tries one."""

from html import unescape

import pytest
from django.template.loader import render_to_string
from django.utils.html import strip_tags

from arena.pages.games import find_presentation
from arena.pages.games.battleline.words import WORDINGS_BY_EDITION
from arena.pages.games.sentence import Sentence
from arena.pages.matches.replay import PUBLIC_ONLOOKER, explain_refused, play_back, play_to
from engine.games.battleline.options import TITLES
from engine.message import literal
from engine.replay import states

WORDS = 8


def broken_off(record, number):
    """The leg in which whoever takes this decision times out."""
    seat = record["actions"][number]["seat"]
    entry = {"seat": seat, "action": "forfeit", "verdict": "illegal"}
    result = {"places": [1 + (seat == 0), 1 + (seat == 1)], "scores": [0, 0], "reason": "illegal"}
    return {**record, "actions": [*record["actions"][:number], entry], "result": result}


def refused_claims(record):
    """Where in a leg a claim on each flag would have been refused, and what the game says of it."""
    for number, state in enumerate(states(record)):
        if number % 7 == 0 and state.to_act is not None and state.view(0)["turn"]:
            for flag in range(1, len(state.view(0)["flags"]) + 1):
                explanation = state.explain(f"claim {flag}")
                if explanation and not explanation["holds"]:
                    yield number, explanation


@pytest.mark.parametrize("edition", TITLES)
def test_a_refused_claim_says_what_would_still_beat_it(record_of, edition):
    record, presentation, seen = record_of(1, edition), find_presentation("battleline", edition), set()
    for number, explanation in refused_claims(record):
        because = explanation["because"]
        if because in seen:
            continue
        seen.add(because)
        broken = broken_off(record, number)
        assert explain_refused(broken, f"claim {explanation['flag']}") == explanation
        scene = play_to(broken, 10**9, PUBLIC_ONLOOKER)
        proof = presentation.build_proof(scene, explanation)
        shown = unescape(strip_tags(render_to_string("games/battleline/proof.html", {"proof": proof})))
        assert "can't claim flag" in proof.title and "The claim doesn't hold" in shown
        assert "None" not in shown
        if explanation["refutation"]:
            names = [WORDINGS_BY_EDITION[edition].face(card).name for card in explanation["refutation"]]
            assert all(name in str(proof.verdict) for name in names)
    assert {"incomplete", "closed"} & seen


def words_of(reason: Sentence | str) -> list[str]:
    """Without the cards."""
    if isinstance(reason, str):
        return reason.split()
    return "".join(part.text for part in reason.parts if not part.icon).split()


@pytest.mark.parametrize("edition", TITLES)
def test_a_rung_is_short(record_of, edition):
    """Besides the cards it names, which are icons and numbers."""
    presentation = find_presentation("battleline", edition)
    for seed in range(4):
        playback = play_back(record_of(seed, edition), None)
        for number in range(playback.last + 1):
            scene = playback.scene(number)
            for explanation in scene.proofs:
                for rung in presentation.build_proof(scene, explanation).rungs:
                    assert len(words_of(rung.reason)) <= WORDS, rung.reason


def test_a_refused_attack_is_told_in_the_words_of_the_rules(record_of):
    record, presentation = record_of(0, "standard", "battalion", 2), find_presentation("battalion", "standard")
    explanation = {"refused": literal("Nothing stands in 1d.").to_json(), "rulings": ["BT-20"]}
    scene = play_to(record, 9)
    shown = render_to_string("games/battalion/proof.html", {"proof": presentation.build_proof(scene, explanation)})
    assert "Nothing stands in 1d" in shown and "/rules/battalion/standard/#BT-20" in shown

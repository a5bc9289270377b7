"""A tournament's document, computed again by who has nothing else."""

import copy
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from arena.bots.models import Bot
from arena.cli import main
from arena.contests.tournaments.document import BadTournament, list_changes, list_problems, read_document
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.overview import fetch_overview
from arena.contests.tournaments.services.entering import disqualify, withdraw
from arena.contests.tournaments.services.organising import replay_rounds
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.matches.models import Match
from tests.arena.contests.tournaments.world import begin, make_bots, play_out, play_round, waiting
from tests.conftest import Play
from tests.full import default_and_full, is_full_run

SETTINGS_BY_FORMAT = {
    "groups": {"groups": 2, "advance_per_group": 2},
    "tables": {"seats": 2, "rounds": 3},
    "swiss": {"rounds": 4},
    "swiss-knockout": {"rounds": 2, "knockout_size": 4, "third_place_match": True},
}
MANY_SIDED = ["swiss-knockout", "double-elimination", "tables"]
"""Formats that have among them all that documents tell of."""
Json = dict[str, Any]
OLD_DOCUMENTS = sorted((Path(__file__).parent / "old_documents").glob("*.json"))


def fetch(tournament: Tournament) -> Json:
    found: Json = Client().get(f"/tournaments/{tournament.slug}/tournament.json").json()
    return found


def problems(found: Json) -> list[str]:
    return list(list_problems(read_document(found)))


def draw_places(rng: Random) -> Callable[[Sequence[Bot]], list[int]]:
    """Places at random; one in four matches is even."""

    def decide(bots: Sequence[Bot]) -> list[int]:
        return [1] * len(bots) if rng.random() < 0.25 else rng.sample(range(1, len(bots) + 1), len(bots))

    return decide


def disturb(tournament: Tournament, rng: Random) -> None:
    """Let a bot leave, or a round be played again, now and then."""
    there = list(Entrant.objects.seeded().filter(tournament=tournament, left_in_round=None))
    organiser = tournament.organiser
    if rng.random() < 0.5 and len(there) > 3:
        one = rng.choice(there)
        if rng.random() < 0.5:
            withdraw(entrant=one, user=one.bot.owner)
        else:
            disqualify(entrant=one, organiser=organiser, reason="It was told not to.")
    last = tournament.rounds.filter(is_latest_attempt=True).order_by("number").last()
    if last is not None and rng.random() < 0.25:
        replay_rounds(tournament=tournament, organiser=organiser, number=rng.randint(1, last.number), reason="Again.")
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()


@pytest.mark.django_db
@pytest.mark.parametrize("size", default_and_full([5], [8]))
@pytest.mark.parametrize("key", default_and_full(MANY_SIDED, [key for key in FORMATS if key not in MANY_SIDED]))
def test_every_format_is_computed_again_whatever_happened(key: str, size: int) -> None:
    bots = make_bots(size)
    for seed in range(5 if is_full_run() else 1):
        rng = Random(f"{key}/{size}/{seed}")
        settings = Settings(format=key, matches_per_pairing=3, **SETTINGS_BY_FORMAT.get(key, {}))
        tournament = begin(bots, settings, title=f"Cup {seed}")
        disturbances = 3
        while tournament.state == Tournament.State.RUNNING:
            assert problems(fetch(tournament)) == [], "while it runs"
            if disturbances:
                disturbances -= 1
                disturb(tournament, rng)
            play_round(tournament, draw_places(rng))
        assert tournament.state == Tournament.State.FINISHED
        found = fetch(tournament)
        assert found["secret"] and problems(found) == []
        shown = [(line.number, line.place or None, line.score) for line in fetch_overview(tournament).standings]
        assert shown == [(line["number"], line["place"], line["score"]) for line in found["standings"]]


def first_match(found: Json) -> Json:
    match: Json = found["rounds"][0]["pairings"][0]["matches"][0]
    return match


def swap_points(found: Json) -> None:
    first_match(found)["points"].reverse()


def swap_places(found: Json) -> None:
    one, other = found["standings"][:2]
    one["place"], other["place"] = other["place"], one["place"]


def swap_places_of_a_phase(found: Json) -> None:
    one, other = found["phases"][0]["tables"][0]["standings"][:2]
    one["place"], other["place"] = other["place"], one["place"]


def hide_a_phase(found: Json) -> None:
    found["phases"] = []


def swap_opponents(found: Json) -> None:
    one, other = found["rounds"][0]["pairings"][:2]
    one["entrants"][0], other["entrants"][0] = other["entrants"][0], one["entrants"][0]


def choose_deal(found: Json) -> None:
    first_match(found)["deal_hashes"][0] = "0" * 64


def play_twice(found: Json) -> None:
    found["rounds"][0]["pairings"][0]["matches"].append(first_match(found))


def move_deal(found: Json) -> None:
    first_match(found)["deal"] += 1


def win_at_the_desk(found: Json) -> None:
    found["rounds"][0]["pairings"][0]["points"].reverse()


def change_secret(found: Json) -> None:
    found["secret"] = "another"


@pytest.fixture(scope="module")
def played(module_db: None) -> Json:
    return fetch(play_out(begin(make_bots(4), Settings(format="round-robin"))))


@pytest.fixture
def whole(played: Json) -> Json:
    """Return a copy to change."""
    return copy.deepcopy(played)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (swap_points, "round 1, board 1: the result does not follow from its matches"),
        (win_at_the_desk, "round 1, board 1: the result does not follow from its matches"),
        (swap_places, "seed 1 has place 2 in the standings, and 1 by the results"),
        (swap_places_of_a_phase, "seed 1 has place 2 in the standings of phase 1, and 1 by the results"),
        (hide_a_phase, "it has other phases than those that follow from its settings and results"),
        (swap_opponents, "round 1 has other pairings than those that follow from the results before it"),
        (choose_deal, "its deal did not come from the secret"),
        (move_deal, "which is not that of its place"),
        (play_twice, "two matches of the same number count"),
        (change_secret, "the secret is not the one that was committed to"),
    ],
)
def test_what_was_changed_is_named(whole: Json, change: Callable[[Json], None], sentence: str) -> None:
    assert problems(whole) == []
    change(whole)
    assert any(sentence in problem for problem in problems(whole)), problems(whole)


def test_what_is_no_document_is_refused(whole: Json) -> None:
    half, strange, alien = (copy.deepcopy(whole) for _ in range(3))
    half["rounds"][0]["pairings"][0]["points"].pop()
    strange["rounds"][0]["pairings"][0]["entrants"][0] = 77
    alien["settings"]["format"] = "chess"
    other = (whole | {"rounds": 3}, whole | {"settings": {"colour": 1}}, whole | {"format": "x"})
    for damaged in (None, [], {}, half, strange, alien, *other):
        with pytest.raises(BadTournament):
            read_document(damaged)


@pytest.mark.parametrize("path", OLD_DOCUMENTS, ids=lambda path: path.stem)
def test_documents_of_version_0_1_verify_for_ever(path: Path) -> None:
    """They were exported before there were phases; bots left in them, and rounds were replayed."""
    found = json.loads(path.read_text())
    assert found["format"] == "pennant-tournament-results/1" and found["secret"] and problems(found) == []
    swap_places(found)
    assert problems(found) != []


def test_a_document_of_the_first_form_is_still_read(whole: Json) -> None:
    """It has no phases, and its settings are those of then."""
    old = {name: value for name, value in whole.items() if name != "phases"}
    old["format"] = "pennant-tournament-results/1"
    for name in ("knockout_size", "third_place_match", "separate_phases"):
        del old["settings"][name]
    assert read_document(old).phases is None and problems(old) == []
    assert list(list_changes(read_document(old), read_document(whole))) == []
    swap_places(old)
    assert problems(old) != []


def test_groups_of_older_tournaments_keep_their_places(db: None) -> None:
    """There the knockout counted for the score of all."""
    tournament = begin(make_bots(8), Settings(format="groups"))
    del tournament.settings["separate_phases"]
    tournament.save(update_fields=["settings"])
    found = fetch(play_out(tournament))
    assert problems(found) == []
    assert [(line["place"], line["score"]) for line in found["standings"]][:3] == [(1, 5), (2, 4), (3, 2)]


def test_an_earlier_document_binds_the_later_one(db: None) -> None:
    tournament = begin(make_bots(4), Settings(format="round-robin"))
    early = fetch(tournament)
    late = fetch(play_out(tournament))
    assert early["secret"] is None and list(list_changes(read_document(early), read_document(late))) == []
    changed = copy.deepcopy(late)
    first_match(changed)["deal_hashes"][0] = "0" * 64
    assert "another deal" in next(list_changes(read_document(early), read_document(changed)))
    changed = copy.deepcopy(late)
    changed["rounds"][0]["pairings"][0]["matches"] = []
    assert "was there, and is not" in next(list_changes(read_document(early), read_document(changed)))
    other = fetch(begin(list(Bot.objects.order_by("pk"))[:2], title="Spring Cup"))
    assert next(list_changes(read_document(other), read_document(late))) == "it is of another tournament"


def run(*arguments: str | Path) -> Any:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


@pytest.mark.django_db(transaction=True)
def test_the_command_checks_a_tournament_and_its_records(
    live_server: LiveServer, play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENNANT_URL", live_server.url)
    tournament = begin(make_bots(3), Settings(format="round-robin"))
    early = run("--tournament", "autumn-cup", "--save", tmp_path / "early.json")
    assert early.exit_code == 4 and early.stdout.startswith("not yet autumn-cup: 1 matches"), early.output
    while tournament.state == Tournament.State.RUNNING:
        for match in waiting(tournament):
            assert play(match)
        advance_tournament(tournament=tournament)
        tournament.refresh_from_db()
    match = Match.objects.filter(pairing_match__isnull=False).first()
    assert match is not None
    record = CliRunner().invoke(main, ["record", str(match.pk), "--out", str(tmp_path)])
    files = record.stdout.split()
    page = f"{live_server.url}{tournament.get_absolute_url()}"
    done = run("--tournament", page, "--commitment", tournament.commitment, *files, tmp_path / "early.json")
    assert done.exit_code == 0, done.output
    *checked, last = done.stdout.splitlines()
    assert [line.split()[0] for line in checked] == ["ok"] * 3
    assert last == f"ok {page}: 3 matches; pairings, results and places of 3 rounds follow from them; " + (
        "every deal follows from the secret"
    )
    found = json.loads(Path(files[0]).read_text())
    found["result"]["scores"].reverse()
    Path(files[0]).write_text(json.dumps(found))
    assert run("--tournament", page, files[0]).exit_code == 1
    assert run("--tournament", page, "--commitment", "0" * 64).exit_code == 1
    missing = run("--tournament", "nothing-here")
    assert missing.exit_code == 3 and "has no public tournament at" in missing.stderr
    both = run("--tournament", page, "--season", "x")
    assert both.exit_code == 2 and "without --season" in both.stderr


def test_settings_of_older_folders_are_read() -> None:
    read = Settings.from_json({"format": "swiss", "pairs": 3, "extra": 0, "advance": 1, "scoring": "series"})
    assert read == Settings(
        matches_per_pairing=3, max_tiebreak_matches=0, advance_per_group=1, scoring="game_points", separate_phases=False
    )

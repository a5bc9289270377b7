"""The archive of a tournament: what is in it, who gets it, and that nothing of it can be changed unseen."""

import csv
import io
import json
import re
import shutil
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from django.test import Client
from django.utils.translation import gettext, override
from pytest_django.live_server_helper import LiveServer

from arena.bots.models import Bot
from arena.bots.teams import issue_token
from arena.cli import main
from arena.contests.tournaments.models import PairingMatch, Tournament
from arena.contests.tournaments.services.access import Access, EntryRule, Visibility
from arena.contests.tournaments.services.organising import close_entries, replay_rounds
from arena.contests.tournaments.services.playing import (
    DecidedOutcome,
    PairingDecision,
    advance_tournament,
    decide_pairing,
)
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.standings import TIE_BREAKS
from arena.matches.models import Leg, LegSeat, Match, Participant
from arena.pages.tournaments.archive import free_archives
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from engine.season import commitment
from tests.arena.contests.tournaments.world import (
    begin,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_out,
    play_round,
    waiting,
)
from tests.conftest import Play

pytestmark = pytest.mark.django_db
CUP = Settings(format="single-elimination", max_tiebreak_matches=0)
LINKED = re.compile(r' (?:href|src)="([^"]*)"')


def unpack(answer: Any) -> dict[str, bytes]:
    """The files of an archive by their paths, without the folder in which all of them are."""
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as packed:
        return {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}


def verify(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["verify", *map(str, arguments)])
    return done.exit_code, done.output


@pytest.fixture
def played(play: Play) -> Tournament:
    """A final of two bots, played to its end."""
    tournament = begin(make_bots(2), CUP, edition="short")
    while tournament.state == Tournament.State.RUNNING:
        for match in waiting(tournament):
            assert play(match)
        advance_tournament(tournament=tournament)
        tournament.refresh_from_db()
    return tournament


def test_all_of_a_tournament_is_kept_and_every_change_is_found(played: Tournament, ask, tmp_path: Path) -> None:
    files = unpack(ask(played, "archive.zip"))
    (match,) = {path.split("/")[1].partition("-")[0] for path in files if path.startswith("records/")}
    for path in ("index.html", "rounds/1.html", "tournament.json", "standings.csv", "manifest.json"):
        assert path in files
    for leg in (1, 2):
        assert {f"records/{match}-{leg}.json", f"matches/{match}-{leg}.html"} <= files.keys()
    check_links(files)
    folder = tmp_path / "cup"
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    code, output = verify(folder)
    assert code == 0 and "2 records of 1 matches" in output and "every deal follows from the secret" in output
    assert verify(folder, "--commitment", "0" * 64)[0] == 1
    record, document = f"records/{match}-1.json", json.loads(files["tournament.json"])
    stated = document["rounds"][0]["pairings"][0]["matches"][0]
    changes: dict[str, tuple[str, bytes | None]] = {
        f"{record} is missing": (record, None),
        "index.html was changed": ("index.html", files["index.html"] + b" "),
        "notes.txt isn't part of it": ("notes.txt", b"more"),
        f"{record}: ": (record, files[f"records/{match}-2.json"]),
        f"the scores of match {match} are": (
            "tournament.json",
            files["tournament.json"].replace(
                json.dumps(stated["scores"], indent=1).replace("\n", "\n       ").encode(), b"[99.0, 1.0]"
            ),
        ),
    }
    for words, (path, content) in changes.items():
        changed = tmp_path / "changed"
        shutil.copytree(folder, changed)
        (changed / path).unlink(missing_ok=True)
        if content is not None:
            (changed / path).write_bytes(content)
        code, output = verify(changed)
        assert code == 1 and words in output, (words, output)
        shutil.rmtree(changed)


def check_links(files: dict[str, bytes]) -> None:
    """Check that links lead to files of the archive or to the arena, and that nothing else is loaded."""
    for path, content in files.items():
        if not path.endswith(".html"):
            continue
        text = re.sub(r"<script[^>]*json.*?</script>", "", content.decode(), flags=re.DOTALL)
        for found in LINKED.findall(text):
            target = found.partition("#")[0]
            if not target or target.startswith("http://testserver/"):
                continue
            folder = path.rpartition("/")[0]
            assert str(Path("/", folder, target).resolve())[1:] in files, (path, found)
        assert "/static/" not in content.decode() and "<script src=" in text and 'type="module"' not in text


def test_a_decision_after_the_end_is_kept_and_checked(played: Tournament, ask, tmp_path: Path) -> None:
    winner = played.entrants.get(place=2).bot
    decision = PairingDecision(DecidedOutcome.WIN, "The other read its hand.", winner.slug)
    decide_pairing(tournament=played, organiser=played.organiser, number=1, board=1, decision=decision)
    files = unpack(ask(played, "archive.zip"))
    folder = tmp_path / "cup"
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    assert "The other read its hand." in files["rounds/1.html"].decode()
    code, said = verify(folder)
    assert code == 0 and "from 1 result given by an organiser" in said
    document = json.loads(files["tournament.json"])
    (pairing,) = document["rounds"][0]["pairings"]
    pairing["given_points"], pairing["decisions"] = None, []
    content = json.dumps(document).encode()
    manifest = json.loads(files["manifest.json"])
    manifest["files"]["tournament.json"] = sha256(content).hexdigest()
    (folder / "tournament.json").write_bytes(content)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    code, said = verify(folder)
    assert code == 1 and "round 1, board 1: the result does not follow from its matches" in said


def test_an_empty_folder_is_no_archive(tmp_path: Path) -> None:
    code, output = verify(tmp_path)
    assert code == 1 and "isn't a tournament archive" in output
    assert verify(tmp_path, "--hash", "0")[0] == 2


def test_a_damaged_zip_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("manifest.json", "{}" * 500)
    content = bytearray(path.read_bytes())
    begins = content.index(b"manifest.json") + len("manifest.json")
    content[begins : begins + 4] = b"\xff" * 4
    path.write_bytes(content)
    code, output = verify(path)
    assert code == 1 and "manifest.json can't be read" in output


def test_it_is_made_once_the_tournament_is_over(ask) -> None:
    tournament = begin(make_bots(2))
    answer = ask(tournament, "archive.zip")
    assert answer.status_code == 404 and "once the tournament is finished" in answer.content.decode()
    assert Client().get(f"/api/v1/tournaments/{tournament.slug}/archive/").status_code == 404
    assert "archive.zip" not in ask(tournament).content.decode()
    assert "archive.zip" in ask(play_out(tournament)).content.decode()


def test_it_speaks_the_language_of_its_reader(ask) -> None:
    tournament = play_out(begin(make_bots(2), CUP))
    page = unpack(ask(tournament, "archive.zip", **{"Accept-Language": "hu"}))["index.html"].decode()
    with override("hu"):
        assert '<html lang="hu">' in page and gettext("Standings") in page


def test_one_at_a_time_is_written_and_the_next_reader_is_told_to_wait(ask) -> None:
    tournament = play_out(begin(make_bots(2), CUP))
    first = ask(tournament, "archive.zip")
    busy = ask(tournament, "archive.zip")
    assert busy.status_code == 503 and busy["Retry-After"] == "10"
    assert unpack(first)  # that ends it
    assert unpack(ask(tournament, "archive.zip"))
    assert free_archives.acquire(blocking=False)
    free_archives.release()


def make_private() -> tuple[Tournament, User]:
    """A tournament that a group alone sees, and one of its members."""
    group, organiser = Group.objects.create(name="Class 10.b", slug="class-10b"), make_organiser()
    member = User.objects.create_user("member")
    Membership.objects.create(group=group, user=organiser, role="owner")
    Membership.objects.create(group=group, user=member, real_name="Kisfaludy Zoé")
    bots = make_bots(2)
    for bot in bots:
        Membership.objects.create(group=group, user=bot.owner)
    access = Access(group=group, visibility="group", entry_rule="group")
    return play_out(begin(bots, CUP, access=access)), member


def test_what_is_for_a_group_is_for_its_members(ask) -> None:
    tournament, member = make_private()
    assert ask(tournament, "archive.zip").status_code == 404
    assert ask(tournament, "archive.zip", User.objects.create_user("stranger")).status_code == 404
    answer = ask(tournament, "archive.zip", member)
    assert "no-store" in answer["Cache-Control"]
    assert not any(b"Kisfaludy" in content for content in unpack(answer).values())


def test_a_key_opens_it_for_who_may_see_it_still(ask) -> None:
    tournament, member = make_private()
    token = issue_token(owner=member, name="script")[1]
    address = f"/api/v1/tournaments/{tournament.slug}/archive/"
    assert Client().get(address).status_code == 404
    told = Client().get(address, headers={"Authorization": f"Bearer {token}"})
    assert "no-store" in told["Cache-Control"]
    path = told.json()["download_url"].removeprefix(f"http://testserver{tournament.get_absolute_url()}")
    assert "manifest.json" in unpack(ask(tournament, path))
    assert ask(tournament, f"{path}x").status_code == 404
    Membership.objects.filter(user=member).delete()
    assert ask(tournament, path).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_command_fetches_and_checks_it(
    live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = play_out(begin(make_bots(2), CUP))
    monkeypatch.setenv("PENNANT_URL", live_server.url)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["archive", tournament.slug])
    assert done.exit_code == 0 and "ok autumn-cup.zip" in done.output, done.output
    assert "already exists" in CliRunner().invoke(main, ["archive", tournament.slug]).output
    address = f"{live_server.url}{tournament.get_absolute_url()}"
    unpacked = CliRunner().invoke(main, ["archive", address, "--unpack", "--out", "kept"])
    assert unpacked.exit_code == 0 and (tmp_path / "kept" / "index.html").exists(), unpacked.output
    missing = CliRunner().invoke(main, ["archive", "none"])
    assert missing.exit_code == 3 and "There's no tournament with the address none" in missing.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["autumn-cup.zip", "kept"]


def lines(answer) -> list[dict[str, str]]:
    return list(csv.DictReader(answer.content.decode("utf-8-sig").splitlines()))


def test_the_standings_are_a_table_with_every_tie_break(ask):
    tournament = play_out(begin(make_bots(4)))
    answer = ask(tournament, "standings.csv")
    assert answer["Content-Type"].startswith("text/csv") and "autumn-cup.csv" in answer["Content-Disposition"]
    first = lines(answer)[0]
    assert (first["place"], first["bot"], first["score"], first["wins"]) == ("1", "Bot 1", "3.0", "3")
    assert {key for key, *_rest in TIE_BREAKS} <= first.keys()


def test_no_name_is_a_formula(ask):
    Bot.objects.filter(pk=make_bots(2)[0].pk).update(name="=1+1")
    tournament = begin(list(Bot.objects.order_by("pk")))
    assert "'=1+1" in {line["bot"] for line in lines(ask(tournament, "standings.csv"))}


def test_before_the_start_it_tells_who_has_entered(ask):
    tournament = make_tournament(make_bots(2))
    assert [(line["place"], line["bot"], line["state"]) for line in lines(ask(tournament, "standings.csv"))] == [
        ("", "Bot 1", "checking"),
        ("", "Bot 2", "checking"),
    ]


def test_all_of_it_is_to_be_had_as_json(ask):
    tournament = play_out(begin(make_bots(5), Settings(format="single-elimination", matches_per_pairing=3)))
    told = json.loads(ask(tournament, "tournament.json").content)
    assert told["state"] == "finished" and told["settings"]["matches_per_pairing"] == 3 and told["game"] == "battleline"
    assert commitment(told["secret"]) == told["commitment"] == tournament.commitment
    assert [one["place"] for one in told["entrants"] if one["bot"] == "bot-1"] == [1]
    assert len(told["rounds"]) == 3 and len(told["standings"]) == 5
    matches = [match["id"] for round in told["rounds"] for board in round["pairings"] for match in board["matches"]]
    assert sorted(matches) == sorted(PairingMatch.objects.values_list("match", flat=True))
    assert told["standings"][0]["number"] == 1 and told["standings"][0]["place"] == 1


def test_the_secret_and_open_results_are_not_told_before_the_end(ask):
    tournament = begin(make_bots(2))
    told = json.loads(ask(tournament, "tournament.json").content)
    board = told["rounds"][0]["pairings"][0]
    assert told["secret"] is None and board["points"] is None and board["matches"][0]["points"] is None


def test_rounds_that_count_no_more_are_told_as_such(ask):
    tournament = play_round(begin(make_bots(4)))
    replay_rounds(tournament=tournament, organiser=tournament.organiser, number=1, reason="A machine was slow.")
    advance_tournament(tournament=tournament)
    told = json.loads(ask(tournament, "tournament.json").content)["rounds"]
    assert [(one["number"], one["attempt"], one["is_latest_attempt"]) for one in told] == [
        (1, 0, False),
        (1, 1, True),
        (2, 0, False),
    ]
    assert told[0]["pairings"] and told[0]["replay_reason"] == "A machine was slow."
    deals = {match["deal"] for one in told for board in one["pairings"] for match in board["matches"]}
    assert len(deals) == sum(len(board["matches"]) for one in told for board in one["pairings"])


def test_what_a_bot_said_in_its_check_is_not_told(ask):
    bots = make_bots(3)
    tournament = make_tournament(bots)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    pass_checks(tournament, failing=bots[:1])
    told = json.loads(ask(tournament, "tournament.json").content)
    assert {one["state_reason"] for one in told["entrants"]} == {"", "Crashed during its check."}
    assert [one["number"] for one in told["entrants"] if one["bot"] == "bot-1"] == [None]


def test_legs_of_remote_bots_are_checked_by_who_sat_where(play: Play, ask, tmp_path: Path) -> None:
    remote, other = make_bots(2)
    Bot.objects.filter(pk=remote.pk).update(is_remote=True)
    group = Group.objects.create(name="Class", slug="class")
    Membership.objects.create(group=group, user=make_organiser(), role=Membership.Role.OWNER)
    access = Access(group, Visibility.GROUP, EntryRule.GROUP)
    for bot in (remote, other):
        Membership.objects.create(group=group, user=bot.owner)
    tournament = begin([remote, other], CUP, edition="short", access=access, allows_remote=True)
    matches = waiting(tournament)
    for match in matches:
        assert play(match)
    swap_seats(matches[1])
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    for path, content in unpack(ask(tournament, "archive.zip", tournament.organiser)).items():
        (tmp_path / "cup" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "cup" / path).write_bytes(content)
    code, said = verify(tmp_path / "cup")
    assert code == 0 and "2 records of 2 matches" in said, said


def swap_seats(match: Match) -> None:
    """Leave a match of one leg as if its second participant had sat at seat 0."""
    Leg.objects.filter(match=match).update(seating=[1, 0])
    first, second = match.participants.order_by("index")
    for participant, points in ((first, second.points), (second, first.points)):
        Participant.objects.filter(pk=participant.pk).update(points=points)
    for seat in LegSeat.objects.filter(leg__match=match):
        LegSeat.objects.filter(pk=seat.pk).update(participant=second if seat.seat == 0 else first)

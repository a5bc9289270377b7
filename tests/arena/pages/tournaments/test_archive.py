"""The archive of a tournament: what is in it, who gets it, and that nothing of it can be changed unseen."""

import io
import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from django.test import Client
from django.utils.translation import gettext, override
from pytest_django.live_server_helper import LiveServer

from arena.accounts.models import User
from arena.bots.tokens import issue_token
from arena.cli import main
from arena.groups.models import Group, Membership
from arena.pages.tournaments.archive.download import free_archives
from arena.tournaments.models import Tournament
from arena.tournaments.services.access import Access
from arena.tournaments.services.playing import advance_tournament
from arena.tournaments.settings import Settings
from tests.arena.tournaments.world import begin, make_bots, make_organiser, play_out, waiting
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
    assert code == 0 and "2 records of 1 matches" in output and "every deal from the secret" in output
    assert verify(folder, "--commitment", "0" * 64)[0] == 1
    record, document = f"records/{match}-1.json", json.loads(files["tournament.json"])
    stated = document["rounds"][0]["pairings"][0]["matches"][0]
    changes: dict[str, tuple[str, bytes | None]] = {
        f"{record} is missing": (record, None),
        "index.html was changed": ("index.html", files["index.html"] + b" "),
        "notes.txt doesn't belong to it": ("notes.txt", b"more"),
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


def test_an_empty_folder_is_no_archive(tmp_path: Path) -> None:
    code, output = verify(tmp_path)
    assert code == 1 and "no archive of a tournament" in output
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
    assert answer.status_code == 404 and "once it is over" in answer.content.decode()
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
    assert "is there already" in CliRunner().invoke(main, ["archive", tournament.slug]).output
    address = f"{live_server.url}{tournament.get_absolute_url()}"
    unpacked = CliRunner().invoke(main, ["archive", address, "--unpack", "--out", "kept"])
    assert unpacked.exit_code == 0 and (tmp_path / "kept" / "index.html").exists(), unpacked.output
    missing = CliRunner().invoke(main, ["archive", "none"])
    assert missing.exit_code == 3 and "no tournament at none" in missing.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["autumn-cup.zip", "kept"]

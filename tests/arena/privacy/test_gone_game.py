"""A game whose package is not installed any more: a sentence where its matches were, and nothing is lost."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.http import HttpResponse
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.contests.ladders.queries import _read_kept_titles
from arena.matches.models import Attempt, Match
from arena.matches.queue import place_in_queue
from arena.matches.runner_process import RunnerProcess
from arena.matches.services import claim_next
from arena.matches.workers import SandboxStatus
from arena.operations import tasks
from tests.arena.gone import game_gone
from tests.arena.privacy.routes import addresses
from tests.arena.privacy.secrets import World
from tests.arena.privacy.walk import Visitor, is_for
from tests.arena.privacy.world import make_world
from tests.conftest import Play
from tests.full import default_and_full

GONE = "battleline"
SENTENCE = "isn't installed on this arena"
LISTS = (
    "/", "/matches/", "/bots/", "/ladders/", "/queue/", "/tournaments/", "/rules/",
    "/api/v1/matches/", "/api/v1/bots/", "/api/v1/comparisons/", "/api/v1/tournaments/", "/api/v1/queue/",
)  # fmt: skip


@pytest.fixture(scope="module")
def full_world(module_db: None, play: Play) -> World:
    """An arena full of rows of a game."""
    return make_world(play)


@pytest.fixture
def world(db: None, full_world: World) -> Iterator[World]:
    """The same, and the game is gone then; it comes back to its place in the list."""
    with game_gone(GONE):
        yield full_world


@pytest.mark.parametrize("role", default_and_full(["owner"], ["nobody", "owner's token", "staff"]))
def test_no_address_fails_lists_go_on_and_no_page_leads_to_one_that_is_not_there(world: World, role: str) -> None:
    visitor, statuses = Visitor(role, world), dict[str, int]()
    said, leading = set[str](), dict[str, str]()
    for address in addresses(world.names):
        if is_for(role, address):
            response = visitor.ask("GET", address.path)
            statuses[address.path], content = response.status_code, response.getvalue()
            said |= {address.path} if SENTENCE.encode() in content.replace(b"&#x27;", b"'") else set()
            assert response.status_code < 500, address.path
            if address.path in LISTS:
                assert response.status_code == 200, address.path
            if is_page(response) and not address.path.startswith(("/api/", "/accounts/", "/admin/")):
                leading |= dict.fromkeys(list_links(content), address.path)
    assert said, "some pages say so"
    for link, page in leading.items():
        if link not in statuses:
            answer = visitor.ask("GET", link)
            answer.getvalue()
            statuses[link] = answer.status_code
        assert statuses[link] < 400, f"{page} leads to {link}"
    assert len(leading) > 50 or "token" in role


def is_page(response: HttpResponse) -> bool:
    return response.status_code == 200 and response["Content-Type"].startswith("text/html")


def list_links(content: bytes) -> set[str]:
    """The addresses on this site to which a page leads."""
    found = re.findall(r'<a[^>]* href="(/[^"#]*)', content.decode(errors="replace"))
    return {link.replace("&amp;", "&") for link in found}


@pytest.mark.parametrize("method", default_and_full([], ["POST", "PUT", "PATCH", "DELETE"]))
def test_no_change_fails(world: World, method: str) -> None:
    for role in ("owner", "owner's token", "staff"):
        visitor = Visitor(role, world)
        for address in addresses(world.names):
            if is_for(role, address):
                response = visitor.ask(method, address.path)
                response.getvalue()
                assert response.status_code < 500, address.path


def test_pages_about_it_say_so_and_filters_list_what_is_there(world: World) -> None:
    visitor = Visitor("nobody", world)
    match = Match.objects.get(pk=world.names["finished"])
    page = visitor.ask("GET", f"/matches/{match.pk}/")
    assert page.status_code == 404 and SENTENCE in unescape(page.content.decode())
    listed = visitor.ask("GET", f"/matches/?game={GONE}")
    assert match.pk in {row.match.pk for row in listed.context["rows"]}
    assert "Battle Line" in {label for _key, label in listed.context["form"].fields["game"].choices}
    bots = visitor.ask("GET", f"/api/v1/bots/?game={GONE}").json()["results"]
    assert {bot["slug"] for bot in bots} >= {"kingfisher"}
    unknown = visitor.ask("GET", "/api/v1/bots/?game=chess")
    assert unknown.status_code == 400
    shown = visitor.ask("GET", f"/api/v1/ladders/{GONE}/standard/seasons/1/")
    assert (shown.status_code, shown.json()["error"]["code"]) == (404, "game_not_installed")
    assert visitor.ask("GET", f"/api/v1/matches/{match.pk}/legs/1/record/").status_code == 200


def test_its_matches_wait_and_the_tasks_go_on(
    world: World, runner: RunnerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "sandbox_status", SandboxStatus(runner))
    # Its workers live, however long ago they claimed what they play: else the sweeper would queue that again.
    Attempt.objects.open().update(heartbeat_at=now())
    queued = Match.objects.queued().filter(game=GONE)
    count, numbered = queued.count(), LadderMatch.objects.count()
    assert count and Bot.objects.filter(game=GONE).exists()
    for task in (tasks.sweep, tasks.pair_all_ladders, tasks.refit_ladders, tasks.watch_ladders, tasks.clean_up_all):
        task()
    attempt = claim_next(worker="a worker")
    assert attempt is None or attempt.match.game != GONE
    first = queued.first()
    assert first is not None and queued.count() == count and LadderMatch.objects.count() == numbered
    assert SENTENCE in place_in_queue(first).reason


def test_the_pages_of_a_bot_say_that_its_game_is_gone(world: World) -> None:
    owner = Visitor("owner", world)
    for page in ("", "faults/", "v/1/", "v/3/"):
        text = owner.ask("GET", f"/bots/kingfisher/{page}").content.decode()
        assert "The game Battle Line isn&#x27;t installed on this arena" in text, page
        for words in ("now on the ladder", "Challenge", "Compare", "Promote this version", "Pause"):
            assert words not in text, page


def test_lists_say_of_each_row_that_its_game_is_gone(world: World) -> None:
    nobody = Visitor("nobody", world)
    for path in ("/matches/", "/bots/", f"/bots/?game={GONE}", "/ladders/", "/authors/ana/"):
        text = nobody.ask("GET", path).content.decode()
        assert "Not installed" in text and "Battle Line" in text and ">battleline" not in text, path


def test_titles_are_those_that_its_ladders_kept(world: World) -> None:
    Ladder.objects.filter(game=GONE).update(title="Battle Line, Standard edition")
    _read_kept_titles.cache_clear()
    match = Match.objects.get(pk=world.names["finished"])
    told = Visitor("nobody", world).ask("GET", f"/api/v1/matches/{match.pk}/").json()
    page = Visitor("nobody", world).ask("GET", "/bots/kingfisher/")
    _read_kept_titles.cache_clear()
    assert told["variant"] == "Standard edition"
    assert {entry.ladder.edition_name for entry in page.context["entries"]} == {"Standard edition"}

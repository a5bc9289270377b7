from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_SH, flock
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

import msgspec
import pytest
from django.urls import resolve
from playwright.sync_api import Browser

from engine.registry import GAMES
from tests.browser.visit import SAMPLES, browser_type_launch_args, started, visitor
from tests.empty_database import copy_empty_database
from tests.full import is_full_run

__all__ = ["browser_type_launch_args"]


@dataclass(frozen=True)
class Site:
    """A running arena in which somebody has uploaded a good bot and one that crashes."""

    home: str
    readers: list[tuple[list[Any], list[str]]]
    """Every kind of page, some at several moments, with the cookies of who reads it: the owner of both, and admin."""
    editions: list[str]
    """The pages of each edition of Battle Line."""
    boards: list[str]
    """A turn of a match of each, which look most different of all."""
    replay: str
    """A match of Battle Line, the standard edition."""
    battalion: dict[int, str]
    """A match of Battalion for each number of participants; the one of four is a trial."""
    password: str
    """Of admin."""


@pytest.fixture(scope="session")
def site(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, worker_id: str, empty_database: Path
) -> Iterator[Site]:
    """One arena for all processes that run tests: the first that needs it starts it, and ends it after the others."""
    base = tmp_path_factory.getbasetemp()
    with ExitStack() as stack:
        known = (base if worker_id == "master" else base.parent) / "site.json"
        users = stack.enter_context(known.with_suffix(".users").open("w"))
        with locked(known):
            if known.exists():
                flock(users, LOCK_SH)
                site = msgspec.json.decode(known.read_bytes(), type=Site)
            else:
                data = tmp_path_factory.mktemp("arena")
                copy_empty_database(empty_database, data)
                site = stack.enter_context(running_site(browser, data))
                known.write_bytes(msgspec.json.encode(site))
                stack.callback(wait_for_users, known, users)
        yield site


@contextmanager
def locked(known: Path) -> Iterator[None]:
    with known.with_suffix(".lock").open("w") as lock:
        flock(lock, LOCK_EX)
        yield


def wait_for_users(known: Path, users: TextIO) -> None:
    """Let nobody else find the arena, and return when all who have found it are done."""
    with locked(known):
        known.unlink()
    flock(users, LOCK_EX)


@contextmanager
def running_site(browser: Browser, data: Path) -> Iterator[Site]:
    with started(data) as arena:
        home = arena.home
        with browser.new_context() as context:
            owner = visitor(context, home)
            owner.sign_up("ana")
            owner.upload("Kingfisher", SAMPLES / "random" / "bot.py")
            owner.wait_for_judgement("Accepted")
            owner.upload("Quitter", SAMPLES / "faulty" / "crashes" / "bot.py")
            owner.wait_for_judgement("Rejected")
            owner.page.get_by_role("link", name="Watch the trial match").click()
            fault = owner.page.url.removeprefix(home)
            owner.upload("Seleukos", SAMPLES / "random" / "bot.py", "Battalion")
            owner.wait_for_judgement("Accepted")
            owner.page.get_by_role("link", name="Watch the trial match").click()
            trial = owner.page.url.removeprefix(home)
            cookies = context.cookies()
        with browser.new_context() as context:
            visitor(context, home).log_in("admin", arena.password)
            readers = [(context.cookies(), list(OF_ORGANISERS))]
        tables = {players: f"/matches/{match}/" for players, match in arena.battalion.items()} | {4: trial}
        readers.insert(0, (cookies, list_addresses(fault, arena.matches) + list_battalion(tables)))
        editions = list_editions(arena.matches)
        replay = f"/matches/{arena.matches['standard']}/"
        boards = list_boards(arena.matches)
        yield Site(home, readers, editions, boards, replay, tables, arena.password)


@pytest.fixture(scope="session")
def base_url(site: Site) -> str:
    """What addresses in these tests begin at."""
    return site.home


OF_ORGANISERS = (  # what others don't get to see
    "/groups/",
    "/groups/new/",
    "/tournaments/new/",
    "/tournaments/house-league/",
    "/tournaments/house-league/organise/",
    "/tournaments/house-league/edit/",
    "/rules/battalion/formations/?show=deployed",
)
MOMENTS = {2: ["turn=9"], 3: ["turn=2", "turn=10&view=1"], 4: ["turn=9", "turn=9999&leg=2"]}
"""By number of players of Battalion: a turn, a deployment, the eyes of a seat, the end."""


def chosen(site: Site, addresses: list[str]) -> list[str]:
    """Return all addresses with `--full`, else the first of each view.

    Games have their own ladders and rules, and Battalion its own replays.
    """
    if is_full_run():
        return addresses
    firsts: dict[tuple[str, str], str] = {}
    for address in addresses:
        path = urlsplit(address).path
        game = next((key for key in GAMES if key in path), "battalion" if path in site.battalion.values() else "")
        firsts.setdefault((resolve(path).view_name, game), address)
    return list(firsts.values())


def list_battalion(tables: dict[int, str]) -> list[str]:
    """The pages of Battalion."""
    return [
        "/ladders/battalion/standard/",
        "/rules/battalion/standard/",
        "/rules/battalion/options/",
        "/rules/battalion/formations/",
        "/rules/battalion/formations/?show=unnamed",
        "/bots/seleukos/",
        *(f"{match}?{moment}" for players, match in tables.items() for moment in MOMENTS[players]),
    ]


def list_addresses(fault: str, matches: dict[str, int]) -> list[str]:
    """The pages beside those of Battalion."""
    replay = f"/matches/{matches['standard']}/"
    return [
        "/",
        "/watch/",
        "/start/",
        "/ladders/",
        "/ladders/battleline/standard/",
        "/ladders/battleline/standard/?q=king",
        "/ladders/battleline/standard/how/?a=careful&b=random",
        "/comparisons/",
        "/notices/",
        "/webhooks/",
        "/matches/",
        "/matches/?state=void&bot=random",
        "/matches/?state=sleeping",
        replay,
        f"{replay}?turn=17",
        f"{replay}?turn=9999&leg=2",
        f"{replay}?turn=21&view=1",
        f"{replay}sides/",
        f"{replay}text/",
        "/viewer/",
        "/puzzles/archive/",
        "/authors/ana/",
        "/authors/house/",
        "/settings/",
        "/sessions/",
        "/accounts/2fa/",
        "/accounts/2fa/webauthn/",
        "/accounts/reauthenticate/?next=/accounts/2fa/totp/activate/",
        f"{fault}?turn=9999",
        "/bots/",
        "/bots/kingfisher/",
        "/bots/kingfisher/v/1/",
        "/bots/kingfisher/upload/",
        "/bots/kingfisher/crest/",
        "/bots/kingfisher/against/random/",
        "/bots/kingfisher/faults/",
        "/bots/quitter/faults/",
        "/bots/kingfisher/mistakes/",
        "/bots/random/",
        "/bots/kingfisher/v/1/compare/",
        "/bots/kingfisher/challenge/",
        "/bots/quitter/",
        "/bots/quitter/v/1/",
        "/bots/new/",
        "/queue/",
        "/status/",
        "/tournaments/",
        "/tournaments/opening-cup/",
        "/tournaments/opening-cup/rounds/1/",
        "/tournaments/opening-cup/print/",
        "/tournaments/opening-cup/projector/",
        "/tournaments/house-league/",
        "/tournaments/house-league/enter/",
        "/tokens/",
        "/api/v1/docs/",
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/logout/",
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/password/reset/",
        "/matches/99999/",
        "/rules/",
        "/rules/battleline/standard/",
        "/rules/battleline/options/",
        f"/matches/{matches['hundred-years']}/?turn=14&view=1",
        f"/matches/{matches['medieval']}/?turn=40",
    ]


def list_editions(matches: dict[str, int]) -> list[str]:
    """What looks alike in every edition of Battle Line."""
    return [
        *(f"/rules/battleline/{edition}/" for edition in matches),
        *(f"/ladders/battleline/{edition}/" for edition in matches),
        *list_boards(matches),
        *(f"/matches/{matches['hundred-years']}/?turn={turn}" for turn in (0, 3, 17)),
    ]


def list_boards(matches: dict[str, int]) -> list[str]:
    return [f"/matches/{match}/?turn=40" for match in matches.values()]

"""A class plays a tournament: a group by code, twelve authors, a Swiss and a knockout with a restart in between.

Four of the authors have bots that crash, time out, answer illegally and don't build. A stranger finds nothing of it
until it is published.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visit import QUIET, SAMPLES, Visitor, visitor
from tests.empty_database import copy_empty_database
from tests.story.installation import ROOT, Installation, Up

pytestmark = [pytest.mark.browser, pytest.mark.full]
GROUP, TOURNAMENT = "Class 10.b", "Spring Cup"
GOOD_AUTHORS = ("ada", "ben", "cleo", "dora", "emil", "flora", "gus", "hana")
FAULTY_SAMPLES = {"ivan": "crashes", "judit": "silent", "kai": "illegal"}
"""Samples by author."""
AUTHOR_WITHOUT_BUILD = "lena"
BROKEN_SOURCE = "int main( { return 0; }\n"
SWISS_ROUNDS, KNOCKOUT_SIZE = 5, 4
ROUNDS_BEFORE_RESTART = 2
OF_A_CLASS = {"PENNANT_SHOWN_TOURNAMENTS": "off", "PENNANT_SIGNUPS_PER_HOUR": "50"}
"""All sign up from one address within the hour."""
FORM_MS = 60_000
PLAYED_S = 1_200.0
FINISHED = "select count(*) from tournaments_tournament where state = 'finished' and title = 'Spring Cup'"
PLAYED_ROUNDS = (
    "select count(*) from tournaments_round r join tournaments_tournament t on t.id = r.tournament_id "
    "where t.title = 'Spring Cup'"
)


@dataclass
class Class:
    """The people of the story, each with a browser of their own."""

    teacher: Visitor
    stranger: Visitor
    authors: dict[str, Visitor]

    def leave(self) -> None:
        """Open no page of the arena any more: those that poll would complain while it is down."""
        for one in (self.teacher, self.stranger, *self.authors.values()):
            one.page.goto("about:blank")


@pytest.fixture
def arena(tmp_path: Path, empty_database: Path) -> Installation:
    copy_empty_database(empty_database, tmp_path)
    return Installation(tmp_path, newcomer_matches=0, more=QUIET | OF_A_CLASS)


@pytest.fixture
def people(arena: Installation, browser: Browser) -> Iterator[Class]:
    home = f"http://localhost:{arena.port}"
    with ExitStack() as stack:

        def person(name: str = "") -> Visitor:
            one = visitor(stack.enter_context(browser.new_context()), home)
            one.name = name
            one.page.set_default_timeout(FORM_MS)
            return one

        names = (*GOOD_AUTHORS, *FAULTY_SAMPLES, AUTHOR_WITHOUT_BUILD)
        yield Class(person("admin"), person(), {name: person(name) for name in names})


def test_a_class_from_the_code_to_the_archive(
    arena: Installation, people: Class, browser: Browser, tmp_path: Path
) -> None:
    with arena.up() as up:
        up.greets()
        password = re.search(r"password (\S+)", up.said())
        assert password
        people.teacher.log_in("admin", password[1])
        code = make_group(people.teacher)
        for author in people.authors.values():
            author.sign_up(author.name)
            join(author, code)
            upload(author, tmp_path)
        for author in people.authors.values():
            wait_for_trial(author)
        address = plan(people.teacher)
        for name in GOOD_AUTHORS:
            enter(people.authors[name], address)
        cannot_enter(people.authors["ivan"], address)
        start(people.teacher, address)
        up.wait_for(lambda: arena.query(PLAYED_ROUNDS)[0][0] > ROUNDS_BEFORE_RESTART, PLAYED_S)
        people.leave()
        stop(up)
    with arena.up() as up:
        up.greets()
        up.wait_for(lambda: arena.query(FINISHED) == [(1,)], PLAYED_S)
        finds_nothing(people.stranger, arena, address)
        looks_at_the_result(people.authors["ada"], address)
        for name in GOOD_AUTHORS:
            publish_bot(people.authors[name])
        publish(people.teacher, address)
        looks_at_the_result(people.stranger, address)
        keep(arena, address, tmp_path / "archive")
    opens_from_disk(browser, tmp_path / "archive")
    for one in (people.teacher, people.stranger, *people.authors.values()):
        assert one.complaints == []


def make_group(teacher: Visitor) -> str:
    """Return the code by which others join."""
    page = teacher.page
    teacher.open("/groups/new/")
    page.get_by_label("Name:", exact=True).fill(GROUP)
    page.get_by_role("button", name="Make the group").click()
    page.get_by_role("button", name="Make a code").click()
    return page.get_by_label("Code", exact=True).inner_text().strip()


def join(author: Visitor, code: str) -> None:
    page = author.page
    author.open("/groups/")
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Your name in this group").fill(f"{author.name.capitalize()} Real")
    page.get_by_role("button", name="Join the group").click()
    expect(page.get_by_role("heading", name=GROUP, level=1)).to_be_visible()


def upload(author: Visitor, folder: Path) -> None:
    """Upload a bot for the group alone."""
    page = author.page
    page.get_by_role("link", name="Upload a bot").last.click()
    page.get_by_label("Name:").fill(f"Bot of {author.name}")
    page.get_by_label("Game:").select_option(label="Battle Line")
    expect(page.get_by_label("Who sees it:")).to_have_value(re.compile("class"))
    page.get_by_label("Program:").set_input_files(write_program(author.name, folder))
    page.get_by_role("button", name="Upload version 1").click()
    page.get_by_text("Version 1 uploaded.").wait_for()


def write_program(author: str, folder: Path) -> Path:
    """Return the file that an author uploads."""
    if author == AUTHOR_WITHOUT_BUILD:
        file = folder / "main.cpp"
        file.write_text(BROKEN_SOURCE)
        return file
    if author in FAULTY_SAMPLES:
        return SAMPLES / "faulty" / FAULTY_SAMPLES[author] / "bot.py"
    file = folder / author / "bot.py"
    file.parent.mkdir()
    file.write_text(f"# by {author}\n{(SAMPLES / 'random' / 'bot.py').read_text()}")
    return file


def wait_for_trial(author: Visitor) -> None:
    author.wait_for_judgement("Accepted" if author.name in GOOD_AUTHORS else "Rejected")


def plan(teacher: Visitor) -> str:
    """Return the address of the tournament, whose entries are open."""
    page = teacher.page
    teacher.open("/groups/")
    page.get_by_role("link", name=GROUP).click()
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Title").fill(TOURNAMENT)
    page.get_by_role("combobox", name="Game").select_option("battleline/short")
    page.get_by_label("Swiss, then a knockout").check()
    page.get_by_label("Rounds:", exact=True).fill(str(SWISS_ROUNDS))
    page.get_by_label("Advance to the knockout").fill(str(KNOCKOUT_SIZE))
    page.get_by_label("The losers of the semi-finals play for third place").check()
    page.get_by_label("Matches per pairing").fill("1")
    page.get_by_label("Maximum bots per author").fill("1")
    page.get_by_label("The group alone").check()
    page.get_by_label("Members of the group").check()
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("button", name="Open entries").click()
    page.get_by_role("link", name=TOURNAMENT).first.click()
    return page.url.removeprefix(teacher.home)


def enter(author: Visitor, address: str) -> None:
    author.open(address)
    author.page.get_by_role("link", name="Enter a bot").click()
    author.page.get_by_role("button", name="Enter bot").click()
    expect(author.page.get_by_role("table").get_by_text(f"Bot of {author.name}").first).to_be_visible()


def cannot_enter(author: Visitor, address: str) -> None:
    author.open(f"{address}enter/")
    expect(author.page.get_by_text("You have no bot for this game that has passed its trial.")).to_be_visible()


def start(teacher: Visitor, address: str) -> None:
    page = teacher.page
    teacher.open(f"{address}organise/")
    page.locator("summary", has_text="Close entries and start").click()
    page.get_by_role("button", name="Close entries and start").click()


def stop(up: Up) -> None:
    os.kill(up.process.pid, signal.SIGINT)
    assert up.end() == 0


def finds_nothing(stranger: Visitor, arena: Installation, address: str) -> None:
    """Nothing of a group's tournament is there for who doesn't belong to it."""
    matches = arena.query("select match_id from tournaments_pairingmatch limit 3")
    bots = [f"/bots/{slug}/" for (slug,) in arena.query("select slug from bots_bot where group_id is not null")]
    groups = [f"/groups/{slug}/" for (slug,) in arena.query("select slug from groups_group")]
    assert len(bots) == len(GOOD_AUTHORS) + len(FAULTY_SAMPLES) + 1
    for hidden in (address, *(f"/matches/{match}/" for (match,) in matches), *bots):
        assert stranger.page.request.get(stranger.home + hidden).status == 404, hidden
    for page in ("/", "/tournaments/", "/bots/", "/matches/", "/queue/", "/today/", *groups):
        text = stranger.page.request.get(stranger.home + page).text()
        assert not any(word in text for word in (TOURNAMENT, GROUP, "Bot of ", " Real")), page


def looks_at_the_result(reader: Visitor, address: str) -> None:
    """The page leads with the winner and the podium, and every match is there to watch."""
    page = reader.page
    reader.open(address)
    champion = page.locator(".champion")
    expect(champion.locator(".podium-list li")).to_have_count(3)
    champion.get_by_role("link", name=re.compile("Watch how it was decided")).click()
    expect(page.locator(".stage")).to_be_visible()


def publish_bot(author: Visitor) -> None:
    """A tournament with bots for the group only can't be published."""
    page = author.page
    author.open(f"/bots/bot-of-{author.name}/manage/")
    page.get_by_role("button", name="Publish the bot").click()
    page.locator(".messages").wait_for()


def publish(teacher: Visitor, address: str) -> None:
    page = teacher.page
    teacher.open(f"{address}organise/")
    page.locator("summary", has_text="Publish").click()
    page.get_by_role("button", name="Publish the tournament").click()
    expect(page.get_by_text("The tournament is published: everybody sees it.")).to_be_visible()


def run_pennant(arena: Installation, *arguments: str) -> None:
    """Run the shipped tool, which computes all of it again."""
    command = [Path(sys.executable).with_name("pennant"), *arguments]
    done = subprocess.run(command, cwd=ROOT, env=arena.env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def keep(arena: Installation, address: str, folder: Path) -> None:
    """Check the tournament, fetch its archive, and check that."""
    page = f"http://localhost:{arena.port}{address}"
    run_pennant(arena, "verify", "--tournament", page)
    run_pennant(arena, "archive", page, "--unpack", "--out", str(folder))
    run_pennant(arena, "verify", str(folder))


def opens_from_disk(browser: Browser, folder: Path) -> None:
    """The archive needs neither arena nor network."""
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.goto((folder / "index.html").as_uri())
        expect(page.get_by_role("heading", name=TOURNAMENT).first).to_be_visible()
        page.get_by_role("link", name="Watch how it was decided").click()
        expect(page.locator("#replay[data-ready]")).to_be_visible()

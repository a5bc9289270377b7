"""A lecturer's course from the list to the marks: sixty names, a Swiss and a knockout, with everything that goes wrong.

The lecturer works in a browser, and what that takes is counted; students send the same forms without one.
"""

import csv
import io
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from bs4 import BeautifulSoup, Tag
from openpyxl import load_workbook
from playwright.sync_api import Browser, Request, expect

from tests.browser.class_programs import Program, write_class
from tests.browser.visit import PASSWORD, QUIET, SAMPLES, TRIAL_MS, Visitor
from tests.empty_database import copy_empty_database
from tests.story.installation import ROOT, Installation, Up

pytestmark = [pytest.mark.browser, pytest.mark.full]
GROUP, TOURNAMENT = "Programozás 2", "Autumn Cup"
GROUP_SLUG = "programozas-2"
LISTED, SIGNED_UP, UPLOADED = 60, 58, 54
COPIES = 6
FIRST_NAMES = ("Árpád", "Őrs", "Tünde", "Zoë", "Łukasz", "Ágnes", "D’Arcy", "Çelik", 'Béla "Bubu"', "Jean-Luc")
FAMILY_NAMES = ("Kovács", "O'Brien", "Szűcs", "Nuñez, jr.", "Ünver", "Győrffy")
FAULTY_SAMPLES = ("crashes", "illegal")
"""What two members hand in."""
SWISS_ROUNDS, KNOCKOUT_SIZE = 5, 4
ROUNDS_BEFORE_RESTART = 2
OF_A_CLASS = {"PENNANT_SHOWN_TOURNAMENTS": "off", "PENNANT_SIGNUPS_PER_HOUR": "100"}
FORM_MS = 60_000
PLAYED_S = 1_800.0
TRIALS_S = 900.0
FINISHED = f"select count(*) from tournaments_tournament where state = 'finished' and title = '{TOURNAMENT}'"
PLAYED_ROUNDS = (
    "select count(*) from tournaments_round r join tournaments_tournament t on t.id = r.tournament_id "
    f"where t.title = '{TOURNAMENT}'"
)
JUDGED = "select count(*) from bots_botversion v join bots_bot b on b.id = v.bot_id where b.group_id is not null and "


@dataclass
class Lecturer(Visitor):
    """A visitor whose work is counted."""

    pages: int = 0
    forms: int = 0
    commands: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.page.on("request", self._count)
        self.page.set_default_timeout(FORM_MS)

    def _count(self, request: Request) -> None:
        if request.is_navigation_request() and request.redirected_from is None:
            self.forms += request.method == "POST"
            self.pages += request.method == "GET"


@dataclass
class Student:
    """A member without a browser, who sends the arena's own forms."""

    number: int
    home: str
    link: str
    """Of the slip."""
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.home, follow_redirects=True, timeout=120)

    @property
    def bot(self) -> str:
        return f"Bot of student{self.number:02}"

    def send(self, address: str, button: str, files: dict[str, tuple[str, bytes]] | None = None, **typed: str) -> str:
        """Fill in the form with this button, and return the page that answers."""
        page = self.client.get(address)
        form = find_form(page.text, button)
        fields = read_fields(form) | typed
        target = urljoin(str(page.url), str(form.get("action") or ""))
        answer = self.client.post(target, data=fields, files=files or {}, headers={"Referer": str(page.url)})
        refused = BeautifulSoup(answer.text, "html.parser").select(".errorlist, .message.error")
        assert answer.status_code == 200, f"{address}: {answer.status_code} {[one.text for one in refused]}"
        return answer.text


def find_form(text: str, button: str) -> Tag:
    """Return the form whose button says this."""
    page = BeautifulSoup(text, "html.parser")
    for form in page.find_all("form"):
        if any(one.get_text(strip=True) == button for one in form.find_all("button")):
            return form
    raise AssertionError(f"no button “{button}” among {[one.get_text(strip=True) for one in page.find_all('button')]}")


def read_fields(form: Tag) -> dict[str, str]:
    """Return what a form would send as it stands."""
    fields = {}
    for one in form.find_all("input"):
        kind = one.get("type", "text")
        if (
            one.get("name")
            and kind not in ("file", "submit")
            and (kind not in ("checkbox", "radio") or one.has_attr("checked"))
        ):
            fields[str(one["name"])] = str(one.get("value") or ("on" if kind == "checkbox" else ""))
    for one in form.find_all("select"):
        options = one.find_all("option")
        chosen = next((option for option in options if option.has_attr("selected")), options[0] if options else None)
        if chosen is not None:
            fields[str(one["name"])] = str(chosen.get("value", chosen.get_text()))
    fields |= {str(one["name"]): one.get_text() for one in form.find_all("textarea")}
    return fields


def list_people() -> list[tuple[str, str, str]]:
    """Return names, addresses and numbers. Two share a name, and three have quotes, commas and apostrophes."""
    names = [f"{family} {first}" for first in FIRST_NAMES for family in FAMILY_NAMES]
    names[LISTED - 1] = names[0]
    return [(name, f"student{at:02}@uni.example", f"NEP{at:03}") for at, name in enumerate(names)]


def write_list(folder: Path) -> Path:
    """Return the file as a Hungarian Excel saves it: semicolons, and a byte order mark."""
    text = io.StringIO()
    lines = csv.writer(text, delimiter=";")
    lines.writerow(("Név", "Account email", "Neptun-kód", "Csoport"))
    lines.writerows((*person, "B1") for person in list_people())
    file = folder / "névsor.csv"
    file.write_bytes(text.getvalue().encode("utf-8-sig"))
    return file


@pytest.fixture
def arena(tmp_path: Path, empty_database: Path) -> Installation:
    copy_empty_database(empty_database, tmp_path)
    return Installation(tmp_path, newcomer_matches=0, more=QUIET | OF_A_CLASS)


@pytest.fixture
def lecturer(arena: Installation, browser: Browser) -> Iterator[Lecturer]:
    with ExitStack() as stack:
        page = stack.enter_context(browser.new_context(accept_downloads=True)).new_page()
        yield Lecturer(page, f"http://localhost:{arena.port}", "admin")


def test_a_course_from_the_list_to_the_marks(
    arena: Installation, lecturer: Lecturer, browser: Browser, tmp_path: Path
) -> None:
    with arena.up() as up:
        up.greets()
        password = re.search(r"password (\S+)", up.said())
        assert password
        lecturer.log_in("admin", password[1])
        students = begin(lecturer, tmp_path)
        address, entrants = play(lecturer, students, arena, up)
        up.wait_for(lambda: arena.query(PLAYED_ROUNDS)[0][0] > ROUNDS_BEFORE_RESTART, PLAYED_S)
        leave(lecturer)
        stop(up)
    with arena.up() as up:
        up.greets()
        up.wait_for(lambda: arena.query(FINISHED) == [(1,)], PLAYED_S)
        decide_pairing(lecturer, address)
        reads_marks(lecturer, tmp_path, len(entrants))
        archive = keep(lecturer, arena, address, tmp_path)
        with httpx.Client(base_url=lecturer.home) as stranger:
            finds_nothing(stranger, arena, address)
        for student in entrants:
            student.send(f"/bots/bot-of-student{student.number:02}/manage/", "Publish bot")
        publish(lecturer, arena, address)
    for student in students:
        student.client.close()
    opens_from_disk(browser, archive)
    assert lecturer.complaints == []
    print(f"pages {lecturer.pages}, forms {lecturer.forms}, commands {lecturer.commands}")


def begin(lecturer: Lecturer, folder: Path) -> list[Student]:
    """Hold the first lesson; return the students, who have signed in."""
    begin_lesson(lecturer)
    make_group(lecturer)
    students = hand_out(lecturer, folder)
    for student in students:
        sign_in(student)
    return students


def play(lecturer: Lecturer, students: list[Student], arena: Installation, up: Up) -> tuple[str, list[Student]]:
    """Let the class upload and enter; return the address of the tournament, which has started, and who plays in it."""
    programs = write_class(UPLOADED)
    *early, late, last, crashing, illegal = students[:UPLOADED]
    uploading = (*early, late, crashing, illegal)
    for student, program in zip(uploading, programs, strict=False):
        upload(student, program)
    up.wait_for(lambda: count_judged(arena, "v.state in ('accepted', 'rejected')") == len(uploading), TRIALS_S)
    finds_copies(lecturer)
    address = plan(lecturer)
    announce(lecturer)
    for student in early:
        enter(student, address)
    upload(last, start_slowly(programs[-1]))
    enter(last, address)  # while its version is on trial, for which the start waits
    close(lecturer, address)
    enter_late(lecturer, late)
    return address, [*early, late, last]


def begin_lesson(lecturer: Lecturer) -> None:
    page = lecturer.page
    lecturer.open("/queue/")
    page.get_by_role("link", name="Start lesson").click()
    page.get_by_label("Ends at").fill((datetime.now(UTC) + timedelta(hours=4)).strftime("%H:%M"))
    page.get_by_label("Why").fill("The course")
    page.get_by_role("button", name="Start lesson").click()
    expect(page.get_by_role("heading", name="Queue", level=1)).to_be_visible()


def make_group(lecturer: Lecturer) -> None:
    page = lecturer.page
    lecturer.open("/groups/new/")
    page.get_by_label("Name:", exact=True).fill(GROUP)
    page.get_by_label("Real names for organisers only").check()
    page.get_by_label("Organisers can read this group's bots").check()
    page.get_by_role("button", name="Create group").click()
    expect(page.get_by_role("heading", name=GROUP, level=1)).to_be_visible()


def hand_out(lecturer: Lecturer, folder: Path) -> list[Student]:
    """Let the people of the list in; return those who use their slips."""
    page = lecturer.page
    page.get_by_role("link", name="Manage members").click()
    page.get_by_role("link", name="Add people from a list").click()
    page.get_by_label("CSV file").set_input_files(write_list(folder))
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Nothing created yet")).to_be_visible()
    page.get_by_role("button", name=f"Make {LISTED} accounts").click()
    expect(page.locator(".slip")).to_have_count(LISTED)
    names = [text.strip() for text in page.locator(".slip-name").all_inner_texts()]
    assert names == [name for name, *_ in list_people()]
    links = [text.strip() for text in page.locator(".slip-link").all_inner_texts()]
    return [Student(at, lecturer.home, urlsplit(link).path) for at, link in enumerate(links[:SIGNED_UP])]


def sign_in(student: Student) -> None:
    name = f"student{student.number:02}"
    chosen = {"username": name, "password": PASSWORD, "password_again": PASSWORD, "accepts_reading": "on"}
    answer = student.send(student.link, "Sign in", **chosen)
    assert name in answer


def upload(student: Student, program: Program) -> None:
    at = student.number - (UPLOADED - len(FAULTY_SAMPLES))
    files = program.files if at < 0 else {"bot.py": (SAMPLES / "faulty" / FAULTY_SAMPLES[at] / "bot.py").read_bytes()}
    sent = io.BytesIO()
    with zipfile.ZipFile(sent, "w") as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)

    answer = student.send(
        "/bots/new/",
        "Upload version 1",
        files={"source": ("bot.zip", sent.getvalue())},
        name=student.bot,
        game="battleline",
        group=GROUP_SLUG,
    )
    assert "Version 1 uploaded." in answer


def start_slowly(program: Program) -> Program:
    """Return a program that waits before it plays, so that its trial is still on when the lecturer turns the page."""
    text = program.files["bot.py"].decode()
    return Program(program.files | {"bot.py": f"import time\n\ntime.sleep(3)\n{text}".encode()})


def count_judged(arena: Installation, condition: str) -> int:
    return int(arena.query(JUDGED + condition)[0][0])


def plan(lecturer: Lecturer) -> str:
    """Return the address of the tournament, whose entries are open."""
    page = lecturer.page
    lecturer.open("/groups/")
    page.get_by_role("link", name=GROUP).click()
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Title").fill(TOURNAMENT)
    page.get_by_role("combobox", name="Game").select_option("battleline/short")
    page.get_by_label("Swiss, then a knockout").check()
    page.get_by_label("Rounds:", exact=True).fill(str(SWISS_ROUNDS))
    page.get_by_label("Advancing to the knockout").fill(str(KNOCKOUT_SIZE))
    page.get_by_label("The losers of the semi-finals play for third place").check()
    page.get_by_label("Matches per pairing").fill("1")
    page.get_by_label("Maximum bots per author").fill("1")
    page.get_by_label("Group only").check()
    page.get_by_label("Members of the group").check()
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("button", name="Open entries").click()
    page.get_by_role("link", name=TOURNAMENT).first.click()
    return page.url.removeprefix(lecturer.home)


def enter(student: Student, address: str) -> None:
    assert student.bot in student.send(f"{address}enter/", "Enter bot")


def finds_copies(lecturer: Lecturer) -> None:
    """The planted copies come first in the list of similar pairs, and one as the same files."""
    page = lecturer.page
    lecturer.open(f"/groups/{GROUP_SLUG}/sources/")
    expect(page.locator("section", has_text="Similar pairs").locator("tbody tr").first).to_be_visible(timeout=TRIAL_MS)
    expect(page.get_by_text(re.compile(r"\d+ of \d+ compared"))).to_have_count(0, timeout=TRIAL_MS)
    links = page.locator("section", has_text="Similar pairs").locator("tbody a.name").all_inner_texts()
    pairs = {frozenset(map(int, re.findall(r"student(\d\d)", text))) for text in links[:COPIES]}
    assert pairs == {frozenset((2 * at, 2 * at + 1)) for at in range(COPIES)}, links[: 2 * COPIES]
    page.get_by_role("link", name=links[0]).click()
    expect(page.get_by_role("heading", name="Two bots side by side")).to_be_visible()


def announce(lecturer: Lecturer) -> None:
    page = lecturer.page
    lecturer.open(f"/groups/{GROUP_SLUG}/announcements/")
    page.get_by_label("Text").fill("Entries close today.")
    page.get_by_role("button", name="Announce").click()
    expect(page.get_by_text("Entries close today.")).to_be_visible()


def close(lecturer: Lecturer, address: str) -> None:
    page = lecturer.page
    lecturer.open(f"{address}organise/")
    page.locator("summary", has_text="Close entries and start").click()
    page.get_by_role("button", name="Close entries and start").click()


def enter_late(lecturer: Lecturer, student: Student) -> None:
    page = lecturer.page
    panel = page.locator("section", has_text="Enter a late bot")
    panel.get_by_label("Bot", exact=True).fill(student.bot)
    panel.get_by_label("Reason (public)").fill("Ill until today")
    panel.get_by_role("button", name="Enter bot").click()
    expect(page.get_by_text("Ill until today").first).to_be_visible()


def decide_pairing(lecturer: Lecturer, address: str) -> None:
    """Give a finished pairing of the Swiss to its loser; the document then says who decided, and why."""
    page = lecturer.page
    lecturer.open(f"{address}organise/?decide={SWISS_ROUNDS}#pairings")
    panel = page.locator("section", has=page.get_by_role("heading", name=f"Decide pairings of round {SWISS_ROUNDS}"))
    panel.locator("summary", has_text="Decide").last.click()
    panel.get_by_label("Reason (public)").last.fill("The winner had help")
    panel.get_by_role("button", name="Decide pairing").last.click()
    expect(page.get_by_text("The winner had help").first).to_be_visible()


def leave(lecturer: Lecturer) -> None:
    """Open no page of the arena any more: one that polls would complain while it is down."""
    lecturer.page.goto("about:blank")
    lecturer.pages -= 1


def stop(up: Up) -> None:
    os.kill(up.process.pid, signal.SIGINT)
    assert up.end() == 0


def reads_marks(lecturer: Lecturer, folder: Path, entrants: int) -> None:
    """The workbook has a line for each name on the list, as the list spells it."""
    page = lecturer.page
    lecturer.open("/groups/")
    page.get_by_role("link", name=GROUP).click()
    page.get_by_role("link", name="Manage members").click()
    page.get_by_role("link", name="Marks table").click()
    page.get_by_label("Results of").select_option(label=TOURNAMENT)
    page.get_by_role("button", name="Show").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Excel").click()
    download.value.save_as(folder / "marks.xlsx")
    rows = list(load_workbook(folder / "marks.xlsx").active.values)
    people = {(row[0], row[1]) for row in rows[1:]}
    assert people >= {(name, number) for name, _, number in list_people()}
    assert sum(isinstance(row[rows[0].index("Place")], int) for row in rows[1:]) >= entrants


def keep(lecturer: Lecturer, arena: Installation, address: str, folder: Path) -> Path:
    """Fetch the archive, check it without a network, and return its folder."""
    page = lecturer.page
    lecturer.open(f"{address}organise/")
    with page.expect_download(timeout=300_000) as download:
        page.get_by_role("link", name="Download archive").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(folder / "archive")
    lecturer.commands += 1
    (unpacked,) = (folder / "archive").iterdir()
    pennant(arena, "verify", str(unpacked), before=("unshare", "--user", "--net"))
    return unpacked


def pennant(arena: Installation, *arguments: str, before: tuple[str, ...] = ()) -> None:
    """Run the shipped tool, which computes all of it again."""
    command = [*before, Path(sys.executable).with_name("pennant"), *arguments]
    done = subprocess.run(command, cwd=ROOT, env=arena.env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def finds_nothing(stranger: httpx.Client, arena: Installation, address: str) -> None:
    """A stranger finds nothing of a group's tournament."""
    matches = arena.query("select match_id from tournaments_pairingmatch limit 3")
    bots = [f"/bots/{slug}/" for (slug,) in arena.query("select slug from bots_bot where group_id is not null")]
    assert len(bots) == UPLOADED
    for hidden in (address, *(f"/matches/{match}/" for (match,) in matches), *bots):
        assert stranger.get(hidden).status_code == 404, hidden
    for page in ("/", "/tournaments/", "/bots/", "/matches/", "/queue/", "/today/", f"/groups/{GROUP_SLUG}/"):
        text = stranger.get(page, follow_redirects=True).text
        assert not any(word in text for word in (TOURNAMENT, GROUP, "Bot of ", "Kovács")), page


def publish(lecturer: Lecturer, arena: Installation, address: str) -> None:
    """Publish tournament, which anybody then checks by its address."""
    page = lecturer.page
    lecturer.open(f"{address}organise/")
    page.locator("summary", has_text="Publish").click()
    page.get_by_role("button", name="Publish tournament").click()
    expect(page.get_by_text("The tournament is now public.")).to_be_visible()
    pennant(arena, "verify", "--tournament", f"{lecturer.home}{address}")


def opens_from_disk(browser: Browser, folder: Path) -> None:
    """The archive needs neither arena nor network."""
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.goto((folder / "index.html").as_uri())
        expect(page.get_by_role("heading", name=TOURNAMENT).first).to_be_visible()
        page.get_by_role("link", name="Watch how it was decided").click()
        expect(page.locator("#replay[data-ready]")).to_be_visible()

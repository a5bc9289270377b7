"""The table for marks: a row for each member, organisers only."""

import csv
from io import BytesIO

import pytest
from openpyxl import load_workbook

from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.seasons import open_group_ladder
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.settings import Settings
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from tests.arena.contests.ladders.conftest import store_match
from tests.arena.contests.tournaments.world import begin, make_bots, make_organiser, play_out
from tests.conftest import MakeVersion

ADDRESS = "/groups/class-10b/marks/"


@pytest.fixture
def tournament(ana: User) -> Tournament:
    """A round robin of four authors of a class, in which Ana has entered nothing."""
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=make_organiser(), role="owner", real_name="Olga")
    Membership.objects.create(group=group, user=ana, real_name="=1+1", number="A1", email="ana@example.org")
    bots = make_bots(4)
    for bot in bots:
        Membership.objects.create(group=group, user=bot.owner, real_name=f"Person {bot.name[-1]}")
    return play_out(begin(bots, Settings(format="round-robin"), access=Access(group=group)))


def read(text: str, delimiter: str = ",") -> dict[str, list[str]]:
    """Return the rows by name."""
    assert text.startswith("\ufeff")
    return {row[0]: row for row in csv.reader(text[1:].splitlines(), delimiter=delimiter)}


def test_each_member_has_a_row_with_the_results_of_a_tournament(reader, tournament: Tournament):
    client = reader(tournament.organiser)
    chosen = f"tournament-{tournament.pk}"
    page = client.get(ADDRESS, {"of": chosen})
    assert page.status_code == 200 and page["Cache-Control"] == "private, no-store"
    for part in ("Person 1", "ana@example.org", f'value="{chosen}" selected', "Opponents beaten"):
        assert part in page.text
    answer = client.get(ADDRESS, {"of": chosen, "format": "csv"})
    assert answer["Content-Type"].startswith("text/csv")
    rows = read(answer.content.decode())
    assert len(rows) == 7 and rows["Person 1"][3:6] == ["author1", "Bot 1", "1"]
    assert rows["Person 1"][7:] == ["Accepted", "1", "3", "0", "3"]
    assert rows["Person 4"][8:] == ["4", "0", "0", "0"]
    assert rows["'=1+1"][1:] == ["A1", "ana@example.org", "ana", "", "0", "", "", "", "", "", ""]
    assert read(client.get(ADDRESS, {"format": "csv"}).content.decode())["Person 1"][8:] == ["", "", "", ""]


def test_a_workbook_has_numbers_and_no_formulas(reader, tournament: Tournament):
    answer = reader(tournament.organiser).get(ADDRESS, {"of": f"tournament-{tournament.pk}", "format": "xlsx"})
    assert answer["Content-Disposition"] == 'attachment; filename="class-10b-marks.xlsx"'
    sheet = load_workbook(BytesIO(answer.content)).active
    rows = {row[0].value: row for row in sheet.iter_rows()}
    assert len(rows) == 7 and [cell.value for cell in rows["Person 1"][7:]] == ["Accepted", 1, 3, 0, 3]
    assert rows["=1+1"][0].data_type == "s"


def test_the_table_speaks_the_language_of_excel(reader, tournament: Tournament):
    client = reader(tournament.organiser)
    text = client.get(ADDRESS, {"format": "csv"}, headers={"accept-language": "hu"}).content.decode()
    assert read(text, ";")["Person 1"][5] == "1"


def test_only_organisers_read_it(reader, tournament: Tournament, ana: User, ben: User):
    assert reader(ana).get(ADDRESS).status_code == 403
    assert reader(ben).get(ADDRESS).status_code == 404
    assert reader(tournament.organiser).get(ADDRESS, {"of": "tournament-0"}).status_code == 404


def test_a_ladder_gives_points_faults_and_who_was_beaten(
    reader, group: Group, teacher: User, make_version: MakeVersion, ben: User
):
    ladder = open_group_ladder(group=group, by=teacher, game="battleline", edition="standard", with_samples=False)
    entries = [
        enter_version(ladder=ladder, version=make_version(user, name))
        for user, name in ((teacher, "Annas"), (ben, "Bens"))
    ]
    store_match(ladder, entries, [[1, 2], [1, 1]], faults=[(0, 1)])
    append_finished_matches(ladder=ladder)
    answer = reader(teacher).get(ADDRESS, {"of": f"ladder-{ladder.pk}", "format": "csv"})
    rows = read(answer.content.decode())
    assert rows["Anna Kovács"][4] == "Annas" and rows["Benedek Nagy"][4] == "Bens"
    assert [rows[name][8] for name in ("Anna Kovács", "Benedek Nagy")] == ["", ""], "provisional"
    assert [rows[name][10:] for name in ("Anna Kovács", "Benedek Nagy")] == [["0", "1"], ["1", "0"]]
    assert float(rows["Anna Kovács"][9]) > float(rows["Benedek Nagy"][9])

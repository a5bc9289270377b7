import pytest

from arena.contests.tournaments.services.organising import TournamentPlan, cancel, create, open_entries
from arena.contests.tournaments.settings import Settings
from arena.pages.tournaments.words import TOURNAMENTS_PER_PAGE
from tests.arena.contests.tournaments.world import begin, make_bots, make_organiser, make_tournament, play_out

pytestmark = pytest.mark.django_db
LIST = "/tournaments/"


def titles(page) -> list[str]:
    return [line["tournament"].title for line in page.context["lines"]]


@pytest.fixture
def several():
    """One of each kind, the ones made last first in no order that the page has."""
    bots = make_bots(2)
    over = play_out(begin(bots, Settings(format="single-elimination"), title="Over"))
    running = begin(bots, title="Running")
    is_open = make_tournament(bots, title="Open")
    off = make_tournament(title="Off")
    cancel(tournament=off, organiser=make_organiser())
    draft = create(
        organiser=make_organiser(), plan=TournamentPlan(title="Draft", game="battleline", edition="standard")
    )
    return over, running, is_open, off, draft


def test_what_runs_comes_first_then_what_is_open_then_what_is_over(several, client, eva, reader, text_of):
    everything = ["Running", "Open", "Off", "Over"]
    assert titles(client.get(LIST)) == titles(reader(eva).get(LIST)) == everything
    found = {"running": ["Running"], "open": ["Open"], "over": ["Off", "Over"], "nonsense": everything}
    assert {state: titles(client.get(f"{LIST}?state={state}")) for state in found} == found
    assert "Draft" in titles(reader(make_organiser()).get(LIST))
    page = text_of(client.get(LIST))
    for words in ("won by Bot 1", "open for entries", "cancelled", "round 1", "Battle Line, Standard", "of 64"):
        assert words in page


def test_there_may_be_none(client, db, text_of):
    assert "No tournaments yet." in text_of(client.get(LIST))
    assert "No matching tournaments." in text_of(client.get(f"{LIST}?state=open"))


def test_a_long_list_has_pages(client, db):
    organiser = make_organiser()
    for number in range(TOURNAMENTS_PER_PAGE + 1):
        plan = TournamentPlan(title=f"Cup {number}", game="battleline", edition="standard")
        open_entries(tournament=create(organiser=organiser, plan=plan), organiser=organiser)
    assert len(titles(client.get(LIST))) == TOURNAMENTS_PER_PAGE
    assert titles(client.get(f"{LIST}?page=2")) == ["Cup 0"]


def test_who_may_organise_is_led_to_the_form(db, eva, reader):
    assert "/tournaments/new/" in reader(make_organiser()).get(LIST).content.decode()
    assert "/tournaments/new/" not in reader(eva).get(LIST).content.decode()

"""Forms in which a game is chosen say what one should know about its seats."""

from arena.pages.bots.lists import ChallengeForm
from arena.pages.games import find_seats_note
from arena.pages.tournaments.forms import TournamentForm
from arena.people.accounts.models import User
from tests.conftest import MakeVersion


def test_who_chooses_battalion_reads_that_early_seats_are_a_handicap(ana: User, make_version: MakeVersion) -> None:
    note = find_seats_note("battalion")
    assert "an early seat is a handicap" in note
    assert ChallengeForm(ana, make_version(ana, "Kingfisher", game="battalion").bot)["edition"].help_text == note
    assert not ChallengeForm(ana, make_version(ana, "Heron").bot)["edition"].help_text
    assert str(TournamentForm(ana)["seats"].help_text).endswith(note)


def test_other_games_have_nothing_to_say() -> None:
    assert find_seats_note("battleline") == find_seats_note("chess") == ""

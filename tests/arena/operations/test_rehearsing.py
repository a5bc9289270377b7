"""Rehearsals: private, short, and gone afterwards."""

from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.bots.services import add_version, create_bot
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.queries import listed_for, visible_to
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.matches.models import Match
from arena.operations.upkeep import end_old_rehearsals, end_rehearsal, rehearse
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.groups.services import list_groups, list_organised_groups
from arena.people.notices.models import Notice
from tests.arena.contests.tournaments.world import make_tournament, pass_checks, play_out
from tests.conftest import FIRST_LEGAL
from tests.full import default_and_full

pytestmark = pytest.mark.django_db


@pytest.fixture
def samples() -> None:
    house = User.objects.create_user("house", is_house=True)
    for name in ("random", "brute", "greedy", "careful"):
        bot = create_bot(owner=house, name=name, game="battleline")
        add_version(bot=bot, files={"bot.py": FIRST_LEGAL + f"\n# {name}\n".encode()}, state="accepted")


@pytest.fixture
def mari() -> User:
    return User.objects.create_user("mari")


@pytest.mark.parametrize("key", default_and_full(["groups"], list(FORMATS)))
def test_every_format_is_rehearsed_to_its_end(samples, key):
    settings = Settings(format=key, groups=4, advance_per_group=2, knockout_size=16, matches_per_pairing=5, seats=2)
    tournament = make_tournament(settings=settings, max_entrants=64)
    made = rehearse(tournament=tournament, organiser=tournament.organiser)
    pass_checks(made)
    made.refresh_from_db()
    play_out(made)
    assert made.state == Tournament.State.FINISHED and made.full_settings.matches_per_pairing == 1


def test_only_its_organisers_see_it_and_nobody_is_told(samples, mari):
    tournament = make_tournament()
    tournament.co_organisers.add(mari)
    made = rehearse(tournament=tournament, organiser=mari)
    pass_checks(made)
    stranger = User.objects.create_user("stranger")
    assert made not in visible_to(stranger) and made in visible_to(mari) and made in visible_to(tournament.organiser)
    for user in (stranger, mari, tournament.organiser):
        assert made not in listed_for(user)
    assert not list_groups(mari).exists() and not list_organised_groups(mari).exists()
    assert set(Match.objects.values_list("group", flat=True)) == {made.group_id}
    assert not Match.objects.visible_to(stranger).exists() and not Notice.objects.exists()
    assert not made.is_rated


def test_it_is_deleted_by_a_button_with_all_its_matches(samples):
    tournament = make_tournament()
    organiser = tournament.organiser
    made = rehearse(tournament=tournament, organiser=organiser)
    advance_tournament(tournament=made)
    Match.objects.filter(pk=Match.objects.queued().first().pk).update(state=Match.State.RUNNING)
    with pytest.raises(Conflict, match="end it before"):
        rehearse(tournament=tournament, organiser=organiser)
    with pytest.raises(NotYours):
        end_rehearsal(tournament=made, organiser=User.objects.create_user("stranger"))
    with pytest.raises(Conflict):
        end_rehearsal(tournament=tournament, organiser=organiser)
    end_rehearsal(tournament=made, organiser=organiser)
    assert list(Tournament.objects.all()) == [tournament]
    assert not Match.objects.exists() and not Group.objects.exists()


def test_it_deletes_itself_a_day_after_its_end(samples):
    tournament = make_tournament()
    made = rehearse(tournament=tournament, organiser=tournament.organiser)
    pass_checks(made)
    made.refresh_from_db()
    play_out(made)
    assert end_old_rehearsals() == 0
    Tournament.objects.update(finished_at=now() - timedelta(days=1, minutes=1))
    assert end_old_rehearsals() == 1
    assert list(Tournament.objects.all()) == [tournament]


def test_without_sample_bots_it_is_refused():
    tournament = make_tournament()
    with pytest.raises(ArenaError, match="too few sample bots"):
        rehearse(tournament=tournament, organiser=tournament.organiser)

"""Remote bots in a tournament of a group: who lets them in, how their pairings are played, and who is missing."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.contests.tournaments.document import list_problems, read_document
from arena.contests.tournaments.models import Check, Entrant, PairingMatch, Tournament
from arena.contests.tournaments.queries import list_absent_bots
from arena.contests.tournaments.services.access import Access, EntryRule, Visibility
from arena.contests.tournaments.services.entering import NotEnterable, enter
from arena.contests.tournaments.services.organising import (
    NotPlayable,
    TournamentPlan,
    build_plan,
    close_entries,
    create,
    edit,
    open_entries,
)
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.standings import MatchResult, join_legs
from arena.core.errors import Conflict
from arena.matches.models import Match
from arena.matches.remote.models import RemoteBot
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import create_group
from arena.people.notices.models import Notice
from arena.runner.program import REMOTE_LIMITS
from engine.series import SeriesLength
from tests.arena.contests.tournaments.world import (
    favourite,
    make_bots,
    make_organiser,
    make_remote_bot,
    pass_checks,
    play_out,
)

pytestmark = pytest.mark.django_db


def make_class() -> Group:
    group = create_group(owner=make_organiser(), name="Class")
    return group


def join(group: Group, bots: Sequence[Bot]) -> None:
    for bot in bots:
        Membership.objects.get_or_create(group=group, user=bot.owner, defaults={"role": Membership.Role.MEMBER})


def make_plan(group: Group | None, settings: Settings | None = None, **changes) -> TournamentPlan:
    visibility, rule = (Visibility.GROUP, EntryRule.GROUP) if group else (Visibility.PUBLIC, EntryRule.ANYONE)
    plan = {"title": "Class Cup", "game": "battleline", "edition": "standard", "allows_remote": True} | changes
    return TournamentPlan(settings=settings or Settings(), access=Access(group, visibility, rule), **plan)


def begin(bots: Sequence[Bot], settings: Settings | None = None) -> Tournament:
    """Begun, in a group of all authors."""
    group, organiser = make_class(), make_organiser()
    join(group, bots)
    tournament = open_entries(
        tournament=create(organiser=organiser, plan=make_plan(group, settings)), organiser=organiser
    )
    for bot in bots:
        enter(tournament=tournament, bot=bot, user=bot.owner)
    close_entries(tournament=tournament, organiser=organiser)
    pass_checks(tournament)
    tournament.refresh_from_db()
    return tournament


def test_organisers_of_a_group_let_them_in_while_entries_are_open() -> None:
    organiser, group, bot = make_organiser(), make_class(), make_remote_bot()
    join(group, [bot])
    for plan in (make_plan(None), make_plan(group, Settings(series=SeriesLength(games=3)))):
        with pytest.raises(NotPlayable) as refused:
            create(organiser=organiser, plan=plan)
        assert refused.value.fields == ("allows_remote",)
    tournament = create(organiser=organiser, plan=make_plan(group, allows_remote=False))
    tournament = open_entries(tournament=tournament, organiser=organiser)
    with pytest.raises(NotEnterable, match="doesn't allow remote bots"):
        enter(tournament=tournament, bot=bot, user=bot.owner)
    tournament = edit(tournament=tournament, organiser=organiser, plan=make_plan(group))
    entrant = enter(tournament=tournament, bot=bot, user=bot.owner)
    assert entrant.state == Entrant.State.READY and not Check.objects.exists()
    with pytest.raises(Conflict, match="Withdraw them first"):
        edit(tournament=tournament, organiser=organiser, plan=make_plan(group, allows_remote=False))
    tournament = close_entries(tournament=tournament, organiser=organiser)
    with pytest.raises(Conflict, match="Entries are closed"):
        edit(tournament=tournament, organiser=organiser, plan=make_plan(group, allows_remote=False))
    assert build_plan(tournament).allows_remote


def test_legs_of_their_pairings_are_matches_with_deals_of_their_own() -> None:
    remote = make_remote_bot()
    tournament = begin([*make_bots(2), remote], Settings(format="round-robin", matches_per_pairing=2))
    play_out(tournament)
    of_remote = Match.objects.of_bot(remote).order_by("pk")
    assert of_remote.count() == 8  # two pairings of two matches, each of two legs
    for pairing in {match.pairing_match.pairing for match in of_remote}:
        matches = [row.match for row in pairing.pairing_matches.order_by("number")]
        legs = [match.legs.get() for match in matches]
        assert [leg.seating for leg in legs] == [[0, 1], [1, 0], [0, 1], [1, 0]]
        assert len({str(match.deal) for match in matches}) == len(matches)
        assert all(match.limits["move_ms"] == REMOTE_LIMITS["open"].move_ms for match in matches)
        assert all(seat.game_points in (20, 12) for seat in pairing.seats.all()), "as in other pairings"
    others = PairingMatch.objects.exclude(match__in=of_remote)
    assert [row.match.legs.count() for row in others] == [2, 2]
    assert all(seat.game_points in (20, 12) for row in others for seat in row.pairing.seats.all())


@pytest.mark.parametrize("format", ["single-elimination", "swiss", "groups"])
def test_their_tournaments_are_computed_again_from_the_document(format: str, client: Client) -> None:
    bots = [*make_bots(4), make_remote_bot(), make_remote_bot("Beyond")]
    tournament = begin(bots, Settings(format=format, max_tiebreak_matches=1))

    def decide(playing: Sequence[Bot]) -> Sequence[int]:
        return [1, 1] if all(bot.is_remote for bot in playing) else favourite(playing)

    play_out(tournament, decide)
    client.force_login(tournament.organiser)
    found = client.get(f"/tournaments/{tournament.slug}/tournament.json").json()
    assert [one["declared"] for one in found["entrants"] if one["is_remote"]] == ["laptop", "laptop"]
    assert found["secret"] and list(list_problems(read_document(found))) == []
    for one in found["entrants"]:
        one["is_remote"] = False
    assert any("deal did not come" in problem for problem in list_problems(read_document(found)))


def test_a_match_counts_once_all_of_its_legs_are_over() -> None:
    won, lost, even = (MatchResult(points, points) for points in ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5)))
    assert join_legs({1: won}, 2) == join_legs({1: won, 3: lost}, 2) == join_legs({}, 2) == []
    assert join_legs({1: won, 2: lost, 3: even, 4: won}, 2) == [
        MatchResult((0.5, 0.5), (1.0, 1.0)),
        MatchResult((0.75, 0.25), (1.5, 0.5)),
    ]
    assert join_legs({1: won, 3: lost}, 1) == [won, lost]


def test_authors_and_organisers_learn_whom_a_round_waits_for() -> None:
    here, missing = make_remote_bot(), make_remote_bot("Beyond")
    tournament = begin([here, missing])
    RemoteBot.objects.filter(bot=here).update(is_online=True, seen_at=now(), room=2)
    assert [(one.bot, one.round, one.board) for one in list_absent_bots(tournament)] == [(missing, 1, 1)]

    def wait(minutes: int) -> set[tuple[str, int]]:
        Match.objects.update(created_at=now() - timedelta(minutes=minutes))
        advance_tournament(tournament=tournament)
        told = Notice.objects.filter(about__startswith=f"absence of {missing.pk}")
        return set(told.values_list("user__username", "pk"))

    assert wait(0) == set()
    authors = wait(2)
    assert {name for name, _ in authors} == {missing.owner.username}
    everyone = wait(11)
    assert {name for name, _ in everyone - authors} == {tournament.organiser.username}
    assert wait(12) == everyone, "each is told once"
    RemoteBot.objects.filter(bot=missing).update(is_online=True, seen_at=now(), room=2)
    assert list_absent_bots(tournament) == []

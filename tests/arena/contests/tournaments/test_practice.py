"""Practice for a tournament: who plays it against what, by which rules, how often, and who sees it."""

from dataclasses import replace

import pytest
from django.test import Client

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version, create_bot
from arena.bots.teams import ForGroupOnly, QuotaSpent, issue_token
from arena.contests.challenges.models import Challenge
from arena.contests.challenges.services import (
    NotChallengeable,
    create_practice_match,
    list_practice_opponents,
)
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.access import NotPermitted
from arena.contests.tournaments.services.entering import withdraw
from arena.contests.tournaments.services.organising import close_entries
from arena.contests.tournaments.settings import Settings
from arena.core.errors import Conflict, NotYours
from arena.matches.models import Match
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from engine.series import SeriesLength
from tests.arena.contests.tournaments.world import make_bots, make_tournament
from tests.conftest import FIRST_LEGAL


@pytest.fixture
def sample(house: User) -> BotVersion:
    """The newest version of a sample bot."""
    bot = create_bot(owner=house, name="greedy", game="battleline")
    for text in ("old", "new"):
        version = add_version(bot=bot, files={"bot.py": FIRST_LEGAL + f"# {text}".encode()}, state="accepted")
    return version


@pytest.fixture
def bots(ana: User, ben: User) -> list[Bot]:
    """One of Ana's and one of Ben's."""
    return make_bots(1, ana, name="Swan") + make_bots(1, ben, name="Duck")


def version_of(bot: Bot) -> BotVersion:
    return bot.versions.select_related("bot__owner").latest("pk")


def practise(tournament: Tournament, bot: Bot, opponent: BotVersion, owner: User | None = None) -> Challenge:
    owner = owner or bot.owner
    return create_practice_match(owner=owner, tournament=tournament, version=version_of(bot), opponent=opponent)


def test_it_is_played_by_the_rules_of_the_tournament_and_never_rated(bots: list[Bot], sample: BotVersion) -> None:
    tournament = make_tournament(bots, edition="short", changed_options={"claims": "start"})
    close_entries(tournament=tournament, organiser=tournament.organiser)
    tournament.refresh_from_db()
    match = practise(tournament, bots[0], sample).match
    assert (match.game, match.edition, match.changed_options) == ("battleline", "short", tournament.changed_options)
    assert [one.version for one in match.participants.all()] == [version_of(bots[0]), sample]
    assert not Match.objects.filter(pk=match.pk, ladder_match__isnull=False).exists()
    assert not Match.objects.filter(pk=match.pk, pairing_match__isnull=False).exists()


def test_series_and_larger_tables_are_those_of_the_tournament(ana: User, house: User, sample: BotVersion) -> None:
    series = make_tournament(make_bots(1, ana, name="Swan"), replace(Settings(), series=SeriesLength(games=2)))
    assert practise(series, Bot.objects.get(name="Swan 1"), sample).match.series_length == SeriesLength(games=2)
    bot = make_bots(1, ana, game="battalion", name="Legion")[0]
    general = create_bot(owner=house, name="general", game="battalion")
    opponent = add_version(bot=general, files={"bot.py": FIRST_LEGAL}, state="accepted")
    settings = Settings(format="tables", seats=3)
    tables = make_tournament([bot], settings, game="battalion", edition="standard")
    players = practise(tables, bot, opponent).match.participants.order_by("index")
    assert [one.version.bot.name for one in players] == ["Legion 1", "general", "general"]


def test_those_who_take_part_and_the_group_practise(bots: list[Bot], sample: BotVersion, ana: User, ben: User) -> None:
    own, other = bots
    tournament = make_tournament([own])
    practise(tournament, own, sample)
    with pytest.raises(NotPermitted, match="have entered a bot"):
        practise(tournament, other, sample)
    with pytest.raises(NotYours):
        practise(tournament, other, sample, owner=ana)
    group = Group.objects.create(name="Class", slug="class")
    Membership.objects.create(group=group, user=ben, role="member")
    Tournament.objects.filter(pk=tournament.pk).update(group=group)
    tournament.refresh_from_db()
    practise(tournament, other, sample)
    withdraw(entrant=tournament.entrants.get(), user=ana)
    with pytest.raises(NotPermitted):
        practise(tournament, own, sample)


def test_it_ends_with_the_tournament(bots: list[Bot], sample: BotVersion) -> None:
    tournament = make_tournament(bots)
    Tournament.objects.filter(pk=tournament.pk).update(state="finished")
    tournament.refresh_from_db()
    with pytest.raises(Conflict, match="The tournament is finished, so you can't practise for it"):
        practise(tournament, bots[0], sample)


def test_opponents_are_sample_bots_of_the_game(bots: list[Bot], sample: BotVersion, house: User) -> None:
    tournament = make_tournament(bots)
    assert list_practice_opponents("battleline") == [sample]
    with pytest.raises(NotChallengeable, match="Duck 1 isn't a sample bot, and you can only practise against those"):
        practise(tournament, bots[0], version_of(bots[1]))
    other = make_bots(1, bots[0].owner, game="battalion", name="Legion")[0]
    with pytest.raises(NotChallengeable, match="this tournament's game"):
        practise(tournament, other, version_of(other))


def test_practice_and_challenges_have_one_quota(bots: list[Bot], sample: BotVersion, settings) -> None:
    settings.MAX_CHALLENGES_PER_DAY = 2
    tournament = make_tournament(bots)
    for _ in range(2):
        practise(tournament, bots[0], sample)
    with pytest.raises(QuotaSpent, match="2 challenges"):
        practise(tournament, bots[0], sample)
    practise(tournament, bots[1], sample)


def test_practice_for_a_tournament_of_a_group_stays_in_the_group(
    bots: list[Bot], sample: BotVersion, ana: User, ben: User, client: Client
) -> None:
    group = Group.objects.create(name="Class", slug="class")
    Membership.objects.create(group=group, user=ana, role="member")
    tournament = make_tournament()
    Tournament.objects.filter(pk=tournament.pk).update(group=group, visibility="group")
    tournament.refresh_from_db()
    match = practise(tournament, bots[0], sample).match
    assert match.group == group
    for reader, status in ((None, 404), (ben, 404), (ana, 200)):
        if reader is not None:
            client.force_login(reader)
        assert client.get(match.get_absolute_url()).status_code == status
        assert client.get(f"/tournaments/{tournament.slug}/").status_code == status
    elsewhere = create_bot(owner=ana, name="Own", game="battleline", group=group)
    add_version(bot=elsewhere, files={"bot.py": FIRST_LEGAL}, state="accepted")
    practise(tournament, elsewhere, sample)
    public = make_tournament([bots[0]], title="Open Cup")
    with pytest.raises(ForGroupOnly):
        practise(public, elsewhere, sample)


def test_the_page_offers_it_to_those_who_may(bots: list[Bot], sample: BotVersion, ana: User, ben: User) -> None:
    tournament = make_tournament([bots[0]])
    address = f"/tournaments/{tournament.slug}/practise/"
    own, other = Client(), Client()
    own.force_login(ana)
    other.force_login(ben)
    assert address in own.get(f"/tournaments/{tournament.slug}/").content.decode()
    assert address not in other.get(f"/tournaments/{tournament.slug}/").content.decode()
    assert "have entered a bot" in other.get(address).content.decode()
    sent = {"version": version_of(bots[0]).pk, "opponent": sample.pk}
    refused = own.post(address, sent | {"opponent": version_of(bots[1]).pk})
    assert refused.status_code == 400 and refused.context["form"].errors.keys() == {"opponent"}
    made = own.post(address, sent)
    match = Match.objects.get(challenge__owner=ana)
    assert made.status_code == 302 and made["Location"] == match.get_absolute_url()
    assert match.get_absolute_url() in own.get(address).content.decode()
    assert other.post(address, {"version": version_of(bots[1]).pk, "opponent": sample.pk}).status_code == 400
    assert Challenge.objects.count() == 1


def test_the_api_plays_and_lists_it(bots: list[Bot], sample: BotVersion, ana: User, ben: User) -> None:
    tournament = make_tournament([bots[0]])
    address = f"/api/v1/tournaments/{tournament.slug}/practice/"
    tokens = {user: {"Authorization": f"Bearer {issue_token(owner=user, name='CI')[1]}"} for user in (ana, ben)}
    sent = {"version": {"bot": bots[0].slug}, "opponent": "greedy"}
    client = Client()
    made = client.post(address, sent, content_type="application/json", headers=tokens[ana])
    assert made.status_code == 201 and made.json()["match"]["changed_options"] == {}
    listed = client.get(address, headers=tokens[ana]).json()["results"]
    assert [one["match"]["id"] for one in listed] == [made.json()["match"]["id"]]
    assert client.get(address, headers=tokens[ben]).json()["results"] == []
    sent["version"]["bot"] = bots[1].slug
    assert client.post(address, sent, content_type="application/json", headers=tokens[ana]).status_code == 403
    assert client.post(address, sent, content_type="application/json", headers=tokens[ben]).status_code == 403

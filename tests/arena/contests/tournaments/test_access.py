"""Who sees a tournament, whose bots may enter it, and who is reminded before entries close."""

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser, Permission
from django.core import mail
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version, create_bot
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.queries import list_tournaments_by_state, listed_for, visible_to
from arena.contests.tournaments.services import entering
from arena.contests.tournaments.services.access import Access, BadAccess, NotPermitted, is_organiser, permit_by_code
from arena.contests.tournaments.services.entering import approve_entry, enter, publish, renew_entry_code, withdraw
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
from arena.core.errors import Conflict, NotYours
from arena.operations import upkeep
from arena.operations.upkeep import remind_of_deadlines
from arena.people.accounts.limits import MAX_WRONG_JOIN_CODES, TooManyActions
from arena.people.accounts.models import User
from arena.people.accounts.services import choose_time_zone
from arena.people.groups.models import Group, Membership, format_code, new_code
from arena.people.groups.services import create_group, join_group
from arena.people.notices.models import Notice
from tests.arena.contests.tournaments.world import finish, make_bots, make_organiser, pass_checks
from tests.conftest import FIRST_LEGAL

pytestmark = pytest.mark.django_db
ANYBODY = AnonymousUser()


@pytest.fixture
def teacher() -> User:
    user = User.objects.create_user("teacher")
    user.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def group(teacher: User, ana: User) -> Group:
    """Ana is in it, and Ben is not."""
    made = create_group(owner=teacher, name="Class 10.b")
    join_group(group=made, user=ana, real_name="Anna")
    return made


def make(organiser: User, *, is_open: bool = True, closes_in: timedelta | None = None, **access: Any) -> Tournament:
    plan = TournamentPlan(
        title="Cup",
        game="battleline",
        edition="standard",
        max_entrants_per_author=5,
        entries_close_at=now() + closes_in if closes_in else None,
        access=Access(**access),
    )
    made = create(organiser=organiser, plan=plan)
    return open_entries(tournament=made, organiser=organiser) if is_open else made


def bot_of(user: User) -> Bot:
    bot = create_bot(owner=user, name=f"Bot of {user}", game="battleline")
    add_version(bot=bot, files={"bot.py": FIRST_LEGAL + f"\n# {bot.slug}\n".encode()}, state=BotVersion.State.ACCEPTED)
    return bot


def seen_by(*readers: User | AnonymousUser) -> list[tuple[bool, bool]]:
    """Whether each may open the only tournament, and has it in lists."""
    return [(visible_to(one).exists(), listed_for(one).exists()) for one in readers]


def test_a_tournament_of_a_group_is_its_members_alone_until_it_is_published(group: Group, teacher, ana, ben):
    assistant = User.objects.create_user("assistant")
    join_group(group=group, user=assistant, real_name="")
    Membership.objects.filter(user=assistant).update(role="co_organiser")
    tournament = make(teacher, is_open=False, group=group, visibility="group", entry_rule="group")
    assert seen_by(teacher, assistant, ana, ben, ANYBODY) == [(True, True)] * 2 + [(False, False)] * 3
    assert is_organiser(tournament, assistant) and not is_organiser(tournament, ana)
    open_entries(tournament=tournament, organiser=assistant)
    assert seen_by(teacher, assistant, ana, ben, ANYBODY) == [(True, True)] * 3 + [(False, False)] * 2
    publish(tournament=tournament, organiser=teacher)
    assert seen_by(ben, ANYBODY) == [(True, True)] * 2
    with pytest.raises(Conflict, match="The tournament is already public"):
        publish(tournament=tournament, organiser=teacher)


def test_a_tournament_by_link_has_an_address_nobody_guesses_and_stands_in_no_list(teacher, ana, ben):
    tournament = make(teacher, visibility="link")
    assert tournament.slug.startswith("cup-") and len(tournament.slug) == 16
    assert seen_by(teacher, ana, ANYBODY) == [(True, True), (True, False), (True, False)]
    enter(tournament=tournament, bot=bot_of(ana), user=ana)
    assert seen_by(ana, ben) == [(True, True), (True, False)]
    assert not list_tournaments_by_state(ben) and list_tournaments_by_state(ana)


def test_a_draft_that_becomes_by_link_gets_such_an_address(teacher):
    tournament = make(teacher, is_open=False)
    assert tournament.slug == "cup"
    plan = build_plan(tournament)
    changed = edit(tournament=tournament, organiser=teacher, plan=_with(plan, Access(visibility="link")))
    assert len(changed.slug) == 16
    again = edit(tournament=changed, organiser=teacher, plan=build_plan(changed))
    assert again.slug == changed.slug


def test_what_was_opened_can_only_be_published(group: Group, teacher):
    tournament = make(teacher, group=group)
    for access in (Access(group=group, visibility="link"), Access(group=group, visibility="group"), Access()):
        with pytest.raises(Conflict, match="have been opened"):
            edit(tournament=tournament, organiser=teacher, plan=_with(build_plan(tournament), access))
    hidden = make(teacher, visibility="link")
    assert edit(tournament=hidden, organiser=teacher, plan=_with(build_plan(hidden), Access())).visibility == "public"


def _with(plan: TournamentPlan, access: Access) -> TournamentPlan:
    columns = {name: getattr(plan, name) for name in TournamentPlan.__dataclass_fields__}
    return TournamentPlan(**columns | {"access": access})


def test_access_that_contradicts_itself_is_refused(group: Group, teacher, ana):
    for access in ({"visibility": "group"}, {"entry_rule": "group"}, {"entry_rule": "list"}):
        with pytest.raises(BadAccess):
            make(teacher, **access)
    with pytest.raises(BadAccess, match="No authors have these names"):
        make(teacher, entry_rule="list", permitted_authors=("ana", "nobody"))
    with pytest.raises(NotYours):
        make(make_organiser(), group=group)
    with pytest.raises(NotPlayable, match="Only a public tournament can count"):
        plan = TournamentPlan("Cup", "battleline", "standard", is_rated=True, access=Access(visibility="link"))
        create(organiser=make_organiser(), plan=plan)
    assert not Tournament.objects.exists()


def test_co_organisers_without_the_permission_make_tournaments_of_their_group_alone(group: Group, ana):
    with pytest.raises(NotYours):
        make(ana, group=group)
    Membership.objects.filter(user=ana).update(role="co_organiser")
    with pytest.raises(NotYours, match="only organise tournaments for your groups"):
        make(ana)
    assert make(ana, group=group).group == group


def test_members_enter_a_tournament_for_members(group: Group, teacher, ana, ben):
    own, other = bot_of(ana), bot_of(ben)
    tournament = make(teacher, group=group, entry_rule="group")
    enter(tournament=tournament, bot=own, user=ana)
    with pytest.raises(NotPermitted, match="Only group members can enter bots"):
        enter(tournament=tournament, bot=other, user=ben)
    assert enter(tournament=tournament, bot=other, user=teacher).bot == other
    hidden = make(teacher, group=group, visibility="group")
    with pytest.raises(NotPermitted, match="Only group members' bots"):
        enter(tournament=hidden, bot=other, user=teacher)
    house = User.objects.create_user("house", is_house=True)
    assert enter(tournament=hidden, bot=bot_of(house), user=teacher).bot.owner == house


def test_a_list_names_who_enters(teacher, ana, ben):
    tournament = make(teacher, entry_rule="list", permitted_authors=("ana",))
    enter(tournament=tournament, bot=bot_of(ana), user=ana)
    with pytest.raises(NotPermitted, match="Only authors on the organiser's list can enter bots"):
        enter(tournament=tournament, bot=bot_of(ben), user=ben)
    assert build_plan(tournament).access.permitted_authors == ("ana",)
    User.objects.filter(pk=ana.pk).update(username="anne")
    assert build_plan(tournament).access.permitted_authors == ("anne",)


def test_a_code_is_typed_once_and_tries_are_limited(teacher, ana, ben):
    bot = bot_of(ana)
    tournament = make(teacher, entry_rule="code")
    code = format_code(tournament.entry_code or "")
    with pytest.raises(NotPermitted, match="Type the tournament code first"):
        enter(tournament=tournament, bot=bot, user=ana)
    permit(tournament, ana, code.lower())
    enter(tournament=tournament, bot=bot, user=ana)
    tournament = renew_entry_code(tournament=tournament, organiser=teacher)
    withdraw(entrant=Entrant.objects.get(), user=ana)
    enter(tournament=tournament, bot=bot, user=ana)
    for typed in (code, *(new_code() for _ in range(MAX_WRONG_JOIN_CODES - 1))):
        with pytest.raises(NotPermitted, match="isn't the tournament's code"):
            permit(tournament, ben, typed)
    with pytest.raises(TooManyActions):
        permit(tournament, ben, tournament.entry_code or "")


def permit(tournament: Tournament, user: User, typed: str) -> None:
    permit_by_code(tournament=tournament, user=user, typed=typed, address="192.0.2.1")


def test_moderated_entries_wait_and_play_no_check_until_they_are_approved(teacher, ana, ben):
    first, second, third = bot_of(ana), bot_of(ben), bot_of(teacher)
    tournament = make(teacher, are_entries_moderated=True)
    waiting = enter(tournament=tournament, bot=first, user=ana)
    enter(tournament=tournament, bot=second, user=teacher)
    enter(tournament=tournament, bot=third, user=teacher)
    assert waiting.state == "waiting" and len(advance_tournament(tournament=tournament)) == 2
    with pytest.raises(NotYours):
        approve_entry(entrant=waiting, organiser=ana)
    approve_entry(entrant=waiting, organiser=teacher)
    assert len(advance_tournament(tournament=tournament)) == 1
    with pytest.raises(Conflict, match="Bot of ana isn't waiting for approval"):
        approve_entry(entrant=waiting, organiser=teacher)
    assert enter(tournament=tournament, bot=first, user=ana).state == "checking"


def test_who_was_not_approved_in_time_does_not_play(teacher, ana):
    bots = make_bots(3)
    tournament = make(teacher, are_entries_moderated=True)
    enter(tournament=tournament, bot=bots[0], user=bots[0].owner)
    for bot in bots[1:]:
        enter(tournament=tournament, bot=bot, user=teacher)
    close_entries(tournament=tournament, organiser=teacher)
    pass_checks(tournament)
    assert dict(tournament.entrants.values_list("bot__slug", "number")) == {"bot-1": None, "bot-2": 1, "bot-3": 2}
    assert any("before an organiser approved" in str(one.text) for one in Notice.objects.filter(user=bots[0].owner))


def test_bots_that_wait_take_no_places(teacher):
    bots = make_bots(3)
    tournament = make(teacher, are_entries_moderated=True)
    Tournament.objects.update(max_entrants=2)
    waiting = enter(tournament=tournament, bot=bots[0], user=bots[0].owner)
    for bot in bots[1:]:
        enter(tournament=tournament, bot=bot, user=teacher)
    with pytest.raises(Conflict, match="full"):
        approve_entry(entrant=waiting, organiser=teacher)


def test_who_is_expected_and_has_nothing_ready_is_reminded_a_day_and_an_hour_before(group: Group, teacher, ana, ben):
    cara = User.objects.create_user("cara")
    for user in (ben, cara):
        join_group(group=group, user=user, real_name="")
    for user, verified in ((ana, True), (ben, False), (cara, True)):
        EmailAddress.objects.create(user=user, email=f"{user}@example.org", verified=verified, primary=True)
    choose_time_zone(user=ana, name="Asia/Tokyo")
    tournament = make(teacher, closes_in=timedelta(hours=30), group=group, visibility="group")
    enter(tournament=tournament, bot=bot_of(cara), user=cara)
    assert remind_of_deadlines() == 0
    Tournament.objects.update(entries_close_at=now() + timedelta(hours=23))
    assert remind_of_deadlines() == 2 and remind_of_deadlines() == 0
    assert [one.to for one in mail.outbox] == [["ana@example.org"]]
    assert "you haven't entered a bot" in mail.outbox[0].body and re.search(r"close at .* JST", mail.outbox[0].body)
    assert set(Notice.objects.values_list("user__username", flat=True)) == {"ana", "ben"}
    advance_tournament(tournament=tournament)
    Entrant.objects.update(state="failed")
    Tournament.objects.update(entries_close_at=now() + timedelta(minutes=59))
    assert remind_of_deadlines() == 3 and remind_of_deadlines() == 0
    texts = [str(notice.text) for notice in Notice.objects.filter(user=cara)]
    assert any("failed its check" in text for text in texts)


class Killed(BaseException):
    """The worker's process ends."""


def test_reminders_whose_worker_is_killed_before_the_mail_are_sent_later(
    group: Group, teacher, ana, ben, monkeypatch: pytest.MonkeyPatch
):
    join_group(group=group, user=ben, real_name="")
    for user in (ana, ben):
        EmailAddress.objects.create(user=user, email=f"{user}@example.org", verified=True)
    make(teacher, closes_in=timedelta(hours=20), group=group, visibility="group")

    def send_first_and_die(*words: object) -> None:
        if mail.outbox:
            raise Killed
        mail.EmailMessage(*words).send()

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(upkeep, "send_mail", send_first_and_die)
        remind_of_deadlines()
    assert len(mail.outbox) == 1 and Notice.objects.count() == 2
    assert remind_of_deadlines() == 0, "it may still be on its way"
    Notice.objects.update(created_at=now() - entering.MAIL_CLAIM)
    assert remind_of_deadlines() == 1 and remind_of_deadlines() == 0
    assert sorted(one.to[0] for one in mail.outbox) == ["ana@example.org", "ben@example.org"]
    assert Notice.objects.count() == 2


def test_a_new_deadline_reminds_again_and_a_near_one_once(group: Group, teacher, ana):
    tournament = make(teacher, closes_in=timedelta(minutes=50), group=group, entry_rule="group")
    assert remind_of_deadlines() == 1 and remind_of_deadlines() == 0
    plan = build_plan(Tournament.objects.get())
    columns = {name: getattr(plan, name) for name in TournamentPlan.__dataclass_fields__}
    later = TournamentPlan(**columns | {"entries_close_at": now() + timedelta(hours=20)})
    edit(tournament=tournament, organiser=teacher, plan=later)
    assert remind_of_deadlines() == 1


def test_where_anyone_may_enter_only_who_failed_is_reminded(teacher, ana, ben):
    tournament = make(teacher, closes_in=timedelta(hours=5))
    enter(tournament=tournament, bot=bot_of(ana), user=ana)
    (check,) = advance_tournament(tournament=tournament)
    finish(check, [1, 1], crashes=True)
    Entrant.objects.update(state="failed")
    assert remind_of_deadlines() == 1
    assert Notice.objects.filter(event="tournament.reminder").get().user == ana

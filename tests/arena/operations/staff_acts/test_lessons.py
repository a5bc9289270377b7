"""Lessons: what waits while one runs, what goes on, that it ends by itself, and who reads and starts it."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils.timezone import localtime, now, override

from arena.bots.models import BotVersion
from arena.bots.services import add_version, create_bot
from arena.bots.teams import issue_token
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.ladders.services.seasons import open_group_ladder
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.settings import Settings
from arena.core.errors import Conflict
from arena.matches.lesson import BadLesson, end_lesson, parse_end, start_lesson
from arena.matches.models import Lesson, Match, find_lesson
from arena.matches.queue import place_in_queue
from arena.matches.services import claim_next, has_due_match, queue_trial
from arena.operations.staff_acts import EndLesson, StartLesson
from arena.people.accounts.models import User
from arena.people.audit.models import AuditEntry
from arena.people.groups.models import Group, Membership
from tests.arena.capabilities import able
from tests.arena.contests.tournaments.world import begin, make_bots, start_worker
from tests.conftest import FIRST_LEGAL, MakeVersion

HOUR = timedelta(hours=1)


@pytest.fixture
def waiting(ladder: Ladder, entries: list[Entry]) -> list[Match]:
    """Matches that wait on a public ladder."""
    return queue_ladder_matches(ladder=ladder)


def teach() -> Lesson:
    return start_lesson(ends_at=now() + HOUR)


def let_time_pass() -> None:
    """Let the lesson's end come; nothing else happens then."""
    Lesson.objects.update(ends_at=now())


def claim_all() -> set[int]:
    """Claim what a worker would play, until nothing is left."""
    claimed = set()
    while (attempt := claim_next(worker="mill/1/1/1", capabilities=able())) is not None:
        claimed.add(attempt.match_id)
    return claimed


def list_matches(tournament: Tournament) -> set[int]:
    matches = Match.objects.filter(pairing_match__pairing__round__tournament=tournament)
    return set(matches.values_list("pk", flat=True))


def test_public_ladders_wait_and_go_on_when_it_ends_by_itself(ladder: Ladder, waiting: list[Match]) -> None:
    teach()
    Match.objects.filter(pk=waiting[0].pk).update(state=Match.State.VOID)
    assert queue_ladder_matches(ladder=ladder) == []
    assert not has_due_match() and claim_all() == set()
    let_time_pass()
    assert has_due_match() and len(queue_ladder_matches(ladder=ladder)) == 1
    assert {match.pk for match in waiting[1:]} < claim_all()


def test_trials_and_ladders_of_groups_go_on(
    waiting: list[Match], ana: User, ben: User, make_version: MakeVersion
) -> None:
    teach()
    version = make_version(ana, "Newcomer")
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.ON_TRIAL)
    trial = queue_trial(version=version)
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=ana, role="owner")
    Membership.objects.create(group=group, user=ben, role="member")
    for one in (ana, ben):
        bot = create_bot(owner=one, name=f"{one.username} in class", game="battleline", group=group)
        add_version(bot=bot, files={"bot.py": FIRST_LEGAL + f"# {bot.slug}".encode()}, state="accepted")
    of_group = open_group_ladder(group=group, by=ana, game="battleline", edition="standard", with_samples=False)
    theirs = queue_ladder_matches(ladder=of_group)
    assert trial is not None and theirs
    assert claim_all() == {trial.pk, *(match.pk for match in theirs)}


def test_tournaments_of_sample_bots_alone_wait_and_others_go_on(house: User) -> None:
    samples = make_bots(2, house, name="Sample")
    demo = begin(samples)
    mixed = begin([*samples, *make_bots(1)], Settings(format="round-robin"))
    rehearsal = begin(samples)
    Tournament.objects.filter(pk=rehearsal.pk).update(is_rehearsal=True)
    of_group = begin(samples)
    Tournament.objects.filter(pk=of_group.pk).update(group=Group.objects.create(name="Class", slug="class"))
    teach()
    assert all(map(list_matches, (demo, mixed, rehearsal, of_group)))
    assert "Lesson until" in Client().get(demo.get_absolute_url()).text
    assert "Lesson until" not in Client().get(mixed.get_absolute_url()).text
    assert claim_all() == list_matches(mixed) | list_matches(rehearsal) | list_matches(of_group)
    let_time_pass()
    assert claim_all() == list_matches(demo)


def test_what_waits_says_until_when_and_counts_for_nobody_else(
    waiting: list[Match], ana: User, make_version: MakeVersion
) -> None:
    start_worker()
    lesson = teach()
    place = place_in_queue(waiting[0])
    assert place.is_held_up and place.seconds == pytest.approx(HOUR.total_seconds(), abs=60)
    assert f"{localtime(lesson.ends_at):%H:%M}" in place.reason
    end_lesson()
    assert not place_in_queue(waiting[0]).is_held_up


def test_a_time_of_day_is_the_next_one_in_the_current_zone() -> None:
    with override("Europe/Budapest"):
        at = localtime().replace(second=0, microsecond=0)
        assert parse_end(f"{at + HOUR:%H:%M}") == at + HOUR
        assert parse_end(f"{at:%H:%M}") == at + timedelta(days=1)
        assert parse_end(" 2031-05-06 9:05 ") == datetime.fromisoformat("2031-05-06T09:05+02:00")
    assert parse_end("2031-05-06T09:05:00Z") == datetime.fromisoformat("2031-05-06T09:05Z")


@pytest.mark.parametrize("text", ["", "soon", "25:00", "2031-02-31 10:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadLesson, match=r"(15:30)"):
        parse_end(text)


def test_a_lesson_has_a_longest_time_and_one_end(db: None) -> None:
    with pytest.raises(BadLesson, match="in the past"):
        start_lesson(ends_at=now() - HOUR)
    with pytest.raises(BadLesson, match="A lesson can last at most 12 hours"):
        start_lesson(ends_at=now() + 13 * HOUR)
    assert find_lesson() is None
    lesson = teach()
    later = start_lesson(ends_at=now() + 2 * HOUR)
    assert later.pk == lesson.pk and find_lesson() == lesson
    with pytest.raises(Conflict, match="already"):
        start_lesson(ends_at=later.ends_at)
    Lesson.objects.update(ends_at=now() + 20 * HOUR)  # a clock was set back
    assert find_lesson() is None


def test_acts_describe_it_and_are_logged(do) -> None:
    with pytest.raises(Conflict, match="No lesson"):
        EndLesson().describe()
    do(StartLesson((now() + HOUR).isoformat()))
    assert "instead of" in StartLesson((now() + 2 * HOUR).isoformat()).describe()
    do(EndLesson())
    assert find_lesson() is None


def test_staff_starts_and_ends_it_on_the_page_of_the_queue(olga: User, waiting: list[Match]) -> None:
    staff, public = Client(), Client()
    staff.force_login(olga)
    page = staff.get("/queue/lesson/")
    assert page.status_code == 200 and "Start lesson" in page.content.decode()
    refused = staff.post("/queue/lesson/", {"until": "soon", "why": "Class 10.b"})
    assert refused.status_code == 400 and refused.context["form"].errors.keys() == {"until"}
    assert 'value="Class 10.b"' in refused.content.decode()
    ends_at = localtime() + HOUR
    assert staff.post("/queue/lesson/", {"until": f"{ends_at:%H:%M}", "why": "Class 10.b"}).status_code == 302
    for address in ("/queue/", "/ladders/battleline/standard/"):
        shown = public.get(address).content.decode()
        assert "Lesson until" in shown and f"{ends_at:%H:%M}" in shown
    assert "Start lesson" not in public.get("/queue/").content.decode()
    assert staff.post("/queue/lesson/", {"why": "It rang."}).status_code == 302
    assert "Lesson until" not in public.get("/queue/").content.decode()
    assert list(AuditEntry.objects.values_list("act", "reason")) == [
        ("lesson.end", "It rang."),
        ("lesson.start", "Class 10.b"),
    ]


def test_others_start_none(ana: User, client: Client) -> None:
    sent = {"ends_at": (now() + HOUR).isoformat(), "why": "Mine."}
    client.force_login(ana)
    assert client.post("/queue/lesson/", {"until": "23:59", "why": "Mine."}).status_code == 403
    token = {"Authorization": f"Bearer {issue_token(owner=ana, name='CI')[1]}"}
    for headers in (token, {}):
        refused = Client().post("/api/v1/lesson/", sent, content_type="application/json", headers=headers)
        assert refused.status_code == (403 if headers else 401)
    assert not Lesson.objects.exists()


def test_the_api_starts_shows_and_ends_it(olga: User) -> None:
    def post(address: str, sent: dict[str, str]):
        return Client().post(address, sent, content_type="application/json", headers=token)

    token = {"Authorization": f"Bearer {issue_token(owner=olga, name='bell')[1]}"}
    assert Client().get("/api/v1/lesson/").json() == {"begun_at": None, "ends_at": None}
    ends_at = (now() + HOUR).replace(microsecond=0)
    started = post("/api/v1/lesson/", {"ends_at": ends_at.isoformat(), "why": "Class 10.b"})
    assert started.status_code == 200 and datetime.fromisoformat(started.json()["ends_at"]) == ends_at
    assert Client().get("/api/v1/lesson/").json() == started.json()
    assert datetime.fromisoformat(Client().get("/api/v1/queue/").json()["lesson_ends_at"]) == ends_at
    assert post("/api/v1/lesson/", {"ends_at": (now() - HOUR).isoformat(), "why": "Past"}).status_code == 400
    assert post("/api/v1/lesson/end/", {"why": "It rang."}).json() == {"begun_at": None, "ends_at": None}
    assert post("/api/v1/lesson/end/", {"why": "It rang."}).status_code == 409

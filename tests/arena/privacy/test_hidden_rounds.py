"""Hidden rounds of a tournament: nobody but its organisers learns of their results before these are revealed."""

import json
import re
from datetime import timedelta
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.contests.tournaments.document import list_problems, read_document
from arena.contests.tournaments.models import PairingMatch, Tournament
from arena.contests.tournaments.services.organising import cancel
from arena.contests.tournaments.services.playing import (
    DecidedOutcome,
    PairingDecision,
    advance_tournament,
    decide_pairing,
    reveal_all,
    reveal_next_place,
)
from arena.contests.tournaments.settings import Settings
from arena.core.errors import Conflict
from arena.matches.models import LegSeat, Match, Participant
from arena.matches.services import count_verdicts, notify_of_match
from arena.operations.personal_data import write_export
from arena.people.accounts.models import User
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from tests.arena.contests.tournaments.world import begin, finish, make_bots, play_out, play_round, waiting

pytestmark = pytest.mark.django_db
CUP, API = "/tournaments/autumn-cup/", "/api/v1/tournaments/autumn-cup/"
PAGES = ("", "rounds/1/", "print/", "projector/", "decisions/", "standings.csv", "tournament.json")
API_PAGES = (
    "",
    "entrants/",
    "faults/",
    "rounds/?all_attempts=true",
    "standings/",
    "crosstable/",
    "deals/",
    "deals/matches/",
    "decisions/",
)
ELSEWHERE = (
    *("/", "/matches/", "/matches/?state=queued", "/queue/", "/watch/", "/today/", "/today/atom.xml", "/tournaments/"),
    *("/sitemap-matches.xml", "/sitemap-tournaments.xml", f"{CUP}calendar.ics", f"{CUP}rounds/3/"),
    *("/api/v1/matches/", "/api/v1/queue/", "/api/v1/tournaments/", "/api/v1/notices/"),
)
OF_BOT = ("", "v/1/", "faults/", "badge.svg")
API_OF_BOT = ("", "ratings/", "head-to-head/", "versions/", "versions/1/", "versions/1/log/")
VARYING = re.compile(
    r'"X-CSRFToken": *"[^"]*"|csrfmiddlewaretoken" value="[^"]*"|<time[^>]*>[^<]*</time>|'
    r"\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\d{4} \d\d:\d\d UTC"
)
"""Keys of forms, and times."""


@pytest.fixture
def bots() -> list[Bot]:
    return make_bots(4)


@pytest.fixture
def hidden(bots: list[Bot]) -> Tournament:
    """Three rounds of Swiss, played left, of which the last is hidden; its winner is who lost the others."""
    tournament = begin(bots, Settings(format="swiss", rounds=3), hidden_rounds=1)
    return play_out(play_round(play_round(tournament)), lambda found: [2, 1])


def read(reader: User | None) -> dict[str, str]:
    """All that a reader reads about the tournament."""
    client = Client()
    if reader is not None:
        client.force_login(reader)
    answers = {path: client.get(f"{CUP}{path}") for path in PAGES}
    answers |= {f"api {path}": client.get(f"{API}{path}") for path in API_PAGES}
    return {path: answer.content.decode() for path, answer in answers.items() if answer.status_code == 200}


def read_everywhere(reader: User | None, bots: list[Bot]) -> dict[str, str]:
    """All that a reader reads about the tournament, its bots and its matches anywhere, without what varies."""
    cache.clear()
    client = Client()
    if reader is not None:
        client.force_login(reader)
    paths = [*ELSEWHERE, *(f"/authors/{bot.owner}/" for bot in bots), f"{CUP}certificates/{bots[0].slug}/"]
    paths += [f"/bots/{bot.slug}/{path}" for bot in bots for path in OF_BOT]
    paths += [f"/api/v1/bots/{bot.slug}/{path}" for bot in bots for path in API_OF_BOT]
    paths += [f"/matches/{match}/" for match in list_withheld()]
    answers = {path: client.get(path) for path in paths}
    found = {path: f"{one.status_code} {one.content.decode()}" for path, one in answers.items()} | read(reader)
    return {path: VARYING.sub("", text) for path, text in found.items()}


def list_withheld() -> list[int]:
    return list(PairingMatch.objects.filter(pairing__round__number=3).values_list("match", flat=True))


def test_nothing_tells_how_a_hidden_round_ended(bots: list[Bot]):
    """Whoever wins its matches, and whether bots fail, all that others read is the same."""
    tournament = begin(bots, Settings(format="swiss", rounds=3), hidden_rounds=1)
    play_round(play_round(tournament))
    before, found = read(None), []
    for places in ([2, 1], [1, 2]):
        with transaction.atomic():
            for match in waiting(tournament):
                finish(match, places, crashes=places == [1, 2])
                count_verdicts(LegSeat.objects.filter(leg__match=match).select_related("participant"))
                notify_of_match(match=match)
            advance_tournament(tournament=tournament)
            assert Tournament.objects.get().state == Tournament.State.FINISHED
            found.append([read_everywhere(reader, bots[:2]) for reader in (None, bots[0].owner)])
            organised = read(tournament.organiser)
            transaction.set_rollback(True)
    for first, second in zip(*found, strict=True):
        assert {path for path in first if first[path] != second[path]} == set()
    for path in ("standings.csv", *(f"api {name}/" for name in ("standings", "crosstable", "deals/matches"))):
        assert all(one[path] == VARYING.sub("", before[path]) for one in found[0])
    assert found[0][0][f"{CUP}rounds/3/"].startswith("404")
    assert found[0][0]["standings.csv"] != organised["standings.csv"]


def test_pairings_of_a_hidden_round_are_in_no_queue_and_calendar(bots: list[Bot]):
    """Who meets whom in a knockout tells who has won."""
    tournament = begin(bots, Settings(format="single-elimination"), hidden_rounds=2)
    waiting = list(Match.objects.queued().values_list("pk", flat=True))
    assert len(waiting) == 2 and Tournament.objects.get().hidden_from_round == 1
    client = Client()
    client.force_login(bots[0].owner)
    assert client.get("/api/v1/queue/").json()["own"] == []
    assert "round" not in client.get(f"{CUP}calendar.ics").content.decode()
    assert not any(f"/matches/{waiting[0]}/" in client.get(path).content.decode() for path in ("/queue/", "/matches/"))
    client.force_login(tournament.organiser)
    answer = client.get(f"{API}rounds/")
    assert [one["number"] for one in answer.json()["results"]] == [1]
    assert "no-store" in answer["Cache-Control"]


def test_no_page_leads_to_a_match_of_a_hidden_round(hidden: Tournament, bots: list[Bot]):
    matches = list_withheld()
    assert len(matches) == 2
    for reader in (None, bots[0].owner):
        client = Client()
        if reader is not None:
            client.force_login(reader)
        for match in matches:
            for path in (f"/matches/{match}/", f"/api/v1/matches/{match}/", f"/matches/{match}/1/"):
                assert client.get(path).status_code == 404, path
        assert client.get(f"{CUP}rounds/3/").status_code == 404
        assert client.get(f"{CUP}archive.zip").status_code == 404
        others = (
            "/",
            "/matches/",
            "/queue/",
            "/tournaments/",
            "/api/v1/matches/",
            *(f"/bots/{bot.slug}/" for bot in bots),
        )
        texts = [client.get(path).content.decode() for path in others] + list(read(reader).values())
        for match in matches:
            assert not any(f"/matches/{match}/" in text or f'"match":{match},' in text for text in texts)
        for bot in bots:
            assert client.get(f"{CUP}certificates/{bot.slug}/").status_code == 404
    assert not any(entrant.place for entrant in hidden.entrants.all())


def test_nobody_is_told_by_notice_webhook_or_personal_data(hidden: Tournament, bots: list[Bot]):
    for match in Match.objects.filter(pk__in=list_withheld()):
        notify_of_match(match=match)
    assert not Delivery.objects.exists()
    assert not Notice.objects.filter(event=Event.TOURNAMENT_FINISHED).exclude(user=hidden.organiser).exists()
    assert not Participant.objects.filter(match__in=list_withheld(), is_hidden=False).exists()
    write_export(user=bots[0].owner, file=(file := BytesIO()))
    with ZipFile(file) as exported:
        numbers = [json.loads(line)["pk"] for line in exported.read("matches.jsonl").splitlines()]
    assert numbers and not {*numbers} & {*list_withheld()}


def test_document_of_the_rounds_that_are_shown_is_checked(hidden: Tournament):
    found = Client().get(f"{CUP}tournament.json").json()
    assert [one["number"] for one in found["rounds"]] == [1, 2] and found["secret"] is None
    assert list(list_problems(read_document(found))) == []


def test_decisions_about_hidden_rounds_are_hidden_with_them(hidden: Tournament):
    pairing = hidden.rounds.get(number=3).pairings.get(board=1)
    loser = pairing.seats.get(points=0).entrant.bot
    decision = PairingDecision(DecidedOutcome.WIN, "The other read its hand.", loser.slug)
    decide_pairing(tournament=hidden, organiser=hidden.organiser, number=3, board=1, decision=decision)
    assert not any("read its hand" in text for text in read(loser.owner).values())
    assert not Notice.objects.filter(user=loser.owner, text__icontains="read its hand").exists()
    assert "read its hand" in read(hidden.organiser)["decisions/"]
    reveal_all(tournament=hidden, organiser=hidden.organiser)
    assert "read its hand" in read(None)["decisions/"]


def test_organisers_see_hidden_rounds_but_not_on_the_projector(hidden: Tournament):
    client = Client()
    client.force_login(hidden.organiser)
    assert client.get(f"{CUP}rounds/3/").context["is_hidden"]
    assert client.get(f"/matches/{list_withheld()[0]}/").status_code == 200
    assert read(hidden.organiser)["standings.csv"] != read(None)["standings.csv"]
    page = client.get(f"{CUP}projector/")
    assert page.context["may_reveal"] and page.context["tournament"].first_hidden_round == 3
    other = User.objects.create_user("mari")
    hidden.co_organisers.add(other)
    client.force_login(other)
    assert client.get(f"/matches/{list_withheld()[0]}/").status_code == 200


def test_places_are_revealed_from_the_last_to_the_first(hidden: Tournament, bots: list[Bot]):
    Webhook.objects.create(owner=bots[0].owner, url="https://8.8.8.8/", events=[Event.MATCH_FINISHED])
    client, visitor = Client(), Client()
    client.force_login(hidden.organiser)
    assert visitor.post(f"{CUP}projector/reveal/").status_code == 302
    client.force_login(bots[0].owner)
    assert client.post(f"{CUP}projector/reveal/").status_code == 403
    client.force_login(hidden.organiser)
    for shown in range(1, 4):
        client.post(f"{CUP}projector/reveal/")
        assert f"{shown} of 4 places revealed" in visitor.get(f"{CUP}projector/").content.decode()
        assert visitor.get(f"/matches/{list_withheld()[0]}/").status_code == 404
    client.post(f"{CUP}projector/reveal/")
    hidden.refresh_from_db()
    assert not hidden.is_concealed and sorted(hidden.entrants.values_list("place", flat=True)) == [1, 2, 3, 4]
    assert visitor.get(f"/matches/{list_withheld()[0]}/").status_code == 200
    assert Participant.objects.filter(is_hidden=True).count() == 0
    (told,) = Delivery.objects.values_list("about", flat=True)
    assert int(told.removeprefix("match ")) in list_withheld()
    assert Notice.objects.filter(event=Event.TOURNAMENT_FINISHED).exclude(user=hidden.organiser).count() == 4
    assert list(list_problems(read_document(visitor.get(f"{CUP}tournament.json").json()))) == []
    with pytest.raises(Conflict, match="The tournament has no hidden rounds"):
        reveal_all(tournament=hidden, organiser=hidden.organiser)


def test_they_are_revealed_by_themselves_and_when_a_tournament_is_cancelled(hidden: Tournament):
    advance_tournament(tournament=hidden)
    hidden.refresh_from_db()
    assert hidden.is_concealed
    Tournament.objects.update(finished_at=now() - timedelta(days=8), last_advanced_at=now() - timedelta(days=8))
    assert list(Tournament.objects.stalled()) == [hidden]
    advance_tournament(tournament=hidden)
    hidden.refresh_from_db()
    assert not hidden.is_concealed and not Match.objects.filter(is_withheld=True).exists()


def test_a_cancelled_tournament_hides_nothing(bots: list[Bot]):
    tournament = begin(bots, Settings(format="swiss", rounds=2), hidden_rounds=1)
    play_round(tournament)
    with pytest.raises(Conflict, match="once all rounds are finished"):
        reveal_next_place(tournament=tournament, organiser=tournament.organiser)
    assert Match.objects.filter(is_withheld=True).count() == 2
    cancel(tournament=tournament, organiser=tournament.organiser)
    tournament.refresh_from_db()
    assert not tournament.is_concealed and not Match.objects.filter(is_withheld=True).exists()

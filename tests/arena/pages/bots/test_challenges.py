import pytest

from arena.bots.models import BotVersion
from arena.challenges.models import Challenge
from arena.ladders.models import Entry
from arena.ladders.services.entering import enter_version

ADDRESS = "/bots/heron/challenge/"


@pytest.fixture
def heron(ben, make_version, ladder):
    version = make_version(ben, "Heron")
    enter_version(ladder=ladder, version=version)
    return version


@pytest.fixture
def kingfisher(ana, make_version):
    return make_version(ana, "Kingfisher")


def test_a_bot_is_challenged_from_a_form(ana, heron, kingfisher, reader, messages, django_capture_on_commit_callbacks):
    client = reader(ana)
    assert "Kingfisher v1" in client.get(ADDRESS).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(ADDRESS, {"version": kingfisher.pk, "edition": "advanced"})
    match = Challenge.objects.get().match
    assert response["Location"] == match.get_absolute_url() and match.edition == "advanced"
    assert [one.version for one in match.participants.all()] == [kingfisher, heron]
    assert len(messages()) == 1
    assert client.get(ADDRESS).context["rows"][0].match == match


def test_only_own_accepted_versions_of_the_game_are_offered(ana, ben, heron, kingfisher, make_version, reader):
    make_version(ana, "Kingfisher", b"2", BotVersion.State.REJECTED)
    make_version(ana, "Wren", game="battalion")
    form = reader(ana).get(ADDRESS).context["form"]
    assert form.fields["version"].choices == [(kingfisher.pk, "Kingfisher v1")]
    refused = reader(ana).post(ADDRESS, {"version": heron.pk, "edition": "standard"})
    assert refused.status_code == 400 and not Challenge.objects.exists()


def test_who_has_no_version_is_told_what_to_do(eva, heron, reader):
    assert b"You have no bot for this game" in reader(eva).get(ADDRESS).content


def test_challenging_needs_an_account_and_a_bot_that_plays(ana, heron, kingfisher, reader):
    assert reader(None).get(ADDRESS).status_code == 302
    Entry.objects.update(state=Entry.State.SUSPENDED)
    assert reader(ana).get(ADDRESS).status_code == 404


def test_own_bots_may_be_challenged_whether_they_play_or_not(ana, kingfisher, make_version, reader):
    wren = make_version(ana, "Wren")
    reader(ana).post("/bots/kingfisher/challenge/", {"version": wren.pk, "edition": "standard"})
    assert [one.version for one in Challenge.objects.get().match.participants.all()] == [wren, kingfisher]


def test_a_spent_quota_is_told_at_the_form(ana, heron, kingfisher, reader, settings):
    settings.CHALLENGES_PER_DAY = 0
    page = reader(ana).post(ADDRESS, {"version": kingfisher.pk, "edition": "standard"})
    assert page.status_code == 400 and b"nobody may make more than 0" in page.content


def test_the_match_says_that_it_is_a_challenge(ana, heron, kingfisher, reader, play):
    reader(ana).post(ADDRESS, {"version": kingfisher.pk, "edition": "standard"})
    match = Challenge.objects.get().match
    play(match)
    assert "challenge, unrated" in reader(ana).get(match.get_absolute_url()).content.decode()

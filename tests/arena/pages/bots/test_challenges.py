import pytest

from arena.bots.models import BotVersion
from arena.contests.challenges.models import Challenge
from arena.contests.ladders.models import Entry
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.seasons import open_season
from engine.registry import find_game

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


def test_rule_options_and_a_series_are_chosen_in_the_form(ana, heron, kingfisher, reader):
    sent = {"version": kingfisher.pk, "edition": "terrain", "battleline-tactics": "10", "series": "games"}
    page = reader(ana).post(ADDRESS, sent)
    assert page.status_code == 400 and "Enter the length of the series." in page.text
    assert page.context["has_chosen_options"] and "selected" in page.text
    reader(ana).post(ADDRESS, sent | {"series_games": 3})
    match = Challenge.objects.get().match
    assert (match.edition, match.changed_options, match.series) == ("terrain", {"tactics": 10}, {"games": 3})
    shown = reader(ana).get(match.get_absolute_url()).text
    assert "Battle Line, Medieval with terrain, with the ten tactics" in shown


def test_every_option_of_the_game_is_offered_with_its_values_and_rulings(ana, heron, kingfisher, reader):
    page = reader(ana).get(ADDRESS)
    (group,) = page.context["option_groups"]
    assert [option.key for _field, option in group["fields"]] == list(find_game("battleline").options("standard"))
    assert all(field.field.choices[0][0] == "" for field, _option in group["fields"])
    assert 'href="/rules/battleline/options/"' in page.text and 'href="/rules/battleline/standard/#BL-35"' in page.text


def test_options_that_do_not_go_together_are_refused_in_a_sentence(ana, heron, kingfisher, reader):
    sent = {"version": kingfisher.pk, "edition": "short", "battleline-tiles": "shuffled"}
    page = reader(ana).post(ADDRESS, sent)
    assert page.status_code == 400 and "nine tiles need nine flags" in page.text
    assert not Challenge.objects.exists()


def test_a_game_without_series_offers_none(ana, make_version, reader):
    make_version(ana, "General", game="battalion")
    make_version(ana, "Wren", game="battalion")
    page = reader(ana).get("/bots/general/challenge/")
    assert "series" not in page.context["form"].fields and "an early seat is a handicap" in page.text
    assert "battalion-quiet_rounds" in page.context["form"].fields


def test_only_own_accepted_versions_of_the_game_are_offered(ana, ben, heron, kingfisher, make_version, reader):
    make_version(ana, "Kingfisher", b"2", BotVersion.State.REJECTED)
    make_version(ana, "Wren", game="battalion")
    form = reader(ana).get(ADDRESS).context["form"]
    assert form.fields["version"].choices == [(kingfisher.pk, "Kingfisher v1")]
    refused = reader(ana).post(ADDRESS, {"version": heron.pk, "edition": "standard"})
    assert refused.status_code == 400 and not Challenge.objects.exists()


def test_who_has_no_version_is_told_what_to_do(eva, heron, reader):
    assert "None of your bots for this game has passed its trial yet." in reader(eva).get(ADDRESS).text


def test_challenging_needs_an_account_and_a_bot_that_plays(ana, heron, kingfisher, reader):
    assert reader(None).get(ADDRESS).status_code == 302
    Entry.objects.update(state=Entry.State.SUSPENDED)
    assert reader(ana).get(ADDRESS).status_code == 404


def test_own_bots_may_be_challenged_whether_they_play_or_not(ana, kingfisher, make_version, reader):
    wren = make_version(ana, "Wren")
    reader(ana).post("/bots/kingfisher/challenge/", {"version": wren.pk, "edition": "standard"})
    assert [one.version for one in Challenge.objects.get().match.participants.all()] == [wren, kingfisher]


def test_a_spent_quota_is_told_at_the_form(ana, heron, kingfisher, reader, settings):
    settings.MAX_CHALLENGES_PER_DAY = 0
    page = reader(ana).post(ADDRESS, {"version": kingfisher.pk, "edition": "standard"})
    assert page.status_code == 400 and "the maximum is 0." in page.text


def test_the_match_says_that_it_is_a_challenge(ana, heron, kingfisher, reader, play):
    reader(ana).post(ADDRESS, {"version": kingfisher.pk, "edition": "standard"})
    match = Challenge.objects.get().match
    play(match)
    assert "unrated challenge" in reader(ana).get(match.get_absolute_url()).content.decode()


def test_series_are_spoken_of_only_where_the_game_has_them(ana, ben, heron, kingfisher, make_version, reader):
    assert "or a series." in reader(ana).get(ADDRESS).text
    enter_version(
        ladder=open_season(game="battalion", edition="standard", title="Battalion"),
        version=make_version(ben, "Egret", game="battalion"),
    )
    page = reader(ana).get("/bots/egret/challenge/")
    assert page.status_code == 200 and "two legs on the same deal" in page.text and "series of games" not in page.text

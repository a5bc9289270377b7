import re
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import localtime, now

from arena.bots.models import BotVersion
from arena.contests.tournaments.models import Round, Tournament
from arena.contests.tournaments.services.organising import TournamentPlan, create
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.matches.models import Match
from arena.people.accounts.models import User
from engine.series import SeriesLength
from tests.arena.contests.tournaments.world import (
    begin,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_round,
)

State = Tournament.State
FORM = {
    "title": "Winter Cup",
    "description": "",
    "edition": "battleline/standard",
    "format": "swiss",
    "rounds": "",
    "matches_per_pairing": 3,
    "max_tiebreak_matches": 2,
    "scoring": "wins",
    "groups": 2,
    "advance_per_group": 2,
    "seats": 2,
    "entries_close_at": "",
    "max_entrants": 16,
    "max_entrants_per_author": 2,
    "visibility": "public",
    "entry_rule": "anyone",
}
DESK = "/tournaments/autumn-cup/"


@pytest.fixture
def olga(db) -> User:
    """She keeps the arena."""
    return make_organiser()


@pytest.fixture
def otto(db) -> User:
    """He may organise, and is no staff."""
    otto = User.objects.create_user("otto")
    otto.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return otto


@pytest.fixture
def bots(db):
    return make_bots(4)


def text_of(response) -> str:
    """What is read of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


def press(client, button: str, **sent) -> str:
    """What the desk says afterwards."""
    response = client.post(f"{DESK}{button}/", sent, follow=True)
    assert response.redirect_chain == [(f"{DESK}organise/", 302)] and response.status_code == 200
    return text_of(response)


def state(tournament: Tournament) -> str:
    return Tournament.objects.get(pk=tournament.pk).state


def test_a_tournament_is_planned_as_a_draft_that_nobody_else_sees(otto, eva, reader):
    page = reader(otto).get("/tournaments/new/")
    assert page.status_code == 200 and "Time zone: UTC." in text_of(page)
    until = (now() + timedelta(days=1)).replace(second=0, microsecond=0)
    sent = FORM | {"entries_close_at": localtime(until).strftime("%Y-%m-%dT%H:%M")}
    made = reader(otto).post("/tournaments/new/", sent)
    tournament = Tournament.objects.get()
    assert made["Location"] == "/tournaments/winter-cup/organise/"
    assert (tournament.organiser, tournament.state, tournament.entries_close_at) == (otto, "draft", until)
    assert tournament.full_settings.matches_per_pairing == 3 and tournament.full_settings.rounds is None
    assert (tournament.game, tournament.edition) == ("battleline", "standard")
    assert (tournament.max_entrants, tournament.max_entrants_per_author) == (16, 2)
    assert "Only you see it." in text_of(reader(otto).get(made["Location"]))
    for page in ("", "organise/", "edit/", "enter/"):
        assert reader(eva).get(f"/tournaments/winter-cup/{page}").status_code == 404


def test_rule_options_and_series_are_chosen_kept_and_changed(otto, reader):
    sent = FORM | {"battleline-tactics": "0", "series": "points", "series_points": "15"}
    reader(otto).post("/tournaments/new/", sent)
    tournament = Tournament.objects.get()
    assert (tournament.edition, tournament.changed_options) == ("standard", {"tactics": 0})
    assert tournament.full_settings.series == SeriesLength(points=15)
    page = reader(otto).get("/tournaments/winter-cup/edit/")
    assert page.context["form"].has_chosen_options and page.context["form"]["series_points"].value() == 15
    assert "Battle Line, Standard, without tactics" in text_of(reader(otto).get("/tournaments/winter-cup/organise/"))
    reader(otto).post("/tournaments/winter-cup/edit/", FORM | {"battleline-pass": "no-card"})
    tournament.refresh_from_db()
    assert (tournament.edition, tournament.changed_options) == ("medieval", {})
    assert tournament.full_settings.series is None


def test_options_of_another_game_are_refused_at_their_field(otto, reader):
    page = reader(otto).post("/tournaments/new/", FORM | {"battalion-start": "lot"})
    assert page.status_code == 400 and not Tournament.objects.exists()
    assert "This option belongs to Battalion, but the game is Battle Line." in text_of(page)
    sent = FORM | {"edition": "battalion/standard", "series": "games", "series_games": "3"}
    refused = reader(otto).post("/tournaments/new/", sent)
    assert (
        refused.status_code == 400
        and "Battalion can't be played as a series by this number of players: 2." in text_of(refused)
    )


def test_a_refusal_stands_at_the_field_to_blame(otto, reader):
    sent = FORM | {"format": "swiss-knockout", "knockout_size": 17}
    form = reader(otto).post("/tournaments/new/", sent).context["form"]
    assert list(form.errors) == ["knockout_size"]
    form = reader(otto).post("/tournaments/new/", FORM | {"format": "single-elimination", "matches_per_pairing": 2})
    assert list(form.context["form"].errors) == ["matches_per_pairing"]


def test_fields_of_other_formats_are_neither_read_nor_blamed(otto, reader):
    sent = FORM | {"format": "round-robin", "groups": "many", "seats": 9, "third_place_match": "on"}
    assert reader(otto).post("/tournaments/new/", sent).status_code == 302
    stored = Tournament.objects.get().full_settings
    assert (stored.groups, stored.seats, stored.third_place_match) == (2, 2, False)


def test_a_tournament_of_two_phases_is_planned(otto, reader):
    sent = FORM | {"format": "swiss-knockout", "rounds": 5, "knockout_size": 8, "third_place_match": "on"}
    reader(otto).post("/tournaments/new/", sent)
    stored = Tournament.objects.get().full_settings
    assert (stored.knockout_entrants, stored.rounds, stored.third_place_match) == (8, 5, True)
    desk = text_of(reader(otto).get("/tournaments/winter-cup/organise/"))
    assert "Rounds 5 + 3 with at most 16 bots" in desk


def test_a_copy_is_planned_as_the_other_was(otto, eva, bots, reader):
    plan = Settings(format="groups", groups=2, advance_per_group=1, matches_per_pairing=3)
    tournament = make_tournament(bots, plan, description="Every autumn.")
    page = reader(otto).get(tournament.get_absolute_url())
    assert '"/tournaments/new/?copy=autumn-cup"' in page.content.decode()
    assert "copy=" not in reader(eva).get(tournament.get_absolute_url()).content.decode()
    form = reader(otto).get("/tournaments/new/?copy=autumn-cup").context["form"]
    values = {name: form[name].value() for name in ("title", "description", "format", "advance_per_group")}
    assert values == {
        "title": "Autumn Cup",
        "description": "Every autumn.",
        "format": "groups",
        "advance_per_group": 1,
    }
    assert reader(otto).get("/tournaments/new/?copy=nothing").status_code == 404


def test_a_copy_invites_the_bots_and_their_authors_enter_them_with_one_click(olga, otto, bots, reader):
    make_tournament(bots[:2])
    client, address = reader(olga), "/tournaments/new/?copy=autumn-cup"
    assert "Invite the bots from Autumn Cup" in text_of(client.get(address))
    assert "Invite the bots" not in text_of(reader(otto).get(address)), "who doesn't organise it invites nobody"
    client.post(address, FORM | {"invites_entrants": "on"})
    desk = text_of(client.get("/tournaments/winter-cup/organise/"))
    assert "Invited bots" in desk and desk.count("invited once entries are open") == 2
    client.post("/tournaments/winter-cup/open/")
    advance_tournament(tournament=Tournament.objects.get(slug="winter-cup"))
    author, enter = reader(bots[0].owner), "/tournaments/winter-cup/enter/"
    page = text_of(author.get(enter))
    assert "You're invited" in page and "Enter Bot 1" in page and "Enter Bot 2" not in page
    assert "Bot 1 v1 has been entered." in text_of(author.post(enter, {"entry": bots[0].slug}, follow=True))
    assert "You're invited" not in text_of(author.get(enter))
    assert "You're invited" not in text_of(reader(otto).get(enter))


def test_who_may_not_organise_is_told_so(eva, reader):
    assert reader(None).get("/tournaments/new/")["Location"].startswith("/accounts/login/")
    for answer in (reader(eva).get("/tournaments/new/"), reader(eva).post("/tournaments/new/", FORM)):
        assert answer.status_code == 403
        assert "Your account can't organise tournaments." in text_of(answer)
    assert not Tournament.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"title": " "}, "This field is required."),
        ({"edition": "chess/standard"}, "Select a valid choice."),
        ({"format": "arena"}, "Select a valid choice."),
        ({"matches_per_pairing": 0}, "greater than or equal to 1"),
        ({"rounds": "many"}, "Enter a whole number."),
        ({"format": "tables", "seats": 3}, "Battle Line doesn't have tables with 3 seats"),
        (
            {"format": "single-elimination", "matches_per_pairing": 2},
            "a pairing needs an odd number of matches (1, 3, 5 and so on), not 2",
        ),
        (
            {"format": "groups", "groups": 3, "advance_per_group": 2, "max_entrants": 4},
            "3 groups with 2 advancing from each need at least 6 bots, but at most 4 can take part",
        ),
        (
            {"format": "swiss-knockout", "knockout_size": 17},
            "17 bots can't advance to the knockout if at most 16 can take part",
        ),
        ({"format": "swiss-knockout", "knockout_size": 1}, "greater than or equal to 2"),
        ({"format": "swiss-knockout"}, "This field is required."),
        (
            {"format": "swiss-knockout", "knockout_size": 3, "third_place_match": "on"},
            "A third-place match needs a knockout of at least 4 bots, not 3",
        ),
        ({"max_entrants": 4, "max_entrants_per_author": 5}, "enter 5 bots if at most 4 can take part"),
        ({"entries_close_at": "2020-01-01T12:00"}, "The deadline is in the past."),
        ({"entries_close_at": "tomorrow"}, "Enter a valid date/time."),
        ({"max_entrants": 1000}, "less than or equal to 256"),
    ],
)
def test_what_is_wrong_is_said_at_the_form(otto, reader, wrong, sentence):
    answer = reader(otto).post("/tournaments/new/", FORM | wrong)
    assert answer.status_code == 400 and sentence in text_of(answer)
    assert not Tournament.objects.exists()


def test_only_staff_let_one_count_for_the_ladder(olga, otto, reader, ladder):
    for who, sees in ((olga, True), (otto, False)):
        assert ("is_rated" in reader(who).get("/tournaments/new/").context["form"].fields) is sees
        reader(who).post("/tournaments/new/", FORM | {"is_rated": "on"})
    assert list(Tournament.objects.order_by("pk").values_list("is_rated", flat=True)) == [True, False]


def test_settings_are_edited_until_it_starts(olga, bots, reader):
    tournament = make_tournament(bots, Settings(matches_per_pairing=2), description="For all")
    page = reader(olga).get(f"{DESK}edit/")
    assert (
        page.context["form"]["matches_per_pairing"].value() == 2
        and page.context["form"]["description"].value() == "For all"
    )
    changed = FORM | {"title": "Spring Cup", "matches_per_pairing": 5, "edition": "battalion/standard"}
    refused = reader(olga).post(f"{DESK}edit/", changed)
    assert refused.status_code == 400 and "you can&#x27;t change the game or its rules" in refused.content.decode()
    assert reader(olga).post(f"{DESK}edit/", changed | {"edition": "battleline/standard"}).status_code == 302
    tournament.refresh_from_db()
    assert (tournament.title, tournament.slug, tournament.settings["matches_per_pairing"]) == (
        "Spring Cup",
        "autumn-cup",
        5,
    )
    Tournament.objects.update(state="running", started_at=now())
    refused = reader(olga).post(f"{DESK}edit/", FORM)
    assert refused.status_code == 400 and "The tournament has started" in text_of(refused)


def test_the_desk_leads_from_the_draft_to_the_start(olga, bots, reader):
    client = reader(olga)
    tournament = create(organiser=olga, plan=TournamentPlan(title="Autumn Cup", game="battleline", edition="standard"))
    assert "Open entries" in text_of(client.get(f"{DESK}organise/"))
    assert "Entries are open." in press(client, "open")
    assert "No entries yet." in text_of(client.get(f"{DESK}organise/"))
    assert "Bot 1 v1 has been entered." in press(client, "organise/enter", bot="Bot 1")
    assert "No bot called “nobody” plays this game." in press(client, "organise/enter", bot="nobody")
    address = f"https://arena.example{bots[1].get_absolute_url()}"
    assert "Bot 2 v1 has been entered." in press(client, "organise/enter", bot=address)
    for bot in bots[2:]:
        press(client, "organise/enter", bot=bot.slug.upper())
    offered = client.get(f"{DESK}organise/").context["choices"]
    assert offered == [], "all have entered"
    desk = text_of(client.get(f"{DESK}organise/"))
    assert desk.count("checking") >= 4 and "No deadline: you close entries yourself." in desk
    assert "Entries are closed." in press(client, "start") and state(tournament) == "checking"
    pass_checks(tournament, failing=bots[3:])
    desk = text_of(client.get(f"{DESK}organise/"))
    assert state(tournament) == "running" and "of at most" in desk and "View check match" in desk
    assert "failed its check View check match (Bot 4 v1) Crashed during its check. It ended." in desk
    assert "Edit settings" not in desk and "Enter a bot for its author" not in desk


def test_the_desk_waits_for_trials_takes_late_bots_and_starts_without_them(olga, ana, bots, make_version, reader):
    wren = make_version(ana, "Wren", state=BotVersion.State.ON_TRIAL)
    tournament = make_tournament([*bots[:2], wren.bot])
    client = reader(olga)
    desk = text_of(client.get(f"{DESK}organise/"))
    assert "1 is still on trial; the start waits for it." in desk and ", 1 awaiting trial" in desk
    press(client, "start")
    desk = text_of(client.get(f"{DESK}organise/"))
    assert "The start is waiting for its trial." in desk and "Enter a late bot" in desk
    assert "so give a reason" in press(client, "organise/enter", bot="Bot 3")
    press(client, "organise/enter", bot="Bot 3", reason="The bus was late.")
    assert "entered late" in text_of(client.get(f"{DESK}organise/"))
    assert "entered late: The bus was late." in text_of(reader(None).get(DESK))
    pass_checks(tournament)
    assert "The tournament no longer waits for trials before it starts." in press(
        client, "organise/trials", reason="The lesson ends."
    )
    desk = text_of(client.get(f"{DESK}organise/"))
    assert "left out" in desk and "Start without waiting" not in desk
    pass_checks(tournament)
    assert state(tournament) == "running"
    assert "Version 1 was left out: its trial" in text_of(reader(None).get(DESK))


def test_a_deadline_typed_again_in_another_setting_changes_nothing_and_a_new_one_opens_entries(olga, bots, reader):
    make_tournament(bots)
    client = reader(olga)
    press(client, "start")
    kept = localtime(Tournament.objects.get().entries_close_at).strftime("%Y-%m-%dT%H:%M")
    sent = FORM | {"title": "Autumn Cup", "entries_close_at": kept}
    client.post(f"{DESK}edit/", sent | {"description": "Bring cake."})
    tournament = Tournament.objects.get()
    assert (tournament.state, tournament.description) == ("checking", "Bring cake.")
    later = localtime(now() + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M")
    answer = text_of(client.post(f"{DESK}edit/", sent | {"entries_close_at": later}, follow=True))
    assert state(tournament) == "open" and "Entries reopened" in answer


def test_workers_are_told_of_what_was_done(olga, bots, reader, messages, django_capture_on_commit_callbacks):
    make_tournament()
    with django_capture_on_commit_callbacks(execute=True):
        press(reader(olga), "organise/enter", bot=bots[0].slug)
    assert len(messages()) == 1


def test_it_is_paused_resumed_and_cancelled_with_reasons(olga, bots, reader):
    client, tournament = reader(olga), begin(bots)
    assert "Tournament paused." in press(client, "pause", reason="A machine  is\ndown.")
    assert "Reason: A machine is down." in text_of(client.get(f"{DESK}organise/"))
    assert "You can pause a tournament only while" in press(client, "pause")
    assert "Tournament resumed." in press(client, "resume") and state(tournament) == "running"
    assert "Tournament cancelled." in press(client, "cancel") and state(tournament) == "cancelled"
    assert "The tournament has already ended." in press(client, "cancel")
    desk = client.get(f"{DESK}organise/")
    assert "The tournament was cancelled and can't be changed." in text_of(desk) and b"data-hx-get" not in desk.content


def test_a_round_is_replayed_after_it_was_said_what_is_lost(olga, bots, reader):
    client, tournament = reader(olga), play_round(begin(bots))
    desk = text_of(client.get(f"{DESK}organise/"))
    assert "Rounds 1 to 2 are paired again and replayed with new deals. Their current results no longer count." in desk
    assert "Round 2 is replayed with new deals. Its current results no longer count." in desk
    assert "Round 1 is being replayed." in press(client, "rounds/1/rerun", reason="A wrong version")
    assert not Round.objects.latest_attempts().filter(tournament=tournament).exists()
    assert {str(round.replay_reason) for round in tournament.rounds.all()} == {"A wrong version"}
    assert "Round 7 hasn't started" in press(client, "rounds/7/rerun")


def test_bots_are_taken_out_and_disqualifying_needs_a_reason(olga, bots, reader):
    client, tournament = reader(olga), begin(bots)
    first, second = tournament.entrants.order_by("number")[:2]
    assert "Bot 1 has been withdrawn." in press(client, f"entrants/{first.pk}/withdraw", reason="By mistake")
    assert "Give a reason" in press(client, f"entrants/{second.pk}/disqualify")
    assert "Bot 2 has been disqualified." in press(client, f"entrants/{second.pk}/disqualify", reason="Copied")
    states = [(one.state, str(one.state_reason)) for one in tournament.entrants.order_by("number")[:2]]
    assert states == [("withdrawn", "By mistake"), ("disqualified", "Copied")]
    desk = text_of(client.get(f"{DESK}organise/"))
    assert "disqualified View check match (Bot 2 v1) Copied out from round 1 on" in desk
    assert client.post(f"{DESK}entrants/987/disqualify/").status_code == 404


def test_only_drafts_are_deleted(olga, reader):
    client, tournament = reader(olga), make_tournament()
    assert "Only a draft or a cancelled tournament can be deleted" in press(client, "delete")
    Tournament.objects.update(state="draft")
    gone = client.post(f"{DESK}delete/", follow=True)
    assert gone.redirect_chain == [("/tournaments/", 302)] and "Tournament deleted." in text_of(gone)
    assert not Tournament.objects.filter(pk=tournament.pk).exists()


def test_a_poll_brings_how_it_stands(olga, bots, reader):
    begin(bots)
    client = reader(olga)
    part = client.get(f"{DESK}organise/", headers={"HX-Request": "true"})
    assert b"<html" not in part.content and "0 of 2 in this round" in text_of(part)
    again = {"HX-Request": "true", "If-None-Match": part["ETag"]}
    assert client.get(f"{DESK}organise/", headers=again).status_code == 304
    Match.objects.filter(pairing_match__isnull=False).update(state=Match.State.RUNNING)
    Tournament.objects.update(state="cancelled")
    assert client.get(f"{DESK}organise/", headers={"HX-Request": "true"}).status_code == 286


def test_the_desk_asks_as_often_for_many_as_for_few(olga, reader, django_assert_num_queries):
    bots, client = make_bots(8), reader(olga)
    few, many = play_round(begin(bots[:4])), play_round(begin(bots))
    client.get(DESK)  # the first page of a session notes when it was seen
    with CaptureQueriesContext(connection) as asked:
        client.get(f"{few.get_absolute_url()}organise/")
    with django_assert_num_queries(len(asked)):
        client.get(f"{many.get_absolute_url()}organise/")

"""Versions on trial that enter, late entries, deadlines that change, and rounds that can't be drawn."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.bots.services import add_version, create_bot, record_trial_result, reject_build
from arena.contests.tournaments.document import list_problems, read_document
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.overview import fetch_overview
from arena.contests.tournaments.phases import explain_missing_rounds
from arena.contests.tournaments.services.access import EntryRule
from arena.contests.tournaments.services.entering import approve_entry, enter, invite_entrants, withdraw
from arena.contests.tournaments.services.organising import build_plan, close_entries, create, edit, open_entries
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.services.trials import follow_trial, leave_out_trials
from arena.contests.tournaments.settings import Settings
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.groups.models import Membership
from arena.people.groups.services import create_group
from arena.people.notices.models import Notice
from engine.message import Message, literal
from tests.arena.contests.tournaments.world import (
    make_bots,
    make_tournament,
    pass_checks,
    play_out,
    play_round,
    start_worker,
)
from tests.conftest import FIRST_LEGAL

pytestmark = pytest.mark.django_db


def upload(bot: Bot, state: str = BotVersion.State.ON_TRIAL) -> BotVersion:
    """Upload another version, whose trial hasn't ended."""
    files = {"bot.py": FIRST_LEGAL + f"\n# {bot.slug} {bot.versions.count()}\n".encode()}
    return add_version(bot=bot, files=files, state=BotVersion.State(state))


@pytest.fixture
def wren(ana) -> Bot:
    """A bot of ana whose only version is on trial."""
    bot = create_bot(owner=ana, name="Wren", game="battleline")
    upload(bot)
    return bot


def end_trial(version: BotVersion, fault: Message | None = None) -> None:
    assert record_trial_result(version=version, fault=fault)
    version.refresh_from_db()
    for tournament in follow_trial(version=version):
        advance_tournament(tournament=tournament)


def entry(bot: Bot) -> Entrant:
    return Entrant.objects.select_related("version").get(bot=bot)


def told(bot: Bot) -> str:
    """All that the owner of a bot has been told, the newest first."""
    return " ".join(str(notice) for notice in Notice.objects.filter(user=bot.owner))


def told_to(tournament: Tournament) -> str:
    return " ".join(str(notice) for notice in Notice.objects.filter(user=tournament.organiser))


def decisions(tournament: Tournament) -> list[tuple[str, str]]:
    return [(str(act.text), act.reason) for act in tournament.acts.filter(is_public=True)]


def close(tournament: Tournament) -> Tournament:
    close_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    return tournament


def test_a_bot_on_trial_waits_for_its_trial_and_is_checked_then(wren):
    tournament = make_tournament(make_bots(2), max_entrants=3)
    assert enter(tournament=tournament, bot=wren, user=wren.owner).state == "on_trial"
    with pytest.raises(Conflict, match="full"):
        enter(tournament=tournament, bot=make_bots(1, name="Other")[0], user=tournament.organiser)
    pass_checks(tournament)
    assert entry(wren).state == "on_trial" and not entry(wren).checks.exists()
    end_trial(wren.versions.get())
    assert entry(wren).state == "checking" and entry(wren).checks.count() == 1
    pass_checks(tournament)
    assert entry(wren).state == "ready"


def test_one_refused_in_its_trial_is_told_of_and_another_version_takes_its_place(wren):
    tournament = make_tournament(make_bots(2))
    enter(tournament=tournament, bot=wren, user=wren.owner)
    end_trial(wren.versions.get(), literal("Illegal in leg 1 of its trial."))
    assert entry(wren).state == "failed"
    assert str(entry(wren).state_reason) == "Version 1 failed its trial. Illegal in leg 1 of its trial."
    assert "Wren v1 failed its trial, so it isn't playing in Autumn Cup." in told(wren)
    assert "Upload a better version before entries close." in told(wren)
    assert "your tournament Autumn Cup. Illegal in leg 1" in told_to(tournament)
    count = Notice.objects.count()
    advance_tournament(tournament=tournament)
    assert Notice.objects.count() == count, "it is told once"
    end_trial(upload(wren))
    assert (entry(wren).version.number, entry(wren).state, entry(wren).state_reason) == (2, "checking", None)


def test_a_version_that_cannot_be_built_is_refused_too(ana, messages):
    bot = create_bot(owner=ana, name="Wren", game="battleline")
    version = upload(bot, BotVersion.State.BUILDING)
    tournament = make_tournament()
    assert enter(tournament=tournament, bot=bot, user=ana).state == "on_trial"
    reject_build(version=version, detail=literal("Secret output."), log="")
    version.refresh_from_db()
    assert follow_trial(version=version) == [tournament]
    assert str(entry(bot).state_reason) == "Version 1 failed its trial. It couldn't be built."
    assert "Secret output" not in told_to(tournament)


def test_an_older_version_plays_where_the_newest_is_refused(ana, wren):
    """Both were on trial when it entered, so the newest is in."""
    first, second = wren.versions.get(), upload(wren)
    tournament = make_tournament()
    assert enter(tournament=tournament, bot=wren, user=ana).version == second
    end_trial(first)
    assert entry(wren).version == second and entry(wren).state == "on_trial"
    end_trial(second, literal("Crash."))
    assert (entry(wren).version, entry(wren).state) == (first, "checking")
    assert "Wren v2 failed its trial, so version 1 plays in Autumn Cup." in told(wren)


def test_a_moderated_entry_on_trial_waits_for_both(wren):
    tournament = make_tournament()
    Tournament.objects.update(are_entries_moderated=True)
    entrant = enter(tournament=tournament, bot=wren, user=wren.owner)
    assert entrant.state == "waiting"
    end_trial(wren.versions.get(), literal("Crash."))
    assert entry(wren).state == "waiting" and "failed its trial" in str(entry(wren).state_reason)
    with pytest.raises(Conflict, match="needs another version"):
        approve_entry(entrant=entrant, organiser=tournament.organiser)
    better = upload(wren)
    enter(tournament=tournament, bot=wren, user=wren.owner, version=better)
    assert approve_entry(entrant=entrant, organiser=tournament.organiser).state == "on_trial"
    end_trial(better)
    assert entry(wren).state == "checking"


def test_the_start_waits_for_a_trial_and_goes_on_with_its_end(wren):
    tournament = make_tournament(make_bots(2))
    enter(tournament=tournament, bot=wren, user=wren.owner)
    pass_checks(tournament)
    assert close(tournament).state == "checking"
    end_trial(wren.versions.get())
    pass_checks(tournament)
    tournament.refresh_from_db()
    assert tournament.state == "running" and entry(wren).number is not None


def test_organisers_start_without_a_trial_and_say_why(wren):
    bots = make_bots(2)
    tournament = make_tournament(bots)
    enter(tournament=tournament, bot=wren, user=wren.owner)
    pass_checks(tournament)
    newer = upload(bots[0])
    BotVersion.objects.filter(pk=newer.pk).update(created_at=now() - timedelta(seconds=1))
    close(tournament)
    organiser = tournament.organiser
    with pytest.raises(ArenaError, match="reason"):
        leave_out_trials(tournament=tournament, organiser=organiser, reason=" ")
    leave_out_trials(tournament=tournament, organiser=organiser, reason="The lesson ends.")
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.state == "running"
    assert (entry(wren).state, entry(wren).number, entry(wren).skipped_version) == ("failed", None, 1)
    assert (entry(bots[0]).version.number, entry(bots[0]).skipped_version) == (1, 2)
    assert str(entry(bots[0]).state_reason) == "Version 2 was left out: its trial wasn't finished."
    said = decisions(tournament)
    assert ("Wren, version 1: left out, trial not finished", "The lesson ends.") in said
    assert ("Bot 1, version 2: left out, trial not finished", "The lesson ends.") in said
    assert "Wren v1 was left out of Autumn Cup because its trial wasn't finished. The lesson ends." in told(wren)
    end_trial(newer)
    assert entry(bots[0]).version.number == 1
    with pytest.raises(Conflict, match="isn't waiting for any trial"):
        leave_out_trials(tournament=tournament, organiser=organiser, reason="Again.")


@pytest.mark.parametrize("cause", ["language", "held back"])
def test_a_trial_that_no_machine_can_end_is_waited_for_a_while_then_left_out_by_the_arena(wren, cause):
    tournament = make_tournament(make_bots(2))
    enter(tournament=tournament, bot=wren, user=wren.owner)
    pass_checks(tournament)
    if cause == "language":
        BotVersion.objects.filter(bot=wren).update(language="java")
    else:
        BotVersion.objects.filter(bot=wren).update(held_back_at=now())
    close(tournament)
    start_worker(report={"languages": [{"key": "python", "version": "3.11"}]})
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.state == "checking"
    Tournament.objects.update(entries_close_at=now() - timedelta(minutes=16))
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.state == "running" and entry(wren).state == "failed"
    act = tournament.acts.get(act="entry.leave_out")
    assert act.is_public and act.actor is None and "No machine in this arena could finish it." in str(act.text)
    assert "left out of Autumn Cup" in told(wren) and "your tournament" in told_to(tournament)


def test_a_trial_that_gets_on_is_waited_for_longer(wren):
    tournament = make_tournament(make_bots(2))
    enter(tournament=tournament, bot=wren, user=wren.owner)
    pass_checks(tournament)
    close(tournament)
    start_worker(report={"languages": [{"key": "python", "version": "3.11"}]})
    Tournament.objects.update(entries_close_at=now() - timedelta(hours=2))
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.state == "checking" and entry(wren).state == "on_trial"


# Late entries.


def test_organisers_enter_late_bots_with_a_public_reason_until_the_first_round(ana, wren):
    bots = make_bots(3)
    tournament = make_tournament(bots[:2])
    close(tournament)
    organiser = tournament.organiser
    late = {"tournament": tournament, "bot": bots[2]}
    with pytest.raises(Conflict, match="isn't open for entries"):
        enter(**late, user=bots[2].owner, reason="I was ill.")
    with pytest.raises(ArenaError, match="Entries are closed, so give a reason"):
        enter(**late, user=organiser)
    entrant = enter(**late, user=organiser, reason="The bus was late.")
    assert entrant.entered_late and not entrant.updates_automatically and entrant.state == "checking"
    with pytest.raises(Conflict, match="is already entered"):
        enter(**late, user=organiser, reason="Again.")
    assert "Bot 3 v1 was entered late in Autumn Cup. The bus was late." in told(bots[2])
    said = decisions(tournament)
    assert ("Bot 3, version 1, entered late", "The bus was late.") in said
    pass_checks(tournament)
    tournament.refresh_from_db()
    assert tournament.state == "running" and entry(bots[2]).number is not None
    with pytest.raises(Conflict, match="isn't open for entries"):
        enter(tournament=tournament, bot=wren, user=organiser, reason="Too late.")


def test_the_start_waits_for_the_trial_of_a_late_entry_and_verification_wants_the_reason(wren):
    tournament = make_tournament(make_bots(2))
    close(tournament)
    enter(tournament=tournament, bot=wren, user=tournament.organiser, reason="Its author was ill.")
    pass_checks(tournament)
    tournament.refresh_from_db()
    assert tournament.state == "checking"
    end_trial(wren.versions.get())
    pass_checks(tournament)
    tournament.refresh_from_db()
    play_out(tournament)
    document = Client().get(f"/tournaments/{tournament.slug}/tournament.json").json()
    assert {one["name"] for one in document["entrants"] if one["entered_late"]} == {"Wren"}
    assert list(list_problems(read_document(document))) == []
    document["decisions"] = [one for one in document["decisions"] if "Wren" not in one["text"]]
    unsaid = "Wren was entered after entries had closed, and no decision says why"
    assert list(list_problems(read_document(document))) == [unsaid]


def test_another_version_takes_the_place_of_a_refused_one_by_the_organiser(ana, wren):
    tournament = make_tournament(make_bots(2))
    enter(tournament=tournament, bot=wren, user=ana)
    pass_checks(tournament)
    close(tournament)
    Tournament.objects.update(entries_close_at=now() - timedelta(seconds=5))
    end_trial(wren.versions.get(), literal("Crash."))
    tournament.refresh_from_db()
    assert tournament.state == "running"
    tournament = make_tournament([], title="Other")
    enter(tournament=tournament, bot=wren, user=ana, version=upload(wren))
    tournament = close(tournament)
    assert tournament.state == "checking"
    better = upload(wren)
    end_trial(better)
    entrant = enter(tournament=tournament, bot=wren, user=tournament.organiser, reason="Agreed in class.")
    assert entrant.version == better and entrant.entered_late


# Deadlines that change while versions are frozen.


def test_another_deadline_after_entries_have_closed_opens_them_again_and_says_so(wren):
    bots = make_bots(2)
    tournament = make_tournament(bots)
    enter(tournament=tournament, bot=wren, user=wren.owner)
    pass_checks(tournament)
    close(tournament)
    later = upload(bots[0])
    end_trial(later)
    assert entry(bots[0]).version.number == 1, "it came after the deadline"
    plan = build_plan(tournament)
    organiser = tournament.organiser
    with pytest.raises(ArenaError, match="in the past"):
        edit(tournament=tournament, organiser=organiser, plan=replace(plan, entries_close_at=now() - timedelta(days=1)))
    until = now() + timedelta(hours=1)
    edit(tournament=tournament, organiser=organiser, plan=replace(plan, entries_close_at=until), reason="Power cut.")
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert (tournament.state, tournament.entries_close_at) == ("open", until)
    assert ("Entries reopened", "Power cut.") in decisions(tournament)
    assert entry(bots[0]).version == later and entry(wren).state == "on_trial"
    assert "Entries for Autumn Cup are open again, so Bot 1 v2 replaces version 1." in told(bots[0])


def test_other_changes_leave_entries_closed(wren):
    tournament = make_tournament([*make_bots(2)])
    enter(tournament=tournament, bot=wren, user=wren.owner)
    tournament = close(tournament)
    plan = replace(build_plan(tournament), description="Bring cake.")
    assert edit(tournament=tournament, organiser=tournament.organiser, plan=plan).state == "checking"


def test_what_was_left_out_waits_again_once_entries_are_open_again(wren):
    tournament = make_tournament(make_bots(1))
    enter(tournament=tournament, bot=wren, user=wren.owner)
    pass_checks(tournament)
    close(tournament)
    leave_out_trials(tournament=tournament, organiser=tournament.organiser, reason="The lesson ends.")
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert tournament.state == "paused", "one bot alone can't play"
    open_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    assert (entry(wren).state, entry(wren).skipped_version) == ("on_trial", None)


# Rounds that can't be drawn.


@pytest.mark.parametrize(
    ("bots", "rounds", "said"),
    [
        (6, 9, "Without repeat pairings, 6 bots can play at most 5 of the 9 planned rounds; only 3 are guaranteed."),
        (
            6,
            4,
            "Without repeat pairings, only 3 of the 4 planned Swiss rounds are guaranteed with 6 bots; the rest may "
            "not be played.",
        ),
        (6, 3, ""),
        (4, 3, ""),
        (3, 3, ""),
        (7, 4, ""),
        (60, None, ""),
    ],
)
def test_what_a_swiss_can_draw_is_said_before(bots, rounds, said):
    for key in ("swiss", "swiss-knockout"):
        settings = Settings(format=key, rounds=rounds)
        assert str(explain_missing_rounds(FORMATS[key], bots, settings) or "") == said
    assert explain_missing_rounds(FORMATS["round-robin"], bots, Settings(format="round-robin", rounds=rounds)) is None


def test_a_swiss_that_ends_early_says_so_when_entries_close_and_at_its_end():
    tournament = make_tournament(make_bots(4), Settings(rounds=9))
    expected = "Without repeat pairings, 4 bots can play at most 3 of the 9 planned rounds; only 3 are guaranteed."
    close(tournament)
    client = Client()
    assert expected in client.get(tournament.get_absolute_url()).content.decode()
    client.force_login(tournament.organiser)
    desk = client.get(f"{tournament.get_absolute_url()}organise/").content.decode()
    assert "Not all planned rounds can be paired" in desk and expected in desk
    pass_checks(tournament)
    assert expected in told_to(tournament)
    tournament.refresh_from_db()
    play_out(tournament)
    ended = "Only 3 of 9 planned Swiss rounds were played: another round would have repeated a pairing or a bye"
    assert ended in client.get(tournament.get_absolute_url()).content.decode()
    assert ended in client.get(f"{tournament.get_absolute_url()}print/").content.decode()
    assert client.get(f"{tournament.get_absolute_url()}tournament.json").json()["missing_rounds"].startswith(ended)
    assert client.get(f"/api/v1/tournaments/{tournament.slug}/").json()["missing_rounds"].startswith(ended)


def test_a_knockout_keeps_the_sentence_about_the_swiss_before_it():
    settings = Settings(format="swiss-knockout", rounds=7, knockout_size=2)
    tournament = make_tournament(make_bots(4), settings)
    close(tournament)
    pass_checks(tournament)
    tournament.refresh_from_db()
    for _ in range(3):
        assert "are guaranteed" in str(fetch_overview(tournament).missing_rounds)
        play_round(tournament)
    assert "Only 3 of 7 planned" in str(fetch_overview(tournament).missing_rounds), "the final is played"
    play_out(tournament)
    assert "Only 3 of 7 planned" in str(fetch_overview(tournament).missing_rounds)


# Invitations.


def plan_next(source: Tournament, **access) -> Tournament:
    """Plan the next tournament of a series, with the bots of the last one invited."""
    plan = replace(build_plan(source), title="Next Cup", entries_close_at=None)
    plan = replace(plan, access=replace(plan.access, **access))
    made = create(organiser=source.organiser, plan=plan)
    invite_entrants(tournament=made, organiser=source.organiser, source=source)
    return made


def open_for_invited(tournament: Tournament) -> None:
    open_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)


def test_the_bots_of_a_tournament_are_invited_to_the_next_and_nothing_is_entered_without_its_author(ana, house):
    bots, sample = make_bots(2), make_bots(1, owner=house, name="Sample")
    source = make_tournament([*bots, *sample])
    withdraw(entrant=entry(bots[1]), user=bots[1].owner)
    made = plan_next(source)
    assert list(made.invitations.values_list("bot__name", flat=True)) == ["Bot 1"]
    assert "invited" not in told(bots[0]), "it is a draft"
    open_for_invited(made)
    advance_tournament(tournament=made)
    said = Notice.objects.get(user=bots[0].owner, event="tournament.reminder")
    assert str(said) == "Bot 1 is invited to Next Cup. You can enter it with one click."
    assert said.url == f"/tournaments/{made.slug}/enter/" and not made.entrants.exists()
    assert not made.acts.filter(act="entry.late").exists()
    with pytest.raises(NotYours):
        invite_entrants(tournament=made, organiser=ana, source=source)


def test_who_is_invited_needs_no_code_and_is_on_the_list(ana):
    bots = make_bots(2)
    source = make_tournament(bots)
    by_code = plan_next(source, entry_rule=EntryRule.CODE)
    open_for_invited(by_code)
    enter(tournament=by_code, bot=bots[0], user=bots[0].owner)
    by_list = plan_next(source, entry_rule=EntryRule.LIST, permitted_authors=(ana.username,))
    open_for_invited(by_list)
    enter(tournament=by_list, bot=bots[1], user=bots[1].owner)


def test_members_alone_are_invited_to_what_a_group_sees(ana):
    bots = make_bots(2)
    source = make_tournament(bots)
    group = create_group(owner=source.organiser, name="Class")
    Membership.objects.create(group=group, user=bots[0].owner)
    open_for_invited(plan_next(source, group=group, visibility="group", entry_rule=EntryRule.GROUP))
    assert "invited" in told(bots[0]) and "invited" not in told(bots[1])

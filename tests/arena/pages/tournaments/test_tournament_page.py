"""The page of a tournament from the draft to its end, and its rounds."""

import re
from dataclasses import asdict
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.bots.teams import accept_invitation, invite_author
from arena.contests.tournaments.models import Entrant, PairingMatch, Tournament
from arena.contests.tournaments.overview import fetch_matches, fetch_overview
from arena.contests.tournaments.queries import list_podium_places
from arena.contests.tournaments.services.entering import disqualify, withdraw
from arena.contests.tournaments.services.forecasting import store_forecast
from arena.contests.tournaments.services.organising import (
    cancel,
    close_entries,
    pause,
    replay_rounds,
)
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.standings import TIE_BREAKS
from arena.matches.models import Match
from arena.pages.formatting import format_bound, format_range
from arena.pages.serving import HTTP_STOP_POLLING
from arena.pages.tournaments import words
from arena.pages.tournaments.tournament_page import find_deciding_match
from tests.arena.contests.tournaments.world import (
    begin,
    finish,
    make_bots,
    make_tournament,
    pass_checks,
    play_out,
    play_round,
    start_worker,
    waiting,
)

pytestmark = pytest.mark.django_db
PAGES = ("", "print/", "standings.csv", "tournament.json")


def run(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(state=Match.State.RUNNING, started_at=now())


def test_before_it_starts_the_entrants_are_shown_with_their_checks(ask, text_of):
    bots = make_bots(3)
    tournament = make_tournament(bots, description="For all.", entries_close_at=now() + timedelta(days=1))
    page = text_of(ask(tournament))
    assert "For all." in page and "Entries are open until" in page and page.count("checking") == 3
    Tournament.objects.update(entries_close_at=None)
    assert "until the organiser starts the tournament" in text_of(ask(tournament))
    pass_checks(tournament, failing=bots[:1])
    page = text_of(ask(tournament))
    assert page.count("ready") >= 2 and "Crashed during its check." in page
    assert "It ended." not in page


def test_checks_are_waited_for(ask, text_of):
    tournament = make_tournament(make_bots(3))
    close_entries(tournament=tournament, organiser=tournament.organiser)
    tournament.entrants.filter(bot__slug="bot-1").update(state=Entrant.State.READY)
    assert "The tournament starts when all checks are done: 1 of 3 so far." in text_of(ask(tournament))


def test_authors_are_led_to_the_entry_and_the_organiser_to_the_desk(ask, eva):
    tournament = make_tournament(make_bots(2))

    def offers(user) -> list[bool]:
        html = ask(tournament, user=user).content.decode()
        return [f"{tournament.get_absolute_url()}{page}/" in html for page in ("enter", "organise")]

    assert offers(None) == [False, False]
    assert offers(eva) == [True, False]
    assert offers(tournament.organiser) == [True, True]
    close_entries(tournament=tournament, organiser=tournament.organiser)
    assert offers(eva) == [False, False]


def test_while_it_runs_matches_and_the_queue_are_shown(ask, text_of):
    tournament = begin(make_bots(6))
    first, second, _third = waiting(tournament)
    run(first)
    answer = ask(tournament)
    page = text_of(answer)
    assert f'href="/matches/{first.pk}/"' in answer.content.decode()
    assert "0 of 3 pairings finished." in page and "1 of 3" in page
    names = " v ".join(one.version.bot.name for one in second.participants.all())
    assert f"Next: {names}" in page


def test_the_live_part_is_sent_while_it_changes(ask):
    tournament = begin(make_bots(2), Settings(format="single-elimination"))
    first = ask(tournament, hx_request="true")
    assert first.status_code == 200 and b"<html" not in first.content
    again = ask(tournament, hx_request="true", if_none_match=first["ETag"])
    assert again.status_code == 304
    play_out(tournament)
    last = ask(tournament, hx_request="true", if_none_match=first["ETag"])
    assert last.status_code == HTTP_STOP_POLLING and last["HX-Refresh"] == "true", "the rest has changed, too"


def test_what_is_kept_for_others_is_not_stale(reader):
    tournament = begin(make_bots(4))
    client = reader(None)
    before = client.get(tournament.get_absolute_url())
    finish(waiting(tournament)[0], [1, 2])
    advance_tournament(tournament=tournament)
    after = client.get(tournament.get_absolute_url())
    assert "0 of 2 pairings" in before.content.decode() and "1 of 2 pairings" in after.content.decode()


def test_the_standings_tell_places_scores_and_what_breaks_ties(ask, text_of):
    tournament = play_out(begin(make_bots(4)))
    answer = ask(tournament)
    page = text_of(answer)
    assert "Bot 1 has won." in page and "3–0–0" in page
    for title, explanation in words.TIE_BREAK_TEXTS.values():
        assert str(title) in page and str(explanation) in page
    drawn = re.findall(r'<td class="rank">(\d+)</td>', answer.content.decode())
    assert drawn == ["1", "2", "3", "4"]


def test_the_words_of_tie_breaks_are_those_of_the_standings():
    assert [(key, title, said) for key, title, said in TIE_BREAKS] == words.list_tie_breaks()


def test_who_left_is_marked_with_the_reason(ask, text_of):
    tournament = begin(make_bots(5))
    organiser = tournament.organiser
    one, other = tournament.entrants.filter(number__in=(2, 3)).order_by("number")
    withdraw(entrant=one, user=one.bot.owner, reason="It has a bug.")
    disqualify(entrant=other, organiser=organiser, reason="It is a copy.")
    page = text_of(ask(tournament))
    assert "withdrawn" in page and "It has a bug." in page and "disqualified" in page and "It is a copy." in page
    assert "2 have left" in page


def test_chances_are_a_column_until_it_is_over(ask, text_of):
    tournament = begin(make_bots(2), Settings(format="single-elimination"))
    hope = {"1": {"win": 0.755, "podium": 1.0, "place": 1.2}, "2": {"win": 0.004, "podium": 1.0, "place": 1.8}}
    Tournament.objects.update(forecast=hope)
    page = ask(tournament).content.decode()
    assert '<meter min="0" max="1" value="0.755" aria-hidden="true">' in page and "&lt;1%" in page
    play_out(tournament)
    assert "<meter" not in ask(tournament).content.decode()


NO_FORECAST = "No forecast yet: the ratings are too uncertain to tell the bots apart."


def test_why_there_are_no_chances_is_said_until_it_is_over(ask, text_of):
    tournament = make_tournament(make_bots(2), Settings(format="single-elimination"))
    pass_checks(tournament)
    assert NO_FORECAST not in text_of(ask(tournament))
    store_forecast(tournament=tournament)
    assert NO_FORECAST in text_of(ask(tournament))
    close_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    assert NO_FORECAST in text_of(ask(tournament))
    assert NO_FORECAST not in text_of(ask(play_out(tournament)))


@pytest.mark.parametrize("rest", ["", "organise/", "projector/"])
def test_without_a_machine_the_pages_say_so_in_the_place_of_an_estimate(ask, text_of, rest):
    tournament = begin(make_bots(4))
    page = text_of(ask(tournament, rest, tournament.organiser))
    assert "No machine is playing matches." in page and "less than a minute" not in page
    start_worker()
    page = text_of(ask(tournament, rest, tournament.organiser))
    assert "No machine is playing matches." not in page and "less than a minute" in page


def test_before_the_draw_the_pages_say_how_long_it_takes_at_most(ask, text_of):
    bots = make_bots(4)
    start_worker()
    tournament = make_tournament(bots, Settings(format="round-robin", matches_per_pairing=9))
    pass_checks(tournament, seconds=dict.fromkeys(bots, 5.0))
    bound = re.compile(r"at most \d+ (minutes|hours) with 4 bots if every bot uses its full clock")
    for rest in ("", "organise/"):
        page = text_of(ask(tournament, rest, tournament.organiser))
        assert bound.search(page) and re.search(r"about \d+ to \d+ minutes", page)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    assert "full clock" not in text_of(ask(tournament))


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (2, 20, "less than a minute"),
        (10, 50, "less than a minute"),
        (10, 100, "less than 2 minutes"),
        (60, 70, "about 1 minute"),
        (65, 170, "about 1 to 3 minutes"),
        (20, 7200, "less than 2 hours"),
        (1200, 9000, "about 20 minutes to 2 hours"),
        (7000, 7400, "about 2 hours"),
        (7200, 14400, "about 2 to 4 hours"),
    ],
)
def test_a_range_of_time_is_written_in_round_numbers(low, high, said):
    assert format_range(low, high) == said


def test_a_bound_of_time_is_rounded_up():
    assert [format_bound(s) for s in (1, 60, 61, 5340, 5401)] == [
        "1 minute", "1 minute", "2 minutes", "89 minutes", "2 hours",
    ]  # fmt: skip


def test_of_a_large_field_the_first_are_shown_at_first(ask, monkeypatch, text_of):
    monkeypatch.setattr("arena.pages.tournaments.tournament_page.ROWS_SHOWN", 2)
    tournament = begin(make_bots(5))

    def shown(rest: str = "") -> int:
        html = ask(tournament, rest).content.decode()
        return html.partition('id="standings-box"')[2].partition("</table>")[0].count('<td class="rank">')

    assert (shown(), shown("?all=1")) == (2, 5)
    assert "and 3 more" in text_of(ask(tournament))


def test_ones_own_bots_are_stressed(ask):
    bots = make_bots(3)
    invite_author(bot=bots[0], by=bots[0].owner, user=bots[1].owner)
    bots[0] = accept_invitation(bot=bots[0], user=bots[1].owner)
    tournament = make_tournament(bots)
    assert ask(tournament, user=bots[0].owner).content.decode().count('<tr class="mine">') == 1
    assert ask(tournament, user=bots[1].owner).content.decode().count('<tr class="mine">') == 2
    close_entries(tournament=tournament, organiser=tournament.organiser)
    pass_checks(tournament)
    assert ask(tournament, user=bots[0].owner).content.decode().count('<tr class="mine">') == 1
    assert '<tr class="mine">' not in ask(tournament).content.decode()


def test_paused_and_cancelled_tell_why(ask, text_of):
    tournament = begin(make_bots(2))
    pause(tournament=tournament, organiser=tournament.organiser, reason="The power is out.")
    assert "The power is out." in text_of(ask(tournament))
    cancel(tournament=tournament, organiser=tournament.organiser, reason="It does not come back.")
    page = text_of(ask(tournament))
    assert "It does not come back." in page and "because the tournament was cancelled" in page


def test_the_secret_is_told_in_the_end(ask):
    tournament = begin(make_bots(2))
    for rest in PAGES:
        assert tournament.secret not in ask(tournament, rest).content.decode()
    assert tournament.commitment in ask(tournament).content.decode()
    play_out(tournament)
    assert tournament.secret in ask(tournament).content.decode()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(), ("no pair meets twice", "A pairing is 1 match.", "A won pairing scores 1, a tied one ½.")),
        (
            Settings(matches_per_pairing=3, scoring="game_points"),
            ("A pairing is 3 matches.", "the sum of all legs' game points"),
        ),
        (
            Settings(format="single-elimination", matches_per_pairing=3),
            (
                "best of 3 and ends once it's decided",
                "up to 2 more matches are played",
                "more game points advances, then the better seed",
            ),
        ),
        (Settings(format="groups"), ("2 groups play, and the best 2 of each advance", "A pairing is 1 match.")),
        (Settings(seats=4), ("4 legs on the same deal", "share of opponents it finished ahead of")),
        (Settings(format="tables"), ("every pair meets about equally often",)),
    ],
)
def test_the_settings_are_described_in_sentences(settings, said):
    tournament = Tournament(settings={key: value for key, value in asdict(settings).items() if key != "seed"})
    told = " ".join(words.describe_settings(tournament))
    for sentence in said:
        assert sentence in told


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (0.5, "½"), (2, "2"), (2.5, "2½"), (1 / 3, "0.33"), (None, "–")])
def test_halves_are_written_as_people_do(value, text):
    assert words.format_points(value) == text


def test_a_round_shows_its_pairings_and_leads_to_their_matches(ask, text_of):
    tournament = begin(make_bots(3))
    match = waiting(tournament)[0]
    page = ask(tournament, "rounds/1/")
    assert f'href="/matches/{match.pk}/"' in page.content.decode()
    assert "bye" in text_of(page) and "Queued" in text_of(page)
    finish(match, [1, 2])
    advance_tournament(tournament=tournament)
    assert f"Match {match.pk} 1–0" in text_of(ask(tournament, "rounds/1/"))
    assert ask(tournament, "rounds/9/").status_code == 404


def test_a_replayed_round_stays_visible(ask, text_of):
    tournament = play_round(begin(make_bots(4)))
    old = Match.objects.filter(pairing_match__pairing__round__number=1).first()
    replay_rounds(tournament=tournament, organiser=tournament.organiser, number=1, reason="A machine was slow.")
    advance_tournament(tournament=tournament)
    page = ask(tournament, "rounds/1/")
    assert "A machine was slow." in text_of(page) and f'href="/matches/{old.pk}/"' in page.content.decode()
    assert "A machine was slow." in text_of(ask(tournament))


def test_a_match_that_was_made_again_is_shown_as_such(ask, text_of):
    tournament = begin(make_bots(2))
    Match.objects.filter(pk=waiting(tournament)[0].pk).update(state=Match.State.VOID)
    advance_tournament(tournament=tournament)
    assert "doesn't count" in text_of(ask(tournament, "rounds/1/"))


def test_a_tie_in_a_knockout_tells_what_decided_it(ask, text_of):
    tournament = begin(make_bots(2), Settings(format="single-elimination", max_tiebreak_matches=0))
    finish(waiting(tournament)[0], [1, 1])
    advance_tournament(tournament=tournament)
    assert "the better seed advances" in text_of(ask(tournament, "rounds/1/"))


def test_paper_has_all_of_it_and_no_navigation(ask, text_of):
    tournament = play_out(begin(make_bots(4), Settings(format="groups")))
    page = ask(tournament, "print/")
    assert "<nav" not in page.content.decode() and "<script" not in page.content.decode()
    for words_of_it in ("Standings", "Group A", "Knockout", "Round 1", "Rules and scoring", tournament.commitment):
        assert words_of_it in text_of(page)


def test_what_is_asked_does_not_grow_with_the_tournament(ask):
    counted = [0]

    def count(execute, *rest):
        counted[0] += 1
        return execute(*rest)

    def queries(tournament) -> dict[str, int]:
        found = {}
        for rest in (*PAGES, "rounds/1/"):
            counted[0] = 0
            with connection.execute_wrapper(count):
                assert ask(tournament, rest).status_code == 200
            found[rest] = counted[0]
        return found

    bots = make_bots(8)
    for format in ("groups", "double-elimination"):
        small = play_round(begin(bots[:4], Settings(format=format), title=f"Small {format}"))
        large = play_round(play_round(begin(bots, Settings(format=format), title=f"Large {format}")))
        assert queries(large) == queries(small), format


def test_pages_that_were_drawn_in_another_state_are_loaded_whole(ask, reader):
    tournament = make_tournament(make_bots(2))
    client = reader(tournament.organiser)
    pages = (f"/tournaments/{tournament.slug}/", f"/tournaments/{tournament.slug}/enter/")
    polled = {"HX-Request": "true"}
    for page in pages:
        assert '"state": "open"' in client.get(page).text
        assert "HX-Refresh" not in client.get(page, {"state": "open"}, headers=polled)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    for page in pages:
        answer = client.get(page, {"state": "open"}, headers=polled)
        assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")
        assert "HX-Refresh" not in client.get(page, {"state": "checking"}, headers=polled)


# How a tournament ended, as its page and those of its bots tell it.

KNOCKOUT = Settings(format="single-elimination")


def decide_on(tournament: Tournament) -> int | None:
    overview = fetch_overview(tournament)
    fetch_matches(overview)
    decision = find_deciding_match(overview)
    return decision["match"] if decision else None


def test_a_knockout_is_decided_by_its_final() -> None:
    tournament = play_out(begin(make_bots(4), KNOCKOUT))
    final = PairingMatch.objects.filter(counts=True).order_by("-pairing__round__number").first()
    assert final is not None and decide_on(tournament) == final.match_id


def test_without_a_final_the_last_match_of_the_winner_decided() -> None:
    tournament = play_out(begin(make_bots(3), Settings(format="round-robin")))
    last = PairingMatch.objects.filter(pairing__seats__entrant__number=1).order_by("-pairing__round__number").first()
    assert last is not None and decide_on(tournament) == last.match_id


def test_the_page_leads_with_the_winner_once_there_is_one(client: Client) -> None:
    bots = make_bots(4)
    page = client.get(begin(bots, KNOCKOUT, title="Spring Cup").get_absolute_url()).content.decode()
    assert "wins Spring Cup" not in page
    page = client.get(play_out(begin(bots, KNOCKOUT)).get_absolute_url()).content.decode()
    assert page.index("Bot 1 wins Autumn Cup") < page.index("Winner") < page.index("Standings")


def test_a_bot_has_a_shelf_of_titles(client: Client) -> None:
    bots = make_bots(4)
    for title in ("Autumn Cup", "Winter Cup"):
        play_out(begin(bots, KNOCKOUT, title=title))
    begin(bots, KNOCKOUT, title="Spring Cup")
    make_tournament(bots, title="Summer Cup")
    winner, second, third, fourth = (Bot.objects.get(slug=f"bot-{number}") for number in range(1, 5))
    assert [(one.place, one.tournament.title) for one in list_podium_places(winner, 6)] == [
        (1, "Winter Cup"),
        (1, "Autumn Cup"),
    ]
    assert [one.place for bot in (second, third, fourth) for one in list_podium_places(bot, 1)] == [2, 3, 3]
    assert list_podium_places(winner, 1)[0].field_size == 4
    shelf = client.get(winner.get_absolute_url()).context["titles"]
    assert [one.tournament.title for one in shelf] == ["Winter Cup", "Autumn Cup"]

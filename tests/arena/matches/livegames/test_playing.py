"""Starting live games: seats, limits, links, the same deal again, series, and who keeps what."""

import zlib
from collections.abc import Callable
from datetime import timedelta
from random import Random

import orjson
import pytest
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.models import Bot, BotVersion
from arena.bots.services import offer_bot
from arena.core.errors import Conflict, NotYours
from arena.matches.filters import UnplayableRules
from arena.matches.lifecycle import list_expired_live_games
from arena.matches.livegames import position
from arena.matches.livegames.models import LiveGame, LiveHint
from arena.matches.livegames.playing import (
    MAX_TRIES,
    PersonSeat,
    Sitting,
    abandon_idle_games,
    adopt_guest_games,
    claim_hint,
    play_next_game,
    rematch,
    request_hint,
    requeue_lost_hints,
    resign,
    start_live_game,
    swap_seats,
    take_seat,
    take_step,
    undo_step,
)
from arena.matches.livegames.position import (
    CannotStart,
    ForbiddenAction,
    GameOver,
    GuestsMayNotPlay,
    LinkUsed,
    LivePlayer,
    NoHint,
    NotSeated,
    NotYourTurn,
    StaleTable,
    TooManyDecisions,
    TooManyGames,
    TooManyHints,
    fetch_entries,
)
from arena.matches.livegames.queries import (
    count_results,
    find_hint_asked,
    list_opponents,
    list_public_live_games,
    list_sample_games,
)
from arena.operations.lifecycle import anonymise_user, clean_up
from arena.people.accounts.models import User
from engine.analysis.evaluators import find_evaluator
from engine.analysis.grading import find_hint
from engine.replay import record_hash, verify
from tests.arena.live_hints import is_waiting, make_waiting_hint
from tests.arena.matches.livegames.conftest import AnswerAll, Start, see, step
from tests.conftest import MakeVersion
from tests.full import full_only

GUEST = LivePlayer.of_secret(None, "guest")
ADDRESS = "192.0.2.7"


def begin(
    player: LivePlayer, *seats: BotVersion | PersonSeat, game: str = "battleline", address: str = ADDRESS
) -> LiveGame:
    return start_live_game(player=player, sitting=Sitting(game, seats), address=address)


def test_authors_choose_who_may_play_their_bots(
    ana: User, ben: User, house_bot: BotVersion, make_version: MakeVersion
) -> None:
    own = make_version(ben, "Heron")
    everybody = [LivePlayer(), LivePlayer(ana), LivePlayer(ben)]

    def offered() -> list[bool]:
        return [own in list_opponents(player, "battleline") for player in everybody]

    assert all(house_bot in list_opponents(player, "battleline") for player in everybody)
    assert offered() == [False, False, True]
    offer_bot(bot=own.bot, owner=ben, played_by=Bot.PlayedBy.EVERYBODY)
    assert offered() == [True, True, True]
    offer_bot(bot=own.bot, owner=ben, played_by=Bot.PlayedBy.NOBODY)
    assert offered() == [False, False, False]
    with pytest.raises(NotYours):
        offer_bot(bot=own.bot, owner=ana, played_by=Bot.PlayedBy.EVERYBODY)
    newer = make_version(ben, "Heron")
    offer_bot(bot=own.bot, owner=ben, played_by=Bot.PlayedBy.EVERYBODY)
    assert newer in list_opponents(LivePlayer(), "battleline") and not offered()[0]


@pytest.mark.parametrize("count", [1, 3])
def test_a_table_has_as_many_seats_as_the_game(player: LivePlayer, house_bot: BotVersion, count: int) -> None:
    with pytest.raises(CannotStart):
        begin(player, PersonSeat.ME, *[house_bot] * (count - 1))


def test_one_seat_is_the_players_and_options_must_be_playable(player: LivePlayer, house_bot: BotVersion) -> None:
    for seats in ([PersonSeat.ME, PersonSeat.ME], [house_bot, house_bot]):
        with pytest.raises(CannotStart):
            begin(player, *seats)
    with pytest.raises(UnplayableRules):
        start_live_game(
            player=player, sitting=Sitting("battleline", [PersonSeat.ME, house_bot], options={"wind": 1}), address=""
        )


def test_open_games_are_limited(player: LivePlayer, ben: User, house_bot: BotVersion, settings) -> None:
    settings.MAX_LIVE_GAMES_PER_PERSON, settings.MAX_LIVE_GAMES_PER_ADDRESS = 2, 3
    first = begin(player, PersonSeat.ME, house_bot)
    begin(player, PersonSeat.ME, house_bot)
    with pytest.raises(TooManyGames, match="You have 2 unfinished games"):
        begin(player, PersonSeat.ME, house_bot)
    resign(game=first, player=player)
    begin(player, PersonSeat.ME, house_bot)
    begin(GUEST, PersonSeat.ME, house_bot)
    with pytest.raises(TooManyGames, match="from your network"):
        begin(LivePlayer(ben), PersonSeat.ME, house_bot)
    begin(LivePlayer(ben), PersonSeat.ME, house_bot, address="198.51.100.4")
    settings.MAX_LIVE_CPU_S_PER_ADDRESS = 0
    with pytest.raises(TooManyGames, match="minutes of bot time"):
        begin(LivePlayer(ben), PersonSeat.ME, house_bot, address="198.51.100.4")
    settings.GUESTS_PLAY = False
    with pytest.raises(GuestsMayNotPlay):
        begin(GUEST, PersonSeat.ME, house_bot, address="203.0.113.9")


def test_a_link_works_once(player: LivePlayer, ben: User, house_bot: BotVersion) -> None:
    game = begin(player, PersonSeat.LINK, PersonSeat.ME)
    assert game.state == LiveGame.State.SEATING
    link = game.seats.get(seat=0).link
    assert link is not None
    with pytest.raises(Conflict, match="already"):
        take_seat(link=link, player=player)
    game = take_seat(link=link, player=LivePlayer(ben))
    assert game.state == LiveGame.State.PLAYING and game.seat_to_act == 0
    for wrong in (link, "", "unknown"):
        with pytest.raises(LinkUsed):
            take_seat(link=wrong, player=GUEST)


def test_the_same_deal_is_played_with_swapped_seats_once(start: Start, player: LivePlayer, ben: User) -> None:
    game = start()
    with pytest.raises(CannotStart):
        swap_seats(game=game, player=player, address=ADDRESS)
    resign(game=game, player=player)
    game.refresh_from_db()
    again = swap_seats(game=game, player=player, address=ADDRESS)
    assert again.deal == game.deal and again.salt != game.salt
    assert [seat.version is None for seat in again.seats.all()] == [False, True]
    assert swap_seats(game=game, player=player, address=ADDRESS) == again
    with pytest.raises(CannotStart):
        swap_seats(game=game, player=LivePlayer(ben), address=ADDRESS)


def test_a_series_goes_on_with_the_winner_first(start: Start, player: LivePlayer) -> None:
    game = start(series={"games": 2})
    resign(game=game, player=player)
    game.refresh_from_db()
    second = play_next_game(game=game, player=player, address=ADDRESS)
    assert second.deal != game.deal and second.series_number == 2
    assert [seat.version is None for seat in second.seats.all()] == [False, True]
    assert second.series_scores == [5.0, 0.0]
    assert play_next_game(game=game, player=player, address=ADDRESS) == second
    resign(game=second, player=player)
    second.refresh_from_db()
    with pytest.raises(CannotStart):
        play_next_game(game=second, player=player, address=ADDRESS)


def test_results_against_a_bot_count_the_first_play_of_a_deal(
    start: Start, player: LivePlayer, house_bot: BotVersion
) -> None:
    game = start()
    resign(game=game, player=player)
    game.refresh_from_db()
    again = swap_seats(game=game, player=player, address=ADDRESS)
    resign(game=again, player=player)
    assert count_results(player, [house_bot.bot_id]) == {house_bot.bot_id: (0, 0, 1)}


def test_a_guest_keeps_the_games_with_an_account(ana: User, house_bot: BotVersion) -> None:
    game = begin(GUEST, PersonSeat.ME, house_bot)
    signed_up = LivePlayer(ana, GUEST.guest)
    assert list(list_sample_games(signed_up)) == [game]
    assert adopt_guest_games(player=signed_up) == 1
    assert list(list_sample_games(GUEST)) == [] and list(list_sample_games(LivePlayer(ana))) == [game]


def test_only_public_games_that_are_over_are_listed(start: Start, player: LivePlayer) -> None:
    public, private, running = start(is_public=True), start(), start(is_public=True)
    for game in (public, private):
        resign(game=game, player=player)
    assert list(list_public_live_games()) == [public] and running.is_public


def test_old_games_of_guests_are_removed(player: LivePlayer, house_bot: BotVersion) -> None:
    old, kept = begin(GUEST, PersonSeat.ME, house_bot), begin(player, PersonSeat.ME, house_bot)
    LiveGame.objects.update(created_at=now() - timedelta(days=31))
    removed = {one.kind: one.rows for one in clean_up()}
    assert removed["live games of guests"] == 1 and removed["addresses of live games"] == 1
    assert list(LiveGame.objects.values_list("pk", "address")) == [(kept.pk, "")] and old.pk != kept.pk


def test_a_persons_name_leaves_the_records(start: Start, player: LivePlayer, ana: User) -> None:
    game = start()
    resign(game=game, player=player)
    anonymise: Callable[..., str] = anonymise_user
    pseudonym = anonymise(user=ana)
    game.refresh_from_db()
    record = game.record_data
    assert record["seats"][0]["name"] == pseudonym and record_hash(record) == game.record_hash


# Hints in practice games: who gets one, what it is made from, and what bounds them.


@pytest.fixture
def game(start: Start) -> LiveGame:
    return start(has_hints=True, edition="short")


def ask(game: LiveGame, player: LivePlayer) -> LiveHint:
    return request_hint(game=game, player=player, at=see(game)[1])


def find_own_hint(game: LiveGame) -> LiveHint | None:
    game.refresh_from_db()
    return find_hint_asked(game, game.seats.get(seat=0))


def test_a_hint_is_what_the_engine_says_of_the_position(game: LiveGame, player: LivePlayer) -> None:
    hint = ask(game, player)
    assert hint.state == "waiting" and find_own_hint(game) == hint
    assert make_waiting_hint() and not make_waiting_hint()
    hint.refresh_from_db()
    evaluator = find_evaluator("battleline", "short")
    assert evaluator is not None
    found = find_hint(see(game)[0], evaluator)
    assert found is not None and found.second is not None and hint.result is not None
    assert [one["action"] for one in hint.result] == [found.best.action, found.second.action]
    assert hint.state == "done" and 0 < hint.cpu_s < 30
    assert ask(game, player) == hint


def test_two_deals_with_the_same_view_give_the_same_hint(game: LiveGame, start: Start, player: LivePlayer) -> None:
    other = start(has_hints=True, edition="short")
    own = see(game)[0].view(0)["hand"]
    hidden = [card for card in game.deal["troops"] if card not in own]
    dealt_anew = iter(reversed(hidden))
    troops = [card if card in own else next(dealt_anew) for card in game.deal["troops"]]
    LiveGame.objects.filter(pk=other.pk).update(deal=game.deal | {"troops": troops})
    other.refresh_from_db()
    assert see(other)[0].view(0) == see(game)[0].view(0) and see(other)[0].view(1) != see(game)[0].view(1)
    results = [make_hint_and_read(ask(one, player)) for one in (game, other)]
    assert results[0] is not None and results[0] == results[1]


def test_a_hint_is_for_one_position(game: LiveGame, player: LivePlayer) -> None:
    hint = ask(game, player)
    at = see(game)[1]
    step(game, player)
    assert find_own_hint(game) is None
    with pytest.raises(StaleTable):
        request_hint(game=game, player=player, at=at)
    assert not make_hint_and_read(hint), "the person has gone on"
    undo_step(slug=game.slug, player=player, at=see(game)[1])
    again = ask(game, player)
    assert again == hint and again.state == "waiting" and make_hint_and_read(again)


def make_hint_and_read(hint: LiveHint) -> object:
    make_waiting_hint()
    hint.refresh_from_db()
    return hint.result


def test_it_is_for_who_is_to_decide(game: LiveGame, player: LivePlayer, ben: User) -> None:
    with pytest.raises(NotSeated):
        ask(game, LivePlayer(ben))
    step(game, player)
    step(game, player, "draw troop")
    game.refresh_from_db()
    assert game.bot_to_act is not None
    with pytest.raises(NotYourTurn):
        ask(game, player)


def test_games_without_hints_have_none(start: Start, player: LivePlayer, house_bot: BotVersion) -> None:
    with pytest.raises(NoHint):
        ask(start(), player)
    with pytest.raises(CannotStart, match="against bots"):
        start(PersonSeat.ME, PersonSeat.LINK, has_hints=True)
    with pytest.raises(CannotStart, match="Hints aren't available for this edition"):
        start(has_hints=True, options={"envelopment": 3})


def test_editions_without_a_value_function_say_so(
    start: Start, house: User, make_version: MakeVersion, player: LivePlayer
) -> None:
    bot = make_version(house, "second", game="battalion")
    with pytest.raises(CannotStart, match="Hints aren't available for this edition"):
        start(PersonSeat.ME, bot, game="battalion", has_hints=True)
    game = start(PersonSeat.ME, bot, game="battalion")
    LiveGame.objects.update(has_hints=True)
    with pytest.raises(NoHint, match="Hints aren't available for this edition"):
        ask(game, player)


def test_they_are_bounded(
    game: LiveGame, player: LivePlayer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = ask(game, player)
    LiveHint.objects.update(cpu_s=settings.MAX_LIVE_CPU_S_PER_ADDRESS)
    assert ask(game, player) == hint, "the one there is costs nothing"
    step(game, player)
    with pytest.raises(TooManyHints, match="Try again later"):
        ask(game, player)
    LiveHint.objects.update(created_at=now() - timedelta(hours=25))
    monkeypatch.setattr(position, "MAX_HINTS_PER_GAME", 1)
    with pytest.raises(TooManyHints, match="1 hints"):
        ask(game, player)


def test_lost_ones_are_made_again(game: LiveGame, player: LivePlayer) -> None:
    hint = ask(game, player)
    for number in range(1, MAX_TRIES + 1):
        assert is_waiting(hint)
        assert claim_hint() == hint and claim_hint() is None
        requeue_lost_hints()
        assert not is_waiting(hint), "its worker may still make it"
        LiveHint.objects.update(published_at=now() - timedelta(minutes=1))
        requeue_lost_hints()
        assert LiveHint.objects.get().tries == number
    assert LiveHint.objects.get().state == "failed"
    assert ask(game, player).state == "waiting"


def test_a_game_with_hints_is_practice(game: LiveGame, player: LivePlayer, house_bot: BotVersion, start: Start) -> None:
    resign(game=game, player=player)
    assert count_results(player, [house_bot.bot_id]) == {}
    game.refresh_from_db()
    assert swap_seats(game=game, player=player, address="").has_hints
    resign(game=start(), player=player)
    assert count_results(player, [house_bot.bot_id]) == {house_bot.bot_id: (0, 0, 1)}


def test_hints_are_removed_some_days_after_the_end(game: LiveGame, player: LivePlayer) -> None:
    ask(game, player)
    resign(game=game, player=player)
    expired = {one.kind: one.rows for one in list_expired_live_games(logs_before=now())}["hints of live games"]
    assert not expired.exists()
    LiveGame.objects.update(finished_at=now() - timedelta(days=3))
    assert expired.count() == 1


# Decisions of people: drafts, stored steps, and everything that may not happen.


def draft(game: LiveGame) -> list[str]:
    return [entry["action"] for entry in game.seats.get(seat=0).draft]


def test_a_card_on_a_flag_can_be_taken_back_until_a_card_is_drawn(start: Start, player: LivePlayer) -> None:
    game = start()
    step(game, player)
    assert len(draft(game)) == 1 and not game.stored_decisions.exists()
    undo_step(slug=game.slug, player=player, at=1)
    assert draft(game) == []
    step(game, player)
    game = step(game, player, "draw troop")
    assert draft(game) == []
    assert [entry["action"] for entry in fetch_entries(game)][1] == "draw troop"
    assert game.bot_to_act is not None
    with pytest.raises(NotYourTurn):
        undo_step(slug=game.slug, player=player, at=2)


def test_there_is_nothing_to_take_back_at_first(start: Start, player: LivePlayer) -> None:
    with pytest.raises(StaleTable, match="You can't undo anything"):
        undo_step(slug=start().slug, player=player, at=0)


def test_a_step_that_is_sent_twice_is_taken_once(start: Start, player: LivePlayer) -> None:
    game = start()
    action = list(see(game)[0].actions())[0]
    for _ in range(2):
        take_step(slug=game.slug, player=player, action=action, at=0)
    assert draft(game) == [action]
    for _ in range(2):
        take_step(slug=game.slug, player=player, action="draw troop", at=1)
    game.refresh_from_db()
    assert [entry["action"] for entry in fetch_entries(game)[:2]] == [action, "draw troop"]


def test_a_step_on_an_old_page_changes_nothing(start: Start, player: LivePlayer) -> None:
    game = start()
    one, other = list(see(game)[0].actions())[:2]
    take_step(slug=game.slug, player=player, action=one, at=0)
    with pytest.raises(StaleTable, match="The game has moved on since this page loaded, so your move wasn't played"):
        take_step(slug=game.slug, player=player, action=other, at=0)
    assert draft(game) == [one]


def test_the_rules_say_why_an_action_is_refused(start: Start, player: LivePlayer) -> None:
    game = start()
    with pytest.raises(ForbiddenAction, match="BL-"):
        take_step(slug=game.slug, player=player, action="claim 3", at=0)
    with pytest.raises(ForbiddenAction):
        take_step(slug=game.slug, player=player, action="<b>", at=0)
    assert draft(game) == []


def test_nobody_else_may_play_it(start: Start, ben: User) -> None:
    for stranger in (LivePlayer(ben), LivePlayer(), LivePlayer.of_secret(None, "s")):
        with pytest.raises(NotSeated):
            take_step(slug=start().slug, player=stranger, action="draw troop", at=0)


def test_a_guest_has_a_seat_by_a_secret(start: Start, house_bot: object) -> None:
    guest = LivePlayer.of_secret(None, "a long secret")
    game = start()
    game.seats.filter(seat=0).update(user=None, guest=guest.guest)
    step(game, guest)
    assert len(draft(game)) == 1 and "long" not in guest.guest


@pytest.mark.parametrize("edition", ["short", *full_only(["hundred-years", "highlands"])])
def test_a_game_is_played_to_its_end_and_its_record_verified(
    start: Start, player: LivePlayer, answer_all: AnswerAll, edition: str
) -> None:
    rng, game = Random(5), start(edition=edition)
    while not game.is_over:
        game = step(game, player, rng=rng)
        answer_all(game)
    assert game.state == LiveGame.State.FINISHED and game.record is not None
    record = orjson.loads(zlib.decompress(game.record))
    verify(record)
    assert [seat["kind"] for seat in record["seats"]] == ["person", "bot"]
    assert record["seats"][0]["name"] == "ana" and "seed" in record["seats"][1]
    assert game.seats.get(seat=1).place == record["result"]["places"][1]
    assert [entry["action"] for entry in record["actions"]] == [e["action"] for e in fetch_entries(game)]
    with pytest.raises(GameOver):
        take_step(slug=game.slug, player=player, action="pass", at=game.decisions)


def test_whoever_resigns_has_lost_and_no_fault(start: Start, player: LivePlayer) -> None:
    game = start()
    step(game, player)
    resign(game=game, player=player)
    game.refresh_from_db()
    assert game.is_over and game.reason == "resigned"
    assert fetch_entries(game) == [{"seat": 0, "action": "forfeit", "reason": "resigned"}]
    assert list(game.seats.values_list("place", "verdict", "draft")) == [(2, "ok", []), (1, "ok", [])]
    verify(game.record_data)
    with pytest.raises(GameOver):
        resign(game=game, player=player)


def test_who_stays_away_for_a_day_has_left(start: Start) -> None:
    game, table, fresh = start(), start(PersonSeat.ME, PersonSeat.LINK), start()
    LiveGame.objects.exclude(pk=fresh.pk).update(decided_at=now() - timedelta(hours=25))
    assert abandon_idle_games() == [game.pk]
    assert set(LiveGame.objects.values_list("pk", "state")) == {(game.pk, "finished"), (fresh.pk, "playing")}
    assert not LiveGame.objects.filter(pk=table.pk).exists()
    assert LiveGame.objects.get(pk=game.pk).reason == "abandoned"


def test_decisions_of_a_minute_are_limited(
    start: Start, player: LivePlayer, answer_all: AnswerAll, settings: object
) -> None:
    game = start()
    while game.seat_to_act == 0:
        game = step(game, player)
    answer_all(game)
    settings.MAX_LIVE_DECISIONS_PER_MINUTE = game.decisions  # type: ignore[attr-defined]
    with pytest.raises(TooManyDecisions):
        step(game, player)
    game.stored_decisions.update(created_at=now() - timedelta(minutes=2))
    step(game, player)


def test_a_rematch_is_a_new_deal_with_the_seats_in_turn(start: Start, player: LivePlayer, ben: User) -> None:
    game = start(edition="short", is_public=True)
    with pytest.raises(CannotStart):
        rematch(game=game, player=player, address=ADDRESS)
    resign(game=game, player=player)
    game.refresh_from_db()
    again = rematch(game=game, player=player, address=ADDRESS)
    assert again.deal != game.deal and again.state == LiveGame.State.PLAYING
    assert (again.edition, again.options, again.is_public) == (game.edition, game.options, True)
    assert [seat.version is None for seat in again.seats.all()] == [False, True]
    assert rematch(game=game, player=player, address=ADDRESS) == again
    with pytest.raises(CannotStart):
        rematch(game=game, player=LivePlayer(ben), address=ADDRESS)


# Everybody deploys at once in Battalion.

FORMATION = "deploy 0=A,2=K,4=Q/1=J,3=10 guard=9"


@pytest.fixture
def battalion_bot(house: User, make_version: MakeVersion) -> BotVersion:
    return make_version(house, "second", game="battalion")


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_person_deploys_while_bots_think_and_the_record_has_the_order_of_seats(
    start: Start, player: LivePlayer, battalion_bot: BotVersion, answer_all: AnswerAll, seat: int
) -> None:
    seats = [battalion_bot] * 3
    seats[seat] = PersonSeat.ME
    game = start(*seats, game="battalion")
    take_step(slug=game.slug, player=player, action=FORMATION, at=0)
    again = take_step(slug=game.slug, player=player, action=FORMATION, at=0)
    assert again.state.to_act != seat and again.choosing is again.state
    answer_all(game)
    entries = fetch_entries(game)
    assert [entry["seat"] for entry in entries[:3]] == [0, 1, 2] and entries[seat]["action"] == FORMATION
    assert game.seats.exclude(draft=[]).count() == 0
    resign(game=game, player=player)
    answer_all(game)
    verify(game.record_data)


def test_a_page_from_before_others_had_deployed_is_not_too_old(
    start: Start, player: LivePlayer, battalion_bot: BotVersion, answer_all: AnswerAll
) -> None:
    game = start(battalion_bot, PersonSeat.ME, game="battalion")
    answer_all(game)
    table = take_step(slug=game.slug, player=player, action=FORMATION, at=0)
    assert [entry["seat"] for entry in table.stored] == [0, 1]
    assert take_step(slug=game.slug, player=player, action=FORMATION, at=0).game.decisions == 2


def test_one_of_two_deployments_made_ahead_counts_and_an_illegal_one_is_refused(
    start: Start, player: LivePlayer, battalion_bot: BotVersion
) -> None:
    game = start(battalion_bot, PersonSeat.ME, game="battalion")
    with pytest.raises(ForbiddenAction):
        take_step(slug=game.slug, player=player, action=FORMATION.replace("=9", "=K"), at=0)
    with pytest.raises(NotYourTurn):
        take_step(slug=game.slug, player=player, action="pass", at=1)
    take_step(slug=game.slug, player=player, action=FORMATION, at=0)
    with pytest.raises(NotYourTurn):
        take_step(slug=game.slug, player=player, action=FORMATION.replace("=9", "=8"), at=0)

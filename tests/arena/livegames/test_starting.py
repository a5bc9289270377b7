"""Starting live games: seats, limits, links, the same deal again, series, and who keeps what."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.bots.offering import offer_bot
from arena.cleaning_up import clean_up
from arena.errors import Conflict, NotYours
from arena.livegames.errors import CannotStart, GuestsMayNotPlay, LinkUsed, TooManyGames
from arena.livegames.models import LiveGame
from arena.livegames.players import Player
from arena.livegames.queries.games import count_results, list_public_games, list_sample_games
from arena.livegames.queries.opponents import list_opponents
from arena.livegames.services.deciding import resign
from arena.livegames.services.starting import (
    Person,
    Sitting,
    adopt_guest_games,
    play_next_game,
    start_live_game,
    swap_seats,
    take_seat,
)
from arena.matches.variants import UnplayableRules
from arena.personal_data.anonymising import anonymise_user
from engine.record_hash import record_hash
from tests.arena.livegames.conftest import Start
from tests.conftest import MakeVersion

GUEST = Player.of_secret(None, "guest")
ADDRESS = "192.0.2.7"


def begin(player: Player, *seats: BotVersion | Person, game: str = "battleline", address: str = ADDRESS) -> LiveGame:
    return start_live_game(player=player, sitting=Sitting(game, seats), address=address)


def test_authors_choose_who_may_play_their_bots(
    ana: User, ben: User, house_bot: BotVersion, make_version: MakeVersion
) -> None:
    own = make_version(ben, "Heron")
    everybody = [Player(), Player(ana), Player(ben)]

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
    assert newer in list_opponents(Player(), "battleline") and not offered()[0]


@pytest.mark.parametrize("count", [1, 3])
def test_a_table_has_as_many_seats_as_the_game(player: Player, house_bot: BotVersion, count: int) -> None:
    with pytest.raises(CannotStart):
        begin(player, Person.ME, *[house_bot] * (count - 1))


def test_one_seat_is_the_players_and_options_must_be_playable(player: Player, house_bot: BotVersion) -> None:
    for seats in ([Person.ME, Person.ME], [house_bot, house_bot]):
        with pytest.raises(CannotStart):
            begin(player, *seats)
    with pytest.raises(UnplayableRules):
        start_live_game(
            player=player, sitting=Sitting("battleline", [Person.ME, house_bot], options={"wind": 1}), address=""
        )


def test_open_games_are_limited(player: Player, ben: User, house_bot: BotVersion, settings) -> None:
    settings.MAX_LIVE_GAMES_PER_PERSON, settings.MAX_LIVE_GAMES_PER_ADDRESS = 2, 3
    first = begin(player, Person.ME, house_bot)
    begin(player, Person.ME, house_bot)
    with pytest.raises(TooManyGames, match="2 games that are not over"):
        begin(player, Person.ME, house_bot)
    resign(game=first, player=player)
    begin(player, Person.ME, house_bot)
    begin(GUEST, Person.ME, house_bot)
    with pytest.raises(TooManyGames, match="from your network"):
        begin(Player(ben), Person.ME, house_bot)
    begin(Player(ben), Person.ME, house_bot, address="198.51.100.4")
    settings.MAX_LIVE_CPU_S_PER_ADDRESS = 0
    with pytest.raises(TooManyGames, match="computed"):
        begin(Player(ben), Person.ME, house_bot, address="198.51.100.4")
    settings.GUESTS_PLAY = False
    with pytest.raises(GuestsMayNotPlay):
        begin(GUEST, Person.ME, house_bot, address="203.0.113.9")


def test_a_link_works_once(player: Player, ben: User, house_bot: BotVersion) -> None:
    game = begin(player, Person.LINK, Person.ME)
    assert game.state == LiveGame.State.SEATING
    link = game.seats.get(seat=0).link
    assert link is not None
    with pytest.raises(Conflict, match="already"):
        take_seat(link=link, player=player)
    game = take_seat(link=link, player=Player(ben))
    assert game.state == LiveGame.State.PLAYING and game.seat_to_act == 0
    for wrong in (link, "", "unknown"):
        with pytest.raises(LinkUsed):
            take_seat(link=wrong, player=GUEST)


def test_the_same_deal_is_played_with_swapped_seats_once(start: Start, player: Player, ben: User) -> None:
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
        swap_seats(game=game, player=Player(ben), address=ADDRESS)


def test_a_series_goes_on_with_the_winner_first(start: Start, player: Player) -> None:
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
    start: Start, player: Player, house_bot: BotVersion
) -> None:
    game = start()
    resign(game=game, player=player)
    game.refresh_from_db()
    again = swap_seats(game=game, player=player, address=ADDRESS)
    resign(game=again, player=player)
    assert count_results(player, [house_bot.bot_id]) == {house_bot.bot_id: (0, 0, 1)}


def test_a_guest_keeps_the_games_with_an_account(ana: User, house_bot: BotVersion) -> None:
    game = begin(GUEST, Person.ME, house_bot)
    signed_up = Player(ana, GUEST.guest)
    assert list(list_sample_games(signed_up)) == [game]
    assert adopt_guest_games(player=signed_up) == 1
    assert list(list_sample_games(GUEST)) == [] and list(list_sample_games(Player(ana))) == [game]


def test_only_public_games_that_are_over_are_listed(start: Start, player: Player) -> None:
    public, private, running = start(is_public=True), start(), start(is_public=True)
    for game in (public, private):
        resign(game=game, player=player)
    assert list(list_public_games()) == [public] and running.is_public


def test_old_games_of_guests_are_removed(player: Player, house_bot: BotVersion) -> None:
    old, kept = begin(GUEST, Person.ME, house_bot), begin(player, Person.ME, house_bot)
    LiveGame.objects.update(created_at=now() - timedelta(days=31))
    removed = {one.kind: one.rows for one in clean_up()}
    assert removed["live games of guests"] == 1 and removed["addresses of live games"] == 1
    assert list(LiveGame.objects.values_list("pk", "address")) == [(kept.pk, "")] and old.pk != kept.pk


def test_a_persons_name_leaves_the_records(start: Start, player: Player, ana: User) -> None:
    game = start()
    resign(game=game, player=player)
    anonymise: Callable[..., str] = anonymise_user
    pseudonym = anonymise(user=ana)
    game.refresh_from_db()
    record = game.record_data
    assert record["seats"][0]["name"] == pseudonym and record_hash(record) == game.record_hash

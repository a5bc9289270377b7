"""Live games on the site: choosing, playing, and everything that may go wrong between two tabs."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.running import list_levels_below_full, list_strengths
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.seasons import open_season
from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import ABANDONED_AFTER, PersonSeat, abandon_idle_games, resign, take_seat
from arena.matches.livegames.position import LivePlayer
from arena.people.accounts.models import User
from engine.games.battleline.game import BattleLine
from tests.arena.matches.livegames.conftest import AnswerAll, Start, see
from tests.arena.matches.livegames.conftest import answer_all as answer_all
from tests.arena.matches.livegames.conftest import house_bot as house_bot
from tests.arena.matches.livegames.conftest import player as player
from tests.arena.matches.livegames.conftest import start as start
from tests.conftest import MakeVersion

HTMX = {"HX-Request": "true"}


@pytest.fixture
def ana_client(ana: User, client: Client) -> Client:
    client.force_login(ana)
    return client


@pytest.fixture
def game(start: Start) -> LiveGame:
    return start()


def first_action(game: LiveGame) -> str:
    return next(iter(see(game)[0].actions()))


def send(client: Client, game: LiveGame, action: str, at: int, **more: object) -> object:
    return client.post(f"{game.get_absolute_url()}step/", {"action": action, "at": at}, **more)


def test_a_guest_chooses_an_opponent_and_plays(client: Client, house_bot: BotVersion, answer_all: AnswerAll) -> None:
    assert b"first" in client.get("/play/").content
    form = {"edition": "short", "opponent": str(house_bot.pk), "seat": "0"}
    answer = client.post("/play/?game=battleline", form)
    game = LiveGame.objects.get()
    assert answer.status_code == 302 and answer["Location"] == game.get_absolute_url()
    assert game.edition == "short" and game.seats.get(seat=0).guest
    assert send(client, game, first_action(game), 0).status_code == 302
    assert send(client, game, "draw troop", 1).status_code == 302
    answer_all(game)
    page = client.get(game.get_absolute_url())
    assert page.status_code == 200 and page.context["table"].is_own_turn
    assert [one.pk for one in client.get("/play/").context["own_games"]] == [game.pk]


def test_wrong_choices_are_said_in_the_form(client: Client, house_bot: BotVersion) -> None:
    wrong = client.post("/play/?game=battleline", {"edition": "short", "opponent": "7777", "seat": "0"})
    assert wrong.status_code == 400 and wrong.context["form"].errors["opponent"]
    assert client.get("/play/?game=chess").status_code == 404


def test_an_opponent_can_be_asked_for_by_the_address(client: Client, house_bot: BotVersion) -> None:
    form = client.get(f"/play/?game=battleline&opponent={house_bot.pk}&edition=long").context["form"]
    assert (form["opponent"].value(), form["edition"].value()) == (str(house_bot.pk), "long")


def test_the_full_sample_and_its_levels_have_estimated_ratings(
    client: Client, house: User, make_version: MakeVersion
) -> None:
    ladder = open_season(game="battleline", edition="standard", title="Battle Line, Standard")
    for name in ("random", "brute", "greedy", "careful", "marshal"):
        enter_version(ladder=ladder, version=make_version(house, name))
    for level in range(1, 5):
        make_version(house, f"marshal-{level}")
    cards = client.get("/play/?game=battleline").context["opponents"]
    assert [card.version.bot.name for card in cards] == ["random", "brute", "greedy", "careful", "marshal"]
    opponents = [*cards, *cards[-1].levels]
    ratings = {one.version.bot.name: one.rating for one in opponents}
    assert [ratings[card.version.bot.name] for card in cards] == sorted(ratings[name] for name in list(ratings)[:5])
    assert {one.version.bot.name for one in opponents if one.is_estimated} == {"marshal", *list_levels_below_full()}
    assert [card.version.bot.name for card in cards if card.is_suggested] == ["brute"]
    strengths, below = list_strengths("battleline", "standard"), list_levels_below_full()["marshal-2"]
    assert ratings["careful"] == pytest.approx(1500 + strengths["careful"].rating)
    assert ratings["marshal"] > 1500 + strengths["marshal"].rating
    assert ratings["marshal-2"] == pytest.approx(ratings["marshal"] - below)
    unrated = client.get("/play/?game=battleline&edition=long").context["opponents"]
    assert {one.rating for one in unrated} == {None}


def test_a_double_click_plays_once(ana_client: Client, game: LiveGame) -> None:
    action = first_action(game)
    for _ in range(2):
        assert send(ana_client, game, action, 0, headers=HTMX).status_code == 200
    assert [entry["action"] for entry in game.seats.get(seat=0).draft] == [action]


def test_a_step_and_the_answer_to_it_replay_the_game_once_each_with_eight_queries_for_the_page(
    ana_client: Client, game: LiveGame, answer_all: AnswerAll, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(2):
        send(ana_client, game, first_action(game), at, headers=HTMX)
    answer_all(game)
    at = see(game)[1]
    send(ana_client, game, first_action(game), at, headers=HTMX)
    action, begun, start = first_action(game), [], BattleLine.start

    def begin(*given: object) -> object:
        begun.append(given)
        return start(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(BattleLine, "start", begin)
    with CaptureQueriesContext(connection) as queries:
        shown = send(ana_client, game, action, at + 1, headers=HTMX)
    assert shown.context["table"].waiting_for.name == "first" and len(begun) == 1
    asked = [query["sql"] for query in queries if "SAVEPOINT" not in query["sql"]]
    assert len(asked) <= 8, "\n".join(asked)
    assert answer_all(game) == 1 and len(begun) == 2


def test_a_stale_tab_gets_a_sentence_and_the_new_table(ana_client: Client, game: LiveGame) -> None:
    one, other = list(see(game)[0].actions())[:2]
    send(ana_client, game, one, 0)
    late = send(ana_client, game, other, 0, headers=HTMX)
    assert "has moved on" in late.context["notice"] and late.context["table"].decisions == 1
    assert send(ana_client, game, other, 0).status_code == 409
    assert [entry["action"] for entry in game.seats.get(seat=0).draft] == [one]


def test_what_the_rules_forbid_gets_their_reason(ana_client: Client, game: LiveGame) -> None:
    refused = send(ana_client, game, "claim 3", 0)
    assert refused.status_code == 422 and "BL-" in refused.context["notice"]


def test_who_is_shown_in_full_stays_so_after_a_step(
    ana_client: Client, start: Start, house: User, make_version
) -> None:
    bot = make_version(house, "second", game="battalion")
    game = start(PersonSeat.ME, bot, bot, bot, game="battalion")
    kept = {"action": "nonsense", "at": 0, "chosen": "facing=2"}
    refused = ana_client.post(f"{game.get_absolute_url()}step/", kept, headers=HTMX)
    assert refused.context["table"].facing == 2
    laid = ana_client.post(f"{game.get_absolute_url()}step/", kept | {"action": first_action(game)})
    assert laid["Location"] == f"{game.get_absolute_url()}?chosen=facing%3D2"


def test_undo_takes_back_one_step(ana_client: Client, game: LiveGame) -> None:
    send(ana_client, game, first_action(game), 0)
    ana_client.post(f"{game.get_absolute_url()}undo/", {"at": 1})
    assert game.seats.get(seat=0).draft == []
    nothing = ana_client.post(f"{game.get_absolute_url()}undo/", {"at": 0})
    assert nothing.status_code == 409 and "You can't undo anything" in nothing.context["notice"]


def test_a_move_after_the_end_and_the_back_button(ana_client: Client, game: LiveGame, player: LivePlayer) -> None:
    action = first_action(game)
    ana_client.post(f"{game.get_absolute_url()}leave/")
    late = send(ana_client, game, action, 0)
    assert late.status_code == 409 and "finished" in late.context["notice"]
    assert late.context["finish"].swap and late.context["finish"].watch
    assert ana_client.get(late.context["finish"].watch).status_code == 200
    record = ana_client.get(f"{game.get_absolute_url()}record.json").json()
    assert record["result"]["reason"] == "resigned"


def test_a_replay_shows_the_version_of_a_bot_and_none_of_a_person(
    client: Client, game: LiveGame, player: LivePlayer
) -> None:
    resign(game=game, player=player)
    page = client.get(f"{game.get_absolute_url()}replay/").content.decode()
    assert re.search(r"<h1>ana<.*first <span class=\"version\">1</span></h1>", page)
    assert "<span>ana</span></p>" in page and "<span>first</span> <small>version 1</small></p>" in page


def test_a_guests_own_replay_says_you_and_others_read_guest(client: Client, house_bot: BotVersion) -> None:
    client.post("/play/?game=battleline", {"edition": "short", "opponent": str(house_bot.pk), "seat": "0"})
    address = LiveGame.objects.get().get_absolute_url()
    client.post(f"{address}leave/")
    assert "<h1>You<" in client.get(f"{address}replay/").content.decode()
    assert "<h1>Guest<" in Client().get(f"{address}replay/").content.decode()


def test_who_leaves_reads_so_with_the_flags_and_the_others_read_it_too(
    ana_client: Client, start: Start, player: LivePlayer, ben: User
) -> None:
    game = start(PersonSeat.ME, PersonSeat.LINK)
    take_seat(link=game.seats.get(seat=1).link, player=LivePlayer(ben))
    LiveGame.objects.update(decided_at=now() - ABANDONED_AFTER - timedelta(minutes=1))
    assert abandon_idle_games() == [game.pk]
    ben_client = Client()
    ben_client.force_login(ben)
    own, other = (reader.get(game.get_absolute_url()).context["ending"] for reader in (ana_client, ben_client))
    assert (own.title, own.text) == ("You lost on time", "Your time ran out on turn 1.")
    assert (other.title, other.text) == ("You win", "ana's time ran out on turn 1.")


def test_somebody_elses_game_can_only_be_looked_at(game: LiveGame, ben: User) -> None:
    ben_client = Client()
    ben_client.force_login(ben)
    page = ben_client.get(game.get_absolute_url())
    assert page.status_code == 200 and page.context["table"].seat is None and not page.context["table"].legal
    assert send(ben_client, game, first_action(game), 0).status_code == 403
    assert ben_client.post(f"{game.get_absolute_url()}leave/").status_code == 403
    assert ben_client.get("/play/nowhere/").status_code == 404
    assert ben_client.get(f"{game.get_absolute_url()}replay/").status_code == 404


def test_an_expired_session_can_only_look_on(client: Client, house_bot: BotVersion) -> None:
    client.post("/play/?game=battleline", {"edition": "short", "opponent": str(house_bot.pk), "seat": "0"})
    game = LiveGame.objects.get()
    client.session.flush()
    client.cookies.clear()
    refused = send(client, game, first_action(game), 0)
    assert refused.status_code == 403 and "have a seat in this game" in refused.context["notice"]


def test_no_hidden_card_is_in_any_byte_of_the_page(
    start: Start, house_bot: BotVersion, client: Client, ana: User
) -> None:
    """Every troop of the deck is either seen by her or not in the page at all, by its id or by its name."""
    game = start(house_bot, PersonSeat.ME)
    client.force_login(ana)
    state, _ = see(game)
    known = set(state.view(1)["hand"])
    hidden = {card for card in game.deal["troops"] if card not in known}
    content = client.get(game.get_absolute_url()).content.decode()
    found = {card for card in hidden if re.search(rf"(?<![\w#-]){card}(?!\w)", content)}
    assert BattleLine.key in content and not found
    assert game.salt not in content


def test_while_a_bot_thinks_the_page_asks_again(
    ana_client: Client, start: Start, house_bot: BotVersion, answer_all
) -> None:
    game = start(house_bot, PersonSeat.ME)
    page = ana_client.get(game.get_absolute_url())
    tag = page.context["table"].tag
    known = f"{game.get_absolute_url()}?known={tag}"
    assert ana_client.get(known, headers=HTMX).status_code == 304
    answer_all(game)
    assert ana_client.get(known, headers=HTMX).status_code == 200
    assert page["Cache-Control"].startswith("max-age=0")


def test_a_link_leads_a_person_to_a_free_seat(ana_client: Client, start: Start, ben: User) -> None:
    game = start(PersonSeat.ME, PersonSeat.LINK)
    page = ana_client.get(game.get_absolute_url())
    (link,) = page.context["seat_links"]
    assert f">{link}</pre>" in page.content.decode()
    assert "seat_links" in Client().get(game.get_absolute_url()).context
    assert not Client().get(game.get_absolute_url()).context["seat_links"]
    ben_client = Client()
    ben_client.force_login(ben)
    assert ben_client.get(link).status_code == 200
    assert ben_client.post(link).status_code == 302
    assert ben_client.get(game.get_absolute_url()).context["table"].seat == 1
    assert Client().get(link).status_code == 404 and Client().post(link).status_code == 404


def test_a_page_that_waits_is_loaded_again_when_the_game_begins(ana_client: Client, start: Start, ben: User) -> None:
    game = start(PersonSeat.ME, PersonSeat.LINK)
    asked = f"{game.get_absolute_url()}?known=waiting"
    (link,) = ana_client.get(game.get_absolute_url()).context["seat_links"]
    assert ana_client.get(asked, headers=HTMX).status_code == 204
    ben_client = Client()
    ben_client.force_login(ben)
    ben_client.post(link)
    assert ana_client.get(asked, headers=HTMX)["HX-Refresh"] == "true"
    game.delete()
    assert ana_client.get(asked, headers=HTMX)["HX-Refresh"] == "true"


def test_a_table_nobody_came_to_is_given_up(ana_client: Client, start: Start) -> None:
    game = start(PersonSeat.ME, PersonSeat.LINK)
    assert ana_client.post(f"{game.get_absolute_url()}leave/").status_code == 302
    assert not LiveGame.objects.exists()


def test_the_same_deal_is_played_again_from_the_end(ana_client: Client, game: LiveGame, player: LivePlayer) -> None:
    resign(game=game, player=player)
    answer = ana_client.post(f"{game.get_absolute_url()}swap/")
    again = LiveGame.objects.get(swapped_from=game)
    assert answer["Location"] == again.get_absolute_url()
    resign(game=again, player=player)
    finish = ana_client.get(again.get_absolute_url()).context["finish"]
    assert [result for _, result in finish.other_leg] == ["lost (0:5)", "lost (0:5)"]
    assert "0 won, 0 drawn, 1 lost" in finish.note


def test_a_guest_who_signs_up_keeps_the_games(client: Client, house_bot: BotVersion, ana: User) -> None:
    client.post("/play/?game=battleline", {"edition": "short", "opponent": str(house_bot.pk), "seat": "0"})
    client.force_login(ana)
    assert client.get("/play/").context["guest_games"] == 1
    client.post("/play/keep/")
    assert LiveGame.objects.get().seats.get(user=ana).guest == ""


def test_an_author_says_who_may_play_a_bot(ana_client: Client, ana: User, make_version) -> None:
    bot = make_version(ana, "Kingfisher").bot
    page = ana_client.get(bot.get_absolute_url())
    assert page.context["opponent"].bot == bot
    ana_client.post(f"/bots/{bot.slug}/offer/", {"played_by": "everybody"})
    bot.refresh_from_db()
    assert bot.played_by == "everybody"


def test_the_end_offers_a_rematch_and_the_next_stronger_bot(
    ana_client: Client, start: Start, player: LivePlayer, house: User, make_version: MakeVersion
) -> None:
    ladder = open_season(game="battleline", edition="standard", title="Battle Line, Standard")
    brute, greedy = (make_version(house, name) for name in ("brute", "greedy"))
    for version in (brute, greedy):
        enter_version(ladder=ladder, version=version)
    ladder.entries.filter(version=brute).update(rating=1000.0)
    ladder.entries.filter(version=greedy).update(rating=1500.0)
    game = start(PersonSeat.ME, brute)
    resign(game=game, player=player)
    end = ana_client.get(game.get_absolute_url()).content.decode()
    assert "You resigned on turn" in end
    for name in ("Rematch", "Same deal, seats swapped", "Next stronger bot", "Full analysis"):
        assert name in end
    ana_client.post(f"{game.get_absolute_url()}stronger/")
    stronger = LiveGame.objects.latest("pk")
    assert [seat.version for seat in stronger.seats.order_by("seat")] == [greedy, None]
    ana_client.post(f"{game.get_absolute_url()}rematch/")
    assert [seat.version for seat in LiveGame.objects.latest("pk").seats.order_by("seat")] == [brute, None]


def test_a_person_lays_out_a_formation_while_a_bot_is_still_to_deploy(
    ana_client: Client, start: Start, house: User, make_version: MakeVersion, answer_all: AnswerAll
) -> None:
    game = start(make_version(house, "slow", game="battalion"), PersonSeat.ME, game="battalion")
    page = ana_client.get(game.get_absolute_url())
    assert page.context["table"].is_own_turn and "Choose a formation" in page.content.decode()
    sent = send(ana_client, game, "deploy 0=A,2=K guard=9", 0, headers=HTMX)
    assert not sent.context["table"].is_own_turn and "Everyone deploys in secret." in sent.content.decode()
    assert sent.context["poll_url"]
    answer_all(game)
    assert "round 1" in ana_client.get(game.get_absolute_url()).content.decode()


def test_after_battalion_nothing_is_offered_that_swaps_the_seats_of_a_deal(
    ana_client: Client, start: Start, player: LivePlayer, house: User, make_version: MakeVersion
) -> None:
    game = start(PersonSeat.ME, make_version(house, "second", game="battalion"), game="battalion")
    resign(game=game, player=player)
    finish = ana_client.get(game.get_absolute_url()).context["finish"]
    assert finish.rematch and not finish.swap


BAR = re.compile(r'<aside class="running-game".*?</aside>', re.DOTALL)


def read_bar(client: Client) -> str:
    """What the bar on a page says."""
    found = BAR.search(client.get("/rules/").content.decode())
    return " ".join(re.sub(r"<[^>]*>", " ", found[0]).split()) if found else ""


def test_the_bar_leads_to_the_game_in_which_it_is_ones_turn_and_counts_the_others(
    ana_client: Client, start: Start, house_bot: BotVersion, player: LivePlayer
) -> None:
    assert read_bar(ana_client) == ""
    waiting = start(house_bot, PersonSeat.ME)
    assert read_bar(ana_client).startswith(f"Your game against {house_bot.bot.name}: {house_bot.bot.name} is thinking")
    games = [start(PersonSeat.ME, house_bot), start(PersonSeat.ME, house_bot)]
    bar = read_bar(ana_client)
    assert f"Your game against {house_bot.bot.name}: your turn" in bar and "2 more" in bar and "Continue" in bar
    LiveGame.objects.filter(pk=games[1].pk).update(decided_at=games[0].decided_at - timedelta(hours=1))
    page = ana_client.get("/rules/").content.decode()
    assert f'href="{games[0].get_absolute_url()}"' in page and f'href="{reverse("play")}#own-heading"' in page
    assert f'href="{games[1].get_absolute_url()}"' not in page
    for game in games:
        resign(game=game, player=player)
    assert f"{house_bot.bot.name} won." in read_bar(ana_client)
    for game in games:
        ana_client.get(game.get_absolute_url())
    assert f"{house_bot.bot.name} is thinking" in read_bar(ana_client)
    assert waiting.state == LiveGame.State.PLAYING


def test_the_bar_says_how_a_game_ended_meanwhile_until_that_was_seen(
    ana_client: Client, start: Start, ben: User
) -> None:
    game = start(PersonSeat.ME, PersonSeat.LINK)
    (link,) = ana_client.get(game.get_absolute_url()).context["seat_links"]
    ben_client = Client()
    ben_client.force_login(ben)
    ben_client.post(link)
    ben_client.post(f"{game.get_absolute_url()}leave/", follow=True)
    assert read_bar(ben_client) == "", "who resigned on the page saw the end"
    assert read_bar(ana_client).startswith(f"You beat {ben.username}.")
    assert "See how" in read_bar(ana_client)
    Client().get(game.get_absolute_url())
    assert "See how" in read_bar(ana_client), "somebody else looked on"
    ana_client.get(game.get_absolute_url(), headers=HTMX)
    assert read_bar(ana_client) == ""

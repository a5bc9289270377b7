"""The lessons: positions that the referee reaches, moves that it allows, and pages that are the same for everybody."""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import product

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils.translation import override

from arena.matches.livegames.models import LiveGame
from arena.pages.learn.battleline import CLAIMS, EXAMPLES, NAMES, TACTICS
from arena.pages.learn.lesson import LEARNER, Lesson, Place, build_table, find_place, read_script
from arena.pages.learn.views import LESSONS, build_context, explain_action
from arena.people.accounts.models import User
from engine.games.battleline.formations import describe_formation
from engine.registry import find_game
from engine.replay import make_record, verify

TROOPS = {f"{colour}{value}" for colour, value in product("ROYGBP", range(1, 11))}
KINDS = ("host", "skirmish", "battalion", "phalanx", "wedge")
LINK = re.compile(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)


def list_places(lesson: Lesson) -> Iterator[Place]:
    for step, moves in enumerate(read_script(lesson.script).moves, start=1):
        for made in range(len(moves) + 1):
            yield find_there(lesson, step, made)


def find_there(lesson: Lesson, step: int, made: int = 0) -> Place:
    place = find_place(lesson, step, made)
    assert place is not None
    return place


PLACES = [place for lesson in LESSONS.values() for place in list_places(lesson)]


def name_place(place: Place) -> str:
    return f"{place.lesson.game}-{place.step}-{place.made}"


def links(page: str) -> dict[str, str]:
    """The addresses of links by their visible text."""
    return {" ".join(re.sub(r"<[^>]*>", " ", text).split()): unescape(address) for address, text in LINK.findall(page)}


@pytest.mark.parametrize("game", LESSONS)
def test_the_game_of_a_lesson_is_a_record_that_verifies(game: str) -> None:
    lesson = LESSONS[game]
    last = list(list_places(lesson))[-1]
    assert last.state.outcome is not None and last.state.outcome.places == (1, 2)
    record = make_record(
        game=find_game(game),
        edition=lesson.edition,
        options=last.options,
        deal=lesson.deal,
        salt="lesson",
        seats=[{"name": name, "version": 1} for name in "ab"],
        actions=[{**entry, "ms": 1, "cpu_ms": 1} for entry in last.entries],
        outcome=last.state.outcome,
        verdicts=["ok", "ok"],
    )
    verify(record)


@pytest.mark.parametrize("place", PLACES, ids=name_place)
def test_the_wanted_move_is_legal_and_any_other_is_taken_back_with_a_reason(place: Place) -> None:
    if place.is_done:
        assert place.state.outcome is not None or place.state.to_act == LEARNER
        return
    assert place.state.to_act == LEARNER and place.wanted in place.state.actions()
    for action in set(place.state.actions()) - {place.wanted}:
        if not action.startswith("reform "):
            assert str(explain_action(place, action)).endswith(".")
    assert explain_action(place, "play R8 2") and explain_action(place, "no such thing")


def rank(cards: Sequence[str]) -> tuple[int, int]:
    """Kind and total of three troops, reckoned anew."""
    colours, values = {card[0] for card in cards}, sorted(int(card[1:]) for card in cards)
    in_a_row = values[0] + 2 == values[1] + 1 == values[2]
    one_colour = len(colours) == 1
    kind = 4 if one_colour and in_a_row else 3 if len(set(values)) == 1 else 2 if one_colour else int(in_a_row)
    return kind, sum(values)


def list_replies(place: Place, flag: int) -> tuple[Sequence[str], list[list[str]]]:
    """The learner's cards at a flag, and every way in which the other side can still be filled."""
    flags = place.scene.after[LEARNER]["flags"]
    mine, theirs = flags[flag - 1]["cards"]
    unseen = TROOPS - {card for one in flags for side in one["cards"] for card in side}
    assert len(theirs) == 2
    return mine, [[*theirs, card] for card in unseen]


def test_the_proofs_agree_with_trying_every_unseen_troop() -> None:
    lesson = LESSONS["battleline"]
    mine, replies = list_replies(find_there(lesson, CLAIMS), 3)
    assert max(map(rank, replies)) < rank(mine)
    without, fogged = find_there(lesson, TACTICS), find_there(lesson, TACTICS, 1)
    mine, replies = list_replies(without, 4)
    assert max(map(rank, replies)) > rank(mine) and without.refuse("claim 4")
    mine, replies = list_replies(fogged, 4)
    assert max(rank(reply)[1] for reply in replies) == 12 < rank(mine)[1] == 24 and fogged.refuse("claim 4") is None


def test_examples_are_of_their_kinds_and_all_reasons_are_told() -> None:
    for kind, cards in EXAMPLES.items():
        assert KINDS[rank(cards.split())[0]] == kind
        assert describe_formation([NAMES.card[card] for card in cards.split()], NAMES.of, 0)["formation"] == kind
    first = find_there(LESSONS["battleline"], 1)
    assert str(explain_action(first, "play G10 2")) == "That makes a host of 25; a wedge is stronger."
    assert "only 2 of 3 cards" in str(explain_action(first, "play R9 1"))
    queen = find_there(LESSONS["battalion"], 3)
    assert "beats" in str(explain_action(queen, "attack 1a 1:1a"))


@pytest.mark.parametrize("language", ["en", "hu"])
@pytest.mark.parametrize("place", PLACES, ids=name_place)
def test_every_position_is_told_in_full(place: Place, language: str) -> None:
    with override(language):
        context = build_context(place, build_table(place, "You"), "")
        caption, panel = str(context["caption"]), context["panel"]
        assert caption and panel.title and str(panel.lead) and "{" not in f"{caption} {panel.lead} {panel.now}"
        if not place.is_done:
            assert context["table"].chosen or place.wanted.startswith("claim ")


def test_a_page_needs_neither_account_nor_database_nor_cookie_and_is_kept_for_everybody(
    db, settings, django_assert_num_queries
):
    settings.ANONYMOUS_PAGE_CACHE_S = 5
    caches["pages"].clear()
    with django_assert_num_queries(0):
        for place in PLACES:
            address = f"/learn/{place.lesson.game}/{place.step}/{place.made}/"
            page = Client().get(address)
            assert page.status_code == 200 and not page.cookies and page["ETag"] == Client().get(address)["ETag"]
            assert "csrfmiddlewaretoken" not in page.text
    assert len(caches["pages"]._cache) == len(PLACES)
    caches["pages"].clear()


def test_the_whole_lesson_is_links(db: None) -> None:
    for address, done in (("/learn/", "You win by envelopment"), ("/learn/battalion/", "You win")):
        guest, page, seen = Client(), Client().get(address), []
        for _ in range(9):
            found = links(page.text)
            seen.append(page.context["place"])
            if "Show me" in found:
                assert 'class="button primary" href' not in page.text  # Next is outlined until the move is made
                page = guest.get(found["Show me"], follow=True)
            elif following := next((found[text] for text in found if text.startswith("Next: ")), None):
                assert f'class="button primary" href="{following}"' in page.text
                page = guest.get(following)
            else:
                break
        whole = [name_place(place) for place in list_places(seen[0].lesson)]
        assert [name_place(place) for place in seen] == whole and page.context["ending"].title == done
        assert "All the rules" in links(page.text) and "Play a real game" in page.text


def test_another_move_is_taken_back_and_the_position_stays(db: None) -> None:
    page = Client().get("/learn/battleline/1/0/", {"action": "play R2 2"})
    assert page.context["is_taken_back"] and page.context["place"].made == 0
    assert str(page.context["caption"]) == "That makes a battalion of 17; a wedge is stronger."
    asked = Client().get("/learn/battleline/3/0/", {"chosen": "none", "why": "claim 4"})
    assert "North could still play" in asked.text
    part = Client(headers={"HX-Request": "true"}).get("/learn/battleline/1/0/", {"chosen": "play R2"})
    assert part["HX-Replace-Url"] == "/learn/battleline/1/0/?chosen=play+R2" and "<html" not in part.text
    for missing in ("/learn/none/", "/learn/battleline/4/0/", "/learn/battleline/1/2/", "/learn/battleline/0/0/"):
        assert Client().get(missing).status_code == 404


def test_newcomers_are_led_to_the_lesson_first_and_the_lesson_to_a_real_game(db, make_version):
    house = User.objects.create_user("house", is_house=True)
    brutes = {game: make_version(house, f"brute-{game}") for game in LESSONS}
    for game, brute in brutes.items():
        brute.bot.name, brute.bot.game = "brute", game
        brute.bot.save()
    guest = Client()
    front = links(guest.get("/").text)
    first = next(text for text in front if text.startswith("Learn in 90 seconds"))
    assert front[first] == "/learn/" and list(front).index(first) < list(front).index("Watch Matches move by move.")
    lobby = links(guest.get("/play/?game=battalion").text)
    assert lobby[next(text for text in lobby if text.startswith("New here?"))] == "/learn/battalion/"
    assert links(guest.get("/rules/battleline/standard/").text)["Learn in 90 seconds"] == "/learn/battleline/"
    for game in ("battalion", "battleline"):
        table = guest.post("/play/now/", {"game": game})
        begun = LiveGame.objects.get(slug=table["Location"].split("/")[2])
        assert begun.game == game and {seat.version for seat in begun.seats.all()} == {None, brutes[game]}
    assert not any(text.startswith("Learn in 90 seconds") for text in links(guest.get("/").text))

"""The pages of the daily puzzles: question, answer, proof, streak, picture, and the list of earlier ones."""

from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import Any

import pytest
from django.core.cache import cache as shelf
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from arena.contests.puzzles.models import Answer, Puzzle
from arena.contests.puzzles.queries import today
from arena.matches.recorded_games import read_recorded_games
from engine.core import Json
from engine.games.battleline.puzzles import find_claim_puzzles
from engine.replay import states
from tests.arena.pages.outline import Outline

pytestmark = pytest.mark.django_db
BEST_GAIN = 0.2
Make = Callable[..., Puzzle]


@cache
def find_positions() -> tuple[str, Json, dict[bool, Any]]:
    """Return a recorded game, and a claim of it by whether it holds."""
    for game in read_recorded_games():
        if game.record["game"] == "battleline":
            found = {one.card is None: one for one in find_claim_puzzles(game.record)}
            if len(found) == 2:
                return game.slug, game.record, found
    raise AssertionError("no recorded game has both kinds of claims")


@pytest.fixture(autouse=True)
def _recorded_games_are_shown(settings):
    settings.RECORDED_GAMES = True


@pytest.fixture
def make_puzzle() -> Make:
    """Store a puzzle for a day, by default today: a claim that holds or not, or a choice between cards."""

    def store(kind: str, taken: int, seat: int, question: Json, solution: Json, day: date | None) -> Puzzle:
        slug, record, _ = find_positions()
        return Puzzle.objects.create(
            kind=kind,
            number=1 + Puzzle.objects.filter(kind=kind).count(),
            day=day or today(),
            recorded_game=slug,
            leg=1,
            turn=taken,
            game=record["game"],
            edition=record["edition"],
            seat=seat,
            play={
                "options": record["options"],
                "deal": record["deal"],
                "actions": [[one["seat"], one["action"]] for one in record["actions"][:taken]],
            },
            question=question,
            solution=solution,
            difficulty=3,
            position_hash=f"{kind} {day} {taken}",
        )

    def make(kind: str = "claim", *, holds: bool = False, day: date | None = None) -> Puzzle:
        if kind == "claim":
            claim = find_positions()[2][holds]
            return store(kind, claim.turn, claim.seat, claim.question, claim.solution, day)
        record = find_positions()[1]
        for taken, state in enumerate(states(record)):
            legal = list(state.actions())
            plays = [action for action in legal if action.startswith("play ")]
            if taken > 20 and len(plays) > 5:
                chances = {action: 0.5 - place / 100 for place, action in enumerate(plays)}
                best = plays[-1]
                chances[best] = 0.5 + BEST_GAIN
                solution = {"best": best, "played": plays[0], "chances": chances, "error": 0.01}
                hand = state.view(state.to_act)["hand"]
                return store(kind, taken, state.to_act, {"hand": hand, "legal": legal}, solution, day)
        raise AssertionError("no turn has a choice of cards")

    return make


def read(client: Client, address: str) -> str:
    """Return the words of a page."""
    response = client.get(address, follow=True)
    assert response.status_code == 200, address
    outline = Outline(response.text)
    assert outline.faults == [], address
    return " ".join(strip_tags(response.text.partition("<main")[2].partition("</main>")[0]).split())


def answer(client: Client, puzzle: Puzzle, **given: str):
    suffix = "best/" if puzzle.kind == "best" else ""
    return client.post(f"/puzzles/{puzzle.day}/{suffix}", given, follow=True)


def find_wrong_card(puzzle: Puzzle, response) -> str:
    """Return an unseen troop that doesn't refute the claim."""
    cards = [card for _suit, cards in response.context["question"].known.troops for card in cards]
    return next(card.face.key for card in cards if card.unseen and card.face.key != puzzle.solution.get("card"))


def test_without_a_puzzle_the_page_offers_a_game():
    assert "No puzzle today." in read(Client(), "/puzzles/")
    assert "No puzzle today." in read(Client(), "/puzzles/best/")
    assert "No puzzles yet." in read(Client(), "/puzzles/archive/")


def test_a_claim_is_asked_without_hands_and_with_every_troop_that_nobody_has_seen(make_puzzle):
    puzzle = make_puzzle()
    response = Client().get("/puzzles/")
    context = response.context
    assert context["title"] in read(Client(), "/puzzles/")
    assert all(face.is_back for row in context["board"].seats for face in row.hand)
    assert context["board"].near == puzzle.seat and context["flag_in_question"] == puzzle.question["flag"]
    assert "solved" not in context and 'value="yes"' in response.text
    lying = {card for flag in puzzle.state.view(0)["flags"] for side in flag["cards"] for card in side}
    offered = {card.face.key for _suit, cards in context["question"].known.troops for card in cards if card.unseen}
    assert puzzle.solution["card"] in offered and not offered & lying


def test_a_question_explains_its_tactics_formations_and_deck(make_puzzle):
    puzzle = make_puzzle()
    text = read(Client(), "/puzzles/")
    context = Client().get("/puzzles/").context
    lying = {card for flag in puzzle.state.view(0)["flags"] for side in flag["cards"] for card in side}
    stand_ins = {card for card in lying if card[0].islower()}
    assert {one.face.key for one in context["tactics"]} - {"fog", "mud"} == stand_ins
    assert all(one.face.name in text and one.help in text for one in context["tactics"])
    assert "60 troops in 6 colours, 1 to 10." in text and "Only your first answer counts." in text
    assert f"You see the table from {context['board'].near_row.name}" in text
    assert 'class="now"' in Client().get("/puzzles/").text


def test_no_flag_of_a_question_can_be_claimed_or_asked_about(make_puzzle):
    """What the table of a game says there would tell the answer."""
    for kind in ("claim", "best"):
        make_puzzle(kind)
    for address in ("/puzzles/", "/puzzles/best/"):
        assert "Not yet" not in Client().get(address).text.partition("puzzle-panel")[0]
    assert 'class="claim' not in Client().get("/puzzles/").text


def test_the_right_card_refutes_the_claim_with_its_proof_and_a_ghost(make_puzzle):
    puzzle, reader = make_puzzle(), Client()
    response = answer(reader, puzzle, claim="no", card=puzzle.solution["card"])
    assert response.redirect_chain == [(f"/puzzles/{puzzle.day}/#verdict", 302)]
    context = response.context
    assert context["is_right"] and context["verdict"] == "Right: not yet."
    flag = context["board"].flags[puzzle.question["flag"] - 1]
    assert [face.name for face in flag.sides[1 - puzzle.seat].coming] != []
    assert "The claim doesn't hold" in str(context["solved"].proof.verdict)
    assert context["links"]["replay"].startswith(f"/watch/recorded/{puzzle.recorded_game}/?turn=")
    assert reader.get(context["links"]["replay"]).status_code == 200


def test_a_wrong_answer_shows_the_same_proof(make_puzzle):
    puzzle, reader = make_puzzle(), Client()
    response = answer(reader, puzzle, claim="yes")
    assert not response.context["is_right"] and response.context["verdict"].startswith("Not this time:")
    assert response.context["given"] == "Yes, it can"
    other = Client()
    wrong = find_wrong_card(puzzle, other.get("/puzzles/"))
    assert not answer(other, puzzle, claim="no", card=wrong).context["is_right"]


def test_a_claim_that_holds_is_answered_with_one_tap(make_puzzle):
    puzzle = make_puzzle(holds=True)
    response = answer(Client(), puzzle, claim="yes")
    assert response.context["verdict"] == "Right: it can." and response.context["solved"].refutation == ""
    reader = Client()
    wrong = answer(reader, puzzle, claim="no", card=find_wrong_card(puzzle, reader.get("/puzzles/")))
    assert wrong.context["verdict"] == "Not this time: no unseen troop can beat it."


def test_without_script_no_opens_the_grid(make_puzzle):
    make_puzzle()
    assert "hidden>" in Client().get("/puzzles/").text.partition('id="refute"')[2].partition("</form>")[0][:120]
    page = Client().get("/puzzles/?answer=no")
    assert page.context["is_refusing"]
    assert "hidden>" not in page.text.partition('id="refute"')[2][:120]


def test_no_answer_leaves_the_question_with_a_reason(make_puzzle):
    puzzle = make_puzzle()
    for given in ({"claim": "no"}, {"claim": "no", "card": "Z99"}, {}):
        response = answer(Client(), puzzle, **given)
        assert "question" in response.context and len(list(response.context["messages"])) == 1
    assert not Answer.objects.exists()


def test_the_first_answer_counts_and_more_can_be_tried(make_puzzle):
    puzzle, reader = make_puzzle(), Client()
    answer(reader, puzzle, claim="yes")
    assert "question" in reader.get(f"/puzzles/{puzzle.day}/?again=1").context
    again = answer(reader, puzzle, claim="no", card=puzzle.solution["card"])
    assert again.context["is_right"] and again.context["is_again"]
    assert not reader.get(f"/puzzles/{puzzle.day}/").context["is_right"]
    first = Answer.objects.get()
    assert not first.is_right and first.tries == 2
    assert not reader.get(f"/puzzles/{puzzle.day}/?again=Z99").context["is_again"]
    assert "question" in Client().get(f"/puzzles/{puzzle.day}/?again=yes").context, "nobody sees a solution unasked"


def test_the_share_of_people_right_at_once_is_told_from_five_on(make_puzzle):
    puzzle = make_puzzle(holds=True)
    for count in range(4):
        assert answer(Client(), puzzle, claim="yes").context["share"] == "", count
    assert answer(Client(), puzzle, claim="yes").context["share"] == "100% found it on the first try."
    reader = Client()
    wrong = answer(reader, puzzle, claim="no", card=find_wrong_card(puzzle, reader.get("/puzzles/")))
    assert wrong.context["share"] == "83% found it on the first try."


def test_a_card_and_its_flag_are_chosen_step_by_step_without_script(make_puzzle):
    puzzle, reader = make_puzzle("best"), Client()
    best = puzzle.solution["best"]
    page = reader.get("/puzzles/best/", {"chosen": " ".join(best.split()[:2])})
    assert page.context["question"].chosen == " ".join(best.split()[:2])
    assert f'name="action" value="{best}"' in page.text
    page = reader.get("/puzzles/best/", {"action": best})
    assert str(page.context["question"].name) in read(reader, f"/puzzles/best/?action={best}")
    assert "question" in reader.get("/puzzles/best/", {"action": "play Z9 1", "chosen": "what is this"}).context
    response = answer(reader, puzzle, action=best)
    assert response.context["verdict"] == "Right." and response.redirect_chain[-1][0].endswith("/best/#verdict")


def test_the_solution_of_a_choice_compares_four_with_the_one_played(make_puzzle):
    puzzle = make_puzzle("best")
    ranked = sorted(puzzle.solution["chances"], key=lambda action: -puzzle.solution["chances"][action])
    given = ranked[-1]
    solved = answer(Client(), puzzle, action=given).context["solved"]
    assert len(solved.choices) == 4
    percents = [choice.percent for choice in solved.choices]
    assert percents == sorted(percents, reverse=True)
    assert solved.choices[0].is_best and solved.choices[0].percent == 70
    assert sum(choice.is_given for choice in solved.choices) == sum(choice.is_played for choice in solved.choices) == 1
    ghosts = [side.ghost for flag in solved.board.flags for side in flag.sides if side.ghost]
    assert len(ghosts) == (puzzle.solution["best"].split()[1] not in ("fog", "mud"))


def test_a_user_has_a_streak_and_a_guest_keeps_it_in_the_browser(make_puzzle, ana):
    reader = Client()
    reader.force_login(ana)
    puzzle = make_puzzle(holds=True)
    assert reader.get("/puzzles/").context["streak"].text == "No streak yet"
    streak = answer(reader, puzzle, claim="yes").context["streak"]
    assert streak.text == "1 day in a row" and streak.is_known
    assert [day.state for day in streak.week] == ["missed"] * 6 + ["solved"]
    assert "Your puzzle rating: 1" in read(reader, "/puzzles/")
    guest = answer(Client(), puzzle, claim="yes")
    assert "Your puzzle rating" not in guest.text and not guest.context["streak"].is_known
    assert f'data-day="{puzzle.day}" data-right="yes"' in guest.text


def test_an_older_puzzle_is_no_day_of_the_streak(make_puzzle):
    old = make_puzzle(holds=True, day=today() - timedelta(1))
    assert 'data-right="yes"' not in answer(Client(), old, claim="yes").text


def test_puzzles_to_come_and_days_without_one_are_not_found(make_puzzle):
    tomorrow = make_puzzle(day=today() + timedelta(1))
    for address in (f"/puzzles/{tomorrow.day}/", f"/puzzles/{tomorrow.day}/board.png", "/puzzles/2001-01-01/best/"):
        assert Client().get(address).status_code == 404, address
    assert Client().post(f"/puzzles/{tomorrow.day}/", {"claim": "yes"}).status_code == 404
    assert Client().get("/puzzles/never/").status_code == 404


def test_the_picture_shows_the_board_without_the_answer(make_puzzle):
    for kind, address in (("claim", ""), ("best", "best/")):
        puzzle = make_puzzle(kind)
        response = Client().get(f"/puzzles/{puzzle.day}/{address}board.png")
        assert response["Content-Type"] == "image/png" and response.content[:4] == b"\x89PNG"
    page = Client().get("/puzzles/")
    assert f'content="http://testserver/puzzles/{puzzle.day}/board.png"' in page.text


def test_what_is_shared_tells_nothing_of_the_answer(make_puzzle):
    puzzle = make_puzzle()
    page = answer(Client(), puzzle, claim="no", card=puzzle.solution["card"]).text
    shared = page.partition('id="share-plain"')[2].partition("</span><button")[0]
    assert f"http://testserver/puzzles/{puzzle.day}/" in shared and "first try" in shared
    assert "not yet" not in shared and puzzle.solution["card"] not in shared


def test_earlier_puzzles_are_listed_with_the_readers_answers(make_puzzle, settings):
    reader = Client()
    for ago in range(3):
        puzzle = make_puzzle(holds=True, day=today() - timedelta(ago))
    answer(reader, puzzle, claim="yes")
    rows = reader.get("/puzzles/archive/").context["rows"]
    assert [row.puzzle.day for row in rows] == [today() - timedelta(ago) for ago in range(3)]
    assert [row.answer is not None for row in rows] == [False, False, True]
    assert "Right" in read(reader, "/puzzles/archive/")
    assert "No puzzles yet." in read(reader, "/puzzles/archive/?kind=best")


def test_the_list_has_pages_and_asks_as_often_for_many_as_for_few(make_puzzle):
    def count() -> int:
        shelf.clear()
        with CaptureQueriesContext(connection) as queries:
            assert Client().get("/puzzles/archive/").status_code == 200
        return len(queries)

    for ago in range(2):
        make_puzzle(day=today() - timedelta(ago))
    few = count()
    for ago in range(2, 40):
        make_puzzle(day=today() - timedelta(ago))
    assert count() == few
    assert len(Client().get("/puzzles/archive/?page=2").context["rows"]) == 10


def test_pages_of_one_reader_are_kept_for_nobody_else(make_puzzle):
    puzzle, reader = make_puzzle(), Client()
    solved = answer(reader, puzzle, claim="yes")
    assert "no-store" in solved["Cache-Control"] and "private" in solved["Cache-Control"]
    assert "question" in Client().get(f"/puzzles/{puzzle.day}/").context


def test_the_menu_leads_from_play_to_the_puzzle(make_puzzle):
    assert 'href="/puzzles/"' in Client().get("/play/").text
    page = Client().get("/puzzles/").text
    assert '<a href="/play/" aria-current="page">' in page


def test_the_pages_speak_hungarian(make_puzzle):
    make_puzzle()
    make_puzzle("best")
    reader = Client(headers={"Accept-Language": "hu"})
    assert "Igényelheti-e" in read(reader, "/puzzles/")
    assert "Melyik a legjobb lap?" in read(reader, "/puzzles/best/")

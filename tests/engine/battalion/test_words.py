"""Deployments and reformings as text: each is legal, or refused with the place and the ruling."""

import re

from hypothesis import given
from hypothesis import strategies as st

from engine.core import IllegalAction, MalformedAction, State
from tests.engine.battalion.board import CARDS, GUARDS
from tests.engine.battalion.ground import fits
from tests.engine.battalion.staging import begin, legal, play, sentence, undeployed
from tests.full import examples

PLACE = re.compile(r"\brow \d|\b[1-9][a-z]\b|guard|hand|rows|'deploy ROWS|'reform ROWS|too long|longer than")
RULING = re.compile(r"\(BT-\d+(, BT-\d+)*\)|BT-35")
CELL = re.compile(r"(-?[1-9][0-9]?|0)=(10|[2-9AKQJ])")

XS = st.sampled_from([*map(str, range(-3, 9)), "-99", "99", "100", "-0", "+1", "01", "", "x", "1.0", "١", " 2", "--1"])
NAMES = st.sampled_from([*CARDS, *CARDS, *CARDS, "1", "11", "a", "?", "", "10 ", "B", "A=K"])
SIGNS = st.sampled_from(["="] * 12 + ["", ":", "=="])
LOOSE_CELL = st.builds(lambda x, equals, card: f"{x}{equals}{card}", XS, SIGNS, NAMES)
LOOSE_ROWS = st.lists(st.lists(LOOSE_CELL, max_size=5).map(",".join), max_size=4).map("/".join)
KEYS = st.sampled_from([" guard="] * 4 + [" hand=", " guard", "guard=", " ", ""])
TAILS = st.builds(lambda key, card: f"{key}{card}", KEYS, NAMES)


@st.composite
def near_layouts(draw: st.DrawFn, cards: tuple[str, ...]) -> str:
    """Rows of well-formed cells, most of them of different cards, at places that often hang together."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    deck = iter(draw(st.permutations(cards * 2 if draw(st.integers(0, 9)) == 0 else cards)))
    rows = []
    for length in lengths:
        x = draw(st.integers(-2, 2))
        cells = []
        for _ in range(length):
            cells.append(f"{x}={next(deck, 'A')}")
            x += draw(st.sampled_from((2, 2, 2, 2, 2, 2, 3, 4, 1)))
        rows.append(",".join(draw(st.permutations(cells))))
    return "/".join(rows)


def layout_of(text: str) -> list[list[tuple[int, str]]] | None:
    """The cells of ROWS; None where they are not of the grammar."""
    found = []
    for row in text.split("/"):
        cells = [CELL.fullmatch(cell) for cell in row.split(",")]
        if not all(cells):
            return None
        found.append([(int(cell[1]), cell[2]) for cell in cells if cell])
    return found


def is_formation(lines: list[list[tuple[int, str]]]) -> bool:
    return fits(tuple(tuple(sorted(x for x, _ in line)) for line in lines))


def judge_deployment(text: str) -> str:
    """What BT-2, BT-3 and the grammar make of it: malformed, illegal or legal."""
    match = re.fullmatch(r"deploy ([^ ]+) guard=(10|[2-9AKQJ])", text)
    lines = layout_of(match[1]) if match else None
    if match is None or lines is None:
        return "malformed"
    cards = [card for line in lines for _, card in line] + [match[2]]
    distinct = len(set(cards)) == len(cards)
    return "legal" if distinct and match[2] in GUARDS and is_formation(lines) else "illegal"


DISTANCES = {"9": 2, "8": 2, "A": 1, "2": 1, "7": 0, "3": 0, "4": 0}
"""Rows behind each card that seat 0 has laid out."""


def reforming() -> State:
    return begin("0=9,2=8/0=A,2=2/0=7,2=3,4=4 guard=5", "0=A guard=2")


def judge_reforming(text: str) -> str:
    """What BT-35 and the grammar make of it."""
    match = re.fullmatch(r"reform ([^ ]+)(?: hand=(10|[2-9AKQJ]))?", text)
    lines = layout_of(match[1]) if match else None
    if match is None or lines is None:
        return "malformed"
    laid = [(card, len(lines) - 1 - row) for row, line in enumerate(lines) for _, card in line]
    cards = [card for card, _ in laid] + ([match[2]] if match[2] else [])
    whole = sorted(cards) == sorted(DISTANCES)
    near = all(distance <= DISTANCES.get(card, 0) for card, distance in laid)
    return "legal" if whole and near and len(lines) <= 2 and is_formation(lines) else "illegal"


def check(state: State, text: str, expected: str) -> None:
    try:
        move = state.parse(text)
    except MalformedAction as error:
        assert expected == "malformed", error
        assert PLACE.search(str(error)), error
    except IllegalAction as error:
        assert expected == "illegal", error
        assert PLACE.search(str(error)) and RULING.search(str(error)), error
    else:
        assert expected == "legal"
        assert state.text(move) == text
        state.play(move)
        assert state.to_act == 1


@examples(100, 600)
@given(
    st.one_of(
        st.builds(lambda rows, guard: f"deploy {rows} guard={guard}", near_layouts(CARDS), NAMES),
        st.builds(lambda rows, tail: f"deploy {rows}{tail}", near_layouts(CARDS[:-1]), TAILS),
        st.builds(lambda rows, tail: f"deploy {rows}{tail}", LOOSE_ROWS, TAILS),
        st.builds(lambda rows: f"deploy {rows} guard=2", near_layouts(CARDS[:-1])),
    )
)
def test_every_deployment_is_legal_or_refused_with_ruling_and_place(text: str) -> None:
    check(undeployed(2), text, judge_deployment(text))


def in_two_rows(deck: list[str]) -> str:
    """All seven cards, or six and one taken back."""
    taken = f" hand={deck[6]}" if deck[0] < deck[1] else ""
    back = deck[3:6] if taken else deck[3:]
    rows = [",".join(f"{2 * x}={card}" for x, card in enumerate(line)) for line in (deck[:3], back)]
    return f"reform {'/'.join(rows)}{taken}"


@examples(100, 600)
@given(
    st.one_of(
        st.builds(lambda rows: f"reform {rows}", near_layouts(tuple(DISTANCES))),
        st.builds(lambda rows, card: f"reform {rows} hand={card}", near_layouts(tuple(DISTANCES)), NAMES),
        st.builds(lambda rows, tail: f"reform {rows}{tail}", LOOSE_ROWS, TAILS),
        st.permutations(tuple(DISTANCES)).map(in_two_rows),
    )
)
def test_every_reforming_is_legal_or_refused_with_ruling_and_place(text: str) -> None:
    check(reforming(), text, judge_reforming(text))


@examples(60, 200)
@given(st.text(max_size=40))
def test_text_of_any_kind_is_refused_in_words(text: str) -> None:
    for state in (undeployed(2), reforming()):
        for words in (text, f"deploy {text}", f"reform {text}", f"deploy 0=A guard={text}"):
            said = sentence(state, words)
            assert said is None or 0 < len(said) < 400


def test_the_examples_of_the_legal_list_are_legal_and_differ_in_shape() -> None:
    state = undeployed(4)
    examples = legal(state)
    assert all(judge_deployment(text) == "legal" for text in examples) and len(examples) >= 8
    assert state.open_grammar is not None
    shapes = {re.sub("=[^,/ ]+", "", text) for text in examples}
    assert len(shapes) == len(examples)
    assert all(judge_reforming(text) == "legal" for text in legal(reforming(), "reform"))


def test_a_very_long_text_is_refused_with_a_short_sentence() -> None:
    for words in ("deploy " + "0=A," * 15_000, "deploy 0=A guard=" + "5" * 60_000, "reform " + "/" * 60_000):
        said = sentence(undeployed(2), words)
        assert said is not None and len(said) < 200


def test_in_a_turn_deployments_are_refused_and_while_deploying_all_else() -> None:
    assert "(BT-2)" in (sentence(reforming(), "deploy 0=A guard=5") or "")
    for words in ("pass", "modify", "attack 1a 1:1a", "move 1a 1b", "reinforce A 1a", "pickup", "reform 0=A"):
        assert "(BT-2)" in (sentence(undeployed(2), words) or "")
    after = play(begin("0=A guard=5", "0=2 guard=3"), "attack 1a 1:1a")
    after.forfeit(1, "timeout")
    assert sentence(after, "pass") == "the leg is finished"

"""The library of formations: each can be deployed, and no two are the same."""

import pytest

from engine.games.battalion.formations import (
    CARDS_BY_NAME,
    FORMATIONS,
    Formation,
    LaidOut,
    canonical,
    count_hand,
    example_of,
    find_named,
    list_laid_out,
    print_shape,
    read_shape,
)
from engine.games.battalion.geometry import Rows, build_shape
from tests.engine.battalion.staging import side, undeployed

LARGEST: Rows = ((0, 2, 4, 6), (0, 2, 4, 6), (0, 2, 4, 6))
WIDEST: Rows = ((0, 2, 4, 6), (6, 8, 10, 12), (12, 14, 16, 18))
each = pytest.mark.parametrize("formation", FORMATIONS, ids=lambda formation: formation.name)


@each
def test_a_formation_is_deployed_as_it_is_drawn(formation: Formation) -> None:
    state = undeployed(2)
    for _ in range(2):
        state.play(state.parse(formation.action))
    rows = side(state, 0)["rows"]
    assert tuple(tuple(cell["x"] for cell in row) for row in rows) == build_shape(formation.rows).rows == formation.rows
    assert [cell["card"] for row in rows for cell in row] == formation.cards.split()
    assert formation.index == "-".join(str(len(row)) for row in [*rows, [], []][:3])
    assert [line.count("[ ]") for line in formation.picture.splitlines()] == [len(row) for row in rows]
    for line, row in zip(formation.picture.splitlines(), rows, strict=True):
        assert [line[2 * cell["x"] : 2 * cell["x"] + 3] for cell in row] == ["[ ]"] * len(row)


@each
def test_a_formation_of_the_library_is_symmetrical(formation: Formation) -> None:
    edges = {row[0] + row[-1] for row in formation.rows}
    assert len(edges) == 1
    assert all(row == tuple(edges.copy().pop() - x for x in reversed(row)) for row in formation.rows)


def test_the_formations_differ_in_name_and_shape_and_use() -> None:
    assert len(FORMATIONS) >= 12
    assert len({formation.name for formation in FORMATIONS}) == len(FORMATIONS)
    assert len({formation.rows for formation in FORMATIONS}) == len(FORMATIONS)
    assert {len(formation.rows) for formation in FORMATIONS} == {1, 2, 3}
    sizes = {len(formation.cards.split()) for formation in FORMATIONS}
    assert min(sizes) <= 4 and max(sizes) >= 11
    assert all(set(formation.cards.split()) | {formation.guard} <= set(CARDS_BY_NAME) for formation in FORMATIONS)


def test_the_legal_list_of_a_deployment_is_the_library() -> None:
    state = undeployed(3)
    assert list(state.actions()) == [formation.action for formation in FORMATIONS]
    assert state.open_grammar is not None and state.forced() is None


def test_a_picture_reads_like_the_formation() -> None:
    hourglass = next(formation for formation in FORMATIONS if formation.name == "Hourglass")
    assert hourglass.index == "3-1-3"
    assert hourglass.picture == "[ ] [ ] [ ]\n    [ ]\n[ ] [ ] [ ]"


def test_the_library_has_the_shapes_as_they_are_compared() -> None:
    assert all(canonical(formation.rows) == formation.rows for formation in FORMATIONS)


def test_a_shape_and_its_mirror_image_are_the_same() -> None:
    left, right = ((0, 2, 4), (0, 2)), ((0, 2, 4), (2, 4))
    assert canonical(left) == canonical(right) == left
    assert canonical([[7, 3, 5], [5, 7]]) == left
    funnel = find_named([[-6, -4, -2, 0], [-5, -3, -1], [-4, -2]])
    assert funnel is not None and funnel.name == "Funnel"
    assert find_named(left) is None


@pytest.mark.parametrize("rows", [*(formation.rows for formation in FORMATIONS), LARGEST, WIDEST])
def test_a_shape_has_an_example_that_can_be_deployed(rows: Rows) -> None:
    state = undeployed(2)
    for _ in range(2):
        state.play(state.parse(example_of(rows)))
    deployed = side(state, 0)
    assert tuple(tuple(cell["x"] for cell in row) for row in deployed["rows"]) == rows
    assert deployed["hand_size"] == count_hand(rows)
    assert read_shape(print_shape(rows)) == rows


def test_what_a_record_lays_out_is_listed_by_seat() -> None:
    actions = [
        {"seat": 0, "action": "deploy 3=A,1=10/2=Q guard=9"},
        {"seat": 1, "action": "forfeit", "verdict": "timeout"},
        {"seat": 0, "action": "pass"},
        {"seat": 0, "action": "reform 0=10/0=A hand=Q"},
    ]
    assert list(list_laid_out(actions)) == [
        LaidOut(0, "deploy", ((0, 2), (1,))),
        LaidOut(0, "reform", ((0,), (0,))),
    ]

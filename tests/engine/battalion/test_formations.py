"""The library of formations: each can be deployed, and no two are the same."""

import pytest

from engine.games.battalion.cards import BY_NAME
from engine.games.battalion.formations import FORMATIONS, Formation
from engine.games.battalion.geometry import shape_of
from tests.engine.battalion.staging import side, undeployed

each = pytest.mark.parametrize("formation", FORMATIONS, ids=lambda formation: formation.name)


@each
def test_a_formation_is_deployed_as_it_is_drawn(formation: Formation) -> None:
    state = undeployed(2)
    for _ in range(2):
        state.play(state.parse(formation.action))
    rows = side(state, 0)["rows"]
    assert tuple(tuple(cell["x"] for cell in row) for row in rows) == shape_of(formation.rows).rows == formation.rows
    assert [cell["card"] for row in rows for cell in row] == formation.cards.split()
    assert formation.index == "-".join(str(len(row)) for row in [*rows, [], []][:3])
    assert [line.count("[ ]") for line in formation.picture.splitlines()] == [len(row) for row in rows]
    for line, row in zip(formation.picture.splitlines(), rows, strict=True):
        assert [line[2 * cell["x"] : 2 * cell["x"] + 3] for cell in row] == ["[ ]"] * len(row)


def test_the_formations_differ_in_name_and_shape_and_use() -> None:
    assert len(FORMATIONS) >= 12
    assert len({formation.name for formation in FORMATIONS}) == len(FORMATIONS)
    assert len({formation.rows for formation in FORMATIONS}) == len(FORMATIONS)
    assert {len(formation.rows) for formation in FORMATIONS} == {1, 2, 3}
    sizes = {len(formation.cards.split()) for formation in FORMATIONS}
    assert min(sizes) <= 4 and max(sizes) >= 11
    assert all(set(formation.cards.split()) | {formation.guard} <= set(BY_NAME) for formation in FORMATIONS)


def test_the_legal_list_of_a_deployment_is_the_library() -> None:
    state = undeployed(3)
    assert list(state.actions()) == [formation.action for formation in FORMATIONS]
    assert state.open_grammar is not None and state.forced() is None


def test_a_picture_reads_like_the_formation() -> None:
    hourglass = next(formation for formation in FORMATIONS if formation.name == "Hourglass")
    assert hourglass.index == "3-1-3"
    assert hourglass.picture == "[ ] [ ] [ ]\n    [ ]\n[ ] [ ] [ ]"

"""Formations as drawings: every cell has a place of its own, and the style knows all places."""

import re
from pathlib import Path

import pytest

from arena.pages.games.battalion.board import GRID_TRACKS_PER_CARD, lay_out_formation, read_deployment
from engine.games.battalion.formations import FORMATIONS
from engine.games.battalion.geometry import build_shape

STYLE = Path("arena/pages/static/games/battalion/board.css").read_text()
WIDEST = ((0, 2, 4, 6), (6, 8, 10, 12), (12, 14, 16, 18))
SHAPES = [*(formation.rows for formation in FORMATIONS), WIDEST]


@pytest.mark.parametrize("rows", SHAPES)
def test_cells_do_not_overlap_and_fit_the_drawing(rows):
    layout = lay_out_formation(rows)
    taken = [
        (spot.rank, track)
        for spot in layout.spots.values()
        for track in range(spot.track, spot.track + GRID_TRACKS_PER_CARD)
    ]
    taken += [(layout.emperor.rank, layout.emperor.track + track) for track in range(GRID_TRACKS_PER_CARD)]
    assert len(set(taken)) == len(taken)
    assert all(1 <= track <= layout.tracks and 1 <= rank <= layout.ranks for rank, track in taken)


@pytest.mark.parametrize("rows", SHAPES)
def test_a_connection_joins_what_the_rules_connect(rows):
    layout, shape = lay_out_formation(rows), build_shape(rows)
    names = {spot: name for name, spot in layout.spots.items()}
    drawn = {frozenset((names[connection.start], names[connection.end])) for connection in layout.connections}
    joined = {
        frozenset((shape.cells[cell], shape.cells[other]))
        for cell, others in enumerate(shape.neighbours)
        for other in others
    }
    assert drawn == joined | {frozenset((shape.cells[cell], "g")) for cell in shape.back}


@pytest.mark.parametrize("rows", SHAPES)
def test_the_style_knows_every_place(rows):
    layout = lay_out_formation(rows)
    spots = [*layout.spots.values(), layout.keep, layout.emperor]
    classes = {place for spot in spots for place in spot.position_classes.split()} - {"tens-0", "ones-0"}
    classes |= {f"tracks-{layout.tracks}", f"ranks-{layout.ranks}"}
    assert classes <= set(re.findall(r"\.([a-z]+-\d+)", STYLE))


def test_a_deployment_reads_as_the_view_will_show_it():
    rows, guard = read_deployment("deploy 5=10,3=A/4=Q guard=7")
    assert [[(cell["cell"], cell["x"], cell["card"]) for cell in row] for row in rows] == [
        [("1a", 0, "A"), ("1b", 2, "10")],
        [("2a", 1, "Q")],
    ]
    assert guard == {"card": "7", "shown": False}

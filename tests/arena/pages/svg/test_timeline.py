"""What the timeline shows of a leg, and that it holds together for every game and number of seats."""

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from arena.pages.games import find_presentation
from arena.pages.games.presentation import Level, Mark
from arena.pages.matches.frames import list_open_chances
from arena.pages.matches.replay import play_back
from arena.pages.svg.timeline import (
    AnalysedChances,
    Timeline,
    build_timeline,
    compute_mean_leads,
    list_reported_chances,
)
from engine.core import Json

LIMIT_MS = 100.0


def with_evals(record: Json, *values: float) -> Json:
    """The same leg in which each bot said its chances in its first answer."""
    actions = [dict(entry) for entry in record["actions"]]
    for seat, value in enumerate(values):
        next(entry for entry in actions if entry["seat"] == seat)["eval"] = value
    return {**record, "actions": actions}


def timeline_of(record: Json, number: int = 0, limit_ms: float = LIMIT_MS, **of_picture) -> Timeline:
    playback = play_back(record, None)
    presentation = replace(find_presentation(record["game"], record["edition"]), **of_picture)
    return build_timeline(playback.scene(number), presentation, playback, limit_ms)


def graph(timeline: Timeline, kind: str):
    return next((graph for graph in timeline.graphs if graph.kind == kind), None)


def claims_every_tenth(step) -> list[Mark]:
    return [Mark("claim", 0, "pennant-0", "claims")] if step.number % 10 == 0 and step.number else []


@pytest.mark.parametrize(("game", "players"), [("battleline", 2), ("battalion", 2), ("battalion", 3), ("battalion", 4)])
def test_every_graph_is_a_drawing(record_of, game, players):
    record = with_evals(record_of(1, "standard", game, players), *[0.5, -0.5, 0.25][:players])
    timeline = timeline_of(record)
    kinds = [graph.kind for graph in timeline.graphs]
    assert kinds[0] == "chances"
    assert kinds[-1] == "thinking"
    for one in timeline.graphs:
        drawn = ElementTree.fromstring(f"<svg>{one.drawing}</svg>")
        assert len(list(drawn.iter())) > players
        assert "style=" not in one.drawing


def test_chances_are_left_out_where_no_bot_says_any(record_of):
    assert graph(timeline_of(record_of(1)), "chances") is None


def test_two_seats_share_one_balance(record_of):
    said = list_reported_chances(play_back(with_evals(record_of(1), 0.5, -0.25), None).steps, 2)
    assert [one[-1] for one in said] == [0.5, -0.25]
    assert compute_mean_leads(said)[0] == 0
    assert compute_mean_leads(said)[-1] == pytest.approx(0.375)
    both = graph(timeline_of(with_evals(record_of(1), 0.5)), "chances")
    assert (both.above, both.below) == ("North", "South")


@pytest.mark.parametrize(("near", "below", "percents"), [(0, "South", [50, 80, 5]), (1, "North", [50, 20, 95])])
def test_the_chances_rise_for_the_seat_below_by_the_figures_of_the_analysis(record_of, near, below, percents):
    """Figures are those of the first seat with all cards open; of two seats the one below is named and drawn below."""
    first = [0.5, 0.8, 0.05]
    playback = play_back({**record_of(1), "actions": record_of(1)["actions"][:4], "result": None}, None, near)
    chances = list_open_chances(playback.steps, {"chances": [first[0], 0.6, first[1], 0.7, first[2]]})
    scene = playback.scene(1)
    presentation = find_presentation("battleline", "standard")
    timeline = build_timeline(scene, presentation, playback, chances=AnalysedChances(chances))
    assert timeline.percents == percents and timeline.chance_shown == f"{below} {percents[1]}%"
    analysed = graph(timeline, "analysed")
    assert (analysed.below, analysed.above) == (below, {"North": "South", "South": "North"}[below])
    edge = "0 {} 1 {} 2 {}".format(*percents)
    assert all(f'class="area-{near}" d="M0 0L{edge}V0z"' in drawn for drawn in (analysed.drawing, timeline.strip))


def test_more_seats_have_a_line_each_that_differs_in_more_than_colour(record_of):
    record = with_evals(record_of(1, "standard", "battalion", 3), 0.5, 0.1, -0.2)
    chances = graph(timeline_of(record), "chances")
    assert [seat for seat, _name in chances.legend] == [0, 1, 2]
    assert all(f"line-{seat}" in chances.drawing for seat in range(3))


def test_marks_are_placed_by_their_step_and_jumped_to(record_of):
    timeline = timeline_of(record_of(1), number=10, list_marks=claims_every_tenth, jump_labels={"claim": "Next claim"})
    assert [spot.step for spot in timeline.spots][:3] == [10, 20, 30]
    assert timeline.spots[0].x == timeline.playhead == f"{1000 / timeline.last:.2f}%"
    (jump,) = timeline.jumps
    assert (jump.label, jump.step) == ("Next claim", 20)
    at_end = timeline_of(record_of(1), number=999, list_marks=claims_every_tenth, jump_labels={"claim": "Next claim"})
    assert at_end.jumps[0].step is None


def test_marks_that_would_touch_stand_on_different_lanes(record_of):
    twice = timeline_of(record_of(1), list_marks=lambda step: claims_every_tenth(step) * 2)
    assert [spot.lane for spot in twice.spots[:4]] == [0, 1, 0, 1]
    assert twice.lanes == 2


def test_nothing_is_marked_or_jumped_to_where_nothing_happens(record_of):
    timeline = timeline_of(record_of(1), list_marks=lambda step: [], jump_labels={"claim": "Next claim"})
    assert not timeline.spots
    assert not timeline.jumps
    assert timeline.lanes == 1


def test_levels_are_steps_of_the_measure(record_of):
    levels = [Level(0, [3, 3, 2]), Level(1, [3, 1, 0])]
    measured = graph(
        timeline_of(record_of(1), measure=lambda playback: levels, measure_label="Cards standing"), "measured"
    )
    assert measured.title == "Cards standing"
    assert 'd="M0 100H0V100H1V100H2V67"' in measured.drawing
    assert graph(timeline_of(record_of(1), measure=lambda playback: []), "measured") is None


@pytest.mark.parametrize(
    ("levels", "paths"),
    [
        ([[0, -1, -3], [0, 1, 3]], ["M0 50H0V50H1V33H2V0", "M0 50H0V50H1V67H2V100"]),
        ([[0, -2], [0, -1]], ["M0 100H0V100H1V0", "M0 100H0V100H1V50"]),
        ([[2, 2], [2, 1]], ["M0 100H0V100H1V100", "M0 100H0V100H1V50"]),
    ],
)
def test_levels_below_zero_are_inside_the_graph(record_of, levels, paths):
    own = [Level(seat, values) for seat, values in enumerate(levels)]
    measured = graph(timeline_of(record_of(1), measure=lambda playback: own, measure_label="Chips"), "measured")
    assert all(f'd="{path}"' in measured.drawing for path in paths)
    assert ('class="middle"' in measured.drawing) == (min(map(min, levels)) < 0 < max(map(max, levels)))


def test_levels_that_stay_at_zero_are_not_drawn(record_of):
    own = [Level(0, [0, 0]), Level(1, [0, 0])]
    assert graph(timeline_of(record_of(1), measure=lambda playback: own), "measured") is None


@pytest.mark.parametrize("decisions", [2, 3, 40])
def test_bars_of_thinking_time_lie_inside_and_side_by_side(record_of, decisions):
    record = {**record_of(1), "actions": record_of(1)["actions"][:decisions], "result": None}
    drawn = ElementTree.fromstring(f"<svg>{graph(timeline_of(record), 'thinking').drawing}</svg>")
    bars = [tuple(float(bar.get(name)[:-1]) for name in ("x", "width")) for bar in drawn.iter("rect")]
    assert bars and all(left >= -0.01 and left + width <= 100.01 for left, width in bars)
    assert all(one[0] + one[1] <= other[0] + 0.01 for one, other in pairwise(bars))


def test_the_limit_is_drawn_only_where_an_answer_came_near_it(record_of):
    """Two answers of a step took 3.5 ms each."""
    near = graph(timeline_of(record_of(1), limit_ms=10), "thinking")
    assert 'class="limit"' in near.drawing
    assert near.hint == "limit 10 ms"
    far = graph(timeline_of(record_of(1), limit_ms=1000), "thinking")
    assert 'class="limit"' not in far.drawing
    assert far.hint == "longest 7 ms, limit 1.00 s"


def test_a_leg_without_a_step_has_a_timeline(record_of):
    record = {**record_of(1), "actions": [], "result": None}
    timeline = timeline_of(record)
    assert timeline.playhead == "0.00%"
    assert not timeline.graphs

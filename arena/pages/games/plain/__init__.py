"""The presentation of a game without pages of its own: its views as tables, its events in sentences."""

from django.utils.translation import gettext_lazy

from arena.pages.games.plain.board import build_board, measure_points
from arena.pages.games.plain.descriptions import describe_ending, describe_events, list_marks, name_seat
from arena.pages.games.plain.preview_image import lay_out_preview
from arena.pages.games.plain.reasons import build_proof
from arena.pages.games.presentation import Presentation

PRESENTATION = Presentation(
    folder="plain",
    name_seat=name_seat,
    describe_events=describe_events,
    build_board=build_board,
    build_proof=build_proof,
    describe_ending=describe_ending,
    list_marks=list_marks,
    measure=measure_points,
    measure_label=gettext_lazy("Points"),
    lay_out_preview=lay_out_preview,
)

"""List formations, and find one."""

import re
from collections.abc import Sequence

from django.db.models import Case, F, FloatField, Q, Value, When
from django.db.models.functions import Cast

from arena.formations.models import GAME, Formation, FormationQuerySet, library_shapes
from arena.ladders.models import Ladder

SHAPE = re.compile(r"[0-9,/]+")
MIN_LEGS_OF_SUCCESS = 20
"""Deployments below which mean points say more about luck than about a formation."""


def list_formations(
    *, shape: str | None = None, cells: int | None = None, named: bool | None = None
) -> FormationQuerySet:
    """List the formations that have a name or were laid out in a rated leg, with the version that was first.

    The arguments leave only the one with a shape, those of a number of cells, and those with or without a name.
    """
    found = Formation.objects.named() | Formation.objects.used()
    if named is not None:
        found = found.named() if named else found.unnamed()
    if shape is not None:
        found = found.filter(shape=shape) if SHAPE.fullmatch(shape) else found.none()
    if cells is not None:
        found = found.filter(cells=cells)
    return found.select_related("first_version__bot__owner").defer("first_version__build_log")


def list_named() -> FormationQuerySet:
    """List the formations with names: the engine's in its order, then those that staff named, by name."""
    places = [When(shape=shape, then=Value(place)) for place, shape in enumerate(library_shapes())]
    order = Case(*places, default=Value(len(places)))
    return list_formations(named=True).order_by(order, "name", "pk")


def list_by_deployments() -> FormationQuerySet:
    """List the formations that were deployed, the most used first."""
    return list_formations().filter(deployed__gt=0).order_by("-deployed", "pk")


def list_by_reformings() -> FormationQuerySet:
    """List the formations that bots reformed into, the most used first."""
    return list_formations().filter(reformed__gt=0).order_by("-reformed", "pk")


def list_by_success() -> FormationQuerySet:
    """List the formations that were deployed often enough to compare them, by mean points."""
    often = list_formations().filter(deployed__gte=MIN_LEGS_OF_SUCCESS)
    mean = F("deployed_points") / Cast("deployed", FloatField())
    return often.annotate(mean=mean).order_by("-mean", "-deployed", "pk")


def list_unnamed() -> FormationQuerySet:
    """List the formations without a name, the newest first."""
    return list_formations(named=False).order_by("-pk")


def find_formation(pk: int) -> Formation | None:
    """Return one of the formations listed by its key, or None."""
    return list_formations().filter(pk=pk).first()


def find_by_shape(shape: str) -> Formation | None:
    """Return one of the formations listed by its shape, or None."""
    return list_formations(shape=shape).first()


def list_sizes() -> Sequence[int]:
    """Return the numbers of cells of all formations listed, ascending."""
    return list(list_formations().order_by("cells").values_list("cells", flat=True).distinct())


def list_ladders_behind() -> list[Ladder]:
    """List the public ladders of which lines of the ledger wait to be read for formations."""
    is_behind = Q(formation_progress=None, last_sequence__gt=0) | Q(formation_progress__sequence__lt=F("last_sequence"))
    return list(Ladder.objects.public().filter(is_behind, game=GAME).defer("secret").order_by("pk"))

"""Count the formations of rated matches, each match once, name formations, and list them."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Case, F, FloatField, Max, Q, Value, When
from django.db.models.functions import Cast
from django.utils.timezone import now
from django.utils.translation import override, pgettext

from arena.contests.formations.models import (
    GAME_KEY,
    MAX_NAME_LENGTH,
    Formation,
    FormationProgress,
    FormationQuerySet,
    FormationUse,
    library_shapes,
    make_formation,
)
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.matches.models import Leg, Participant
from arena.people.accounts.models import User
from arena.runner.match import compute_place_points
from engine.games.battalion.formations import FORMATIONS, list_laid_out, print_shape
from engine.message import gettext_noop, message

# Give formations their names: staff does, once each.


@transaction.atomic
def name_formation(*, formation: Formation, by: User, name: str, name_hu: str) -> Formation:
    """Name a formation in English and Hungarian, and return it.

    Raises NotYours for who isn't staff, Conflict where the formation has a name or another has this one, and
    ArenaError where a name can't be read as one.
    """
    name, name_hu = _tidy(name), _tidy(name_hu)
    formation = Formation.objects.select_for_update(no_key=True).get(pk=formation.pk)
    check_formation_name(formation=formation, by=by, name=name, name_hu=name_hu)
    formation.name, formation.name_hu, formation.named_by, formation.named_at = name, name_hu, by, now()
    formation.save(update_fields=["name", "name_hu", "named_by", "named_at"])
    return formation


def check_formation_name(*, formation: Formation, by: User, name: str, name_hu: str) -> None:
    """Raise what `name_formation` would raise."""
    if not by.is_staff:
        raise NotYours(message(gettext_noop("Only the arena's staff can name formations.")))
    if formation.is_named:
        raise Conflict(
            message(
                gettext_noop("This formation already has a name: %(name)s. It can't be changed."),
                name=formation.english_name,
            )
        )
    taken = {one.casefold() for one in _list_names()}
    for one in (_tidy(name), _tidy(name_hu)):
        _check_one(one, taken)


def _check_one(name: str, taken: set[str]) -> None:
    if not name:
        raise ArenaError(message(gettext_noop("Give the formation an English and a Hungarian name.")))
    if len(name) > MAX_NAME_LENGTH:
        template = gettext_noop("A formation's name can have at most %(most)s characters.")
        raise ArenaError(message(template, most=MAX_NAME_LENGTH))
    if not name.replace(" ", "").replace("-", "").isalpha():
        raise ArenaError(message(gettext_noop("A formation's name can only contain letters, spaces and hyphens.")))
    if name.casefold() in taken:
        raise Conflict(message(gettext_noop("Another formation is already called %(name)s."), name=name))


def _tidy(name: str) -> str:
    return " ".join(name.split())


def _list_names() -> Iterator[str]:
    """Yield the names that are taken, in both languages."""
    for formation in FORMATIONS:
        yield formation.name
        with override("hu"):
            yield pgettext("named formation", formation.name)
    for names in Formation.objects.exclude(name="").values_list("name", "name_hu"):
        yield from names


# List formations, and find one.

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


def find_last_counted() -> datetime | None:
    """Return when the sums of formations changed last; None where nothing has been counted."""
    newest: datetime | None = FormationProgress.objects.aggregate(Max("counted_at"))["counted_at__max"]
    return newest


def list_ladders_behind() -> list[Ladder]:
    """List the public ladders of which lines of the ledger wait to be read for formations."""
    is_behind = Q(formation_progress=None, last_sequence__gt=0) | Q(formation_progress__sequence__lt=F("last_sequence"))
    return list(Ladder.objects.public().filter(is_behind, game=GAME_KEY).defer("secret").order_by("pk"))


# Count the formations of rated matches, each match once, by reading the ledger of its ladder line after line.
#
# Lines are only ever appended, so the number of the last line read says what was counted. A match that a later line
# excludes is taken back.

MAX_LINES_PER_CALL = 50
"""Parsing the records of one match takes some milliseconds, and other matches wait meanwhile."""
TOTALS = {
    FormationUse.Kind.DEPLOY.value: ("deployed", "deployed_points"),
    FormationUse.Kind.REFORM.value: ("reformed", "reformed_points"),
}
"""By kind of use: the fields of a formation that sum up legs and points."""


@dataclass(slots=True)
class Use:
    """The number of times a participant laid a shape out, and the points of these legs."""

    legs: int = 0
    points: float = 0.0


UseKey = tuple[int, str, str]
"""Key of a participant, shape and kind."""


def register_library() -> int:
    """Add the formations that the engine names and the table lacks. Return how many were added."""
    shapes = library_shapes()
    known = set(Formation.objects.filter(shape__in=shapes).values_list("shape", flat=True))
    missing = [make_formation(shape) for shape in shapes if shape not in known]
    Formation.objects.bulk_create(missing, ignore_conflicts=True)
    return len(missing)


def count_formations(*, ladder: Ladder, max_lines: int = MAX_LINES_PER_CALL) -> int:
    """Count the formations of the next lines of a ladder's ledger. Return how many lines were read.

    Repeated and concurrent calls are safe. Ladders of other games have no formations, and what a group plays isn't
    counted: everyone sees the sums. Nor is what is played on open ladders.
    """
    is_public = ladder.group_id is None and not ladder.clock
    return _count_lines(ladder, max_lines) if ladder.game == GAME_KEY and is_public else 0


def count_missed_formations() -> None:
    """Count some more lines of every ledger that was not read to its end."""
    for ladder in list_ladders_behind():
        count_formations(ladder=ladder)


@transaction.atomic
def _count_lines(ladder: Ladder, max_lines: int) -> int:
    FormationProgress.objects.get_or_create(ladder=ladder)
    progress = FormationProgress.objects.select_for_update(no_key=True).get(ladder=ladder)
    start = progress.sequence
    end = min(start + max_lines, Ladder.objects.values_list("last_sequence", flat=True).get(pk=ladder.pk))
    if end <= start:
        return 0
    rows = list(_list_lines(ladder, start, end))
    _add_matches([row.match_id for row in rows if _is_new(row, start) and not _is_excluded(row, end)])
    _take_back_matches([row.match_id for row in rows if not _is_new(row, start)])
    progress.sequence, progress.counted_at = end, now()
    progress.save(update_fields=["sequence", "counted_at"])
    return end - start


def _list_lines(ladder: Ladder, start: int, end: int) -> Iterable[LadderMatch]:
    """List the matches that a line after `start` and up to `end` rates or excludes, in the order of the ledger."""
    rated, excluded = Q(sequence__gt=start, sequence__lte=end), Q(void_sequence__gt=start, void_sequence__lte=end)
    return LadderMatch.objects.filter(rated | excluded, ladder=ladder).order_by("sequence")


def _is_new(row: LadderMatch, start: int) -> bool:
    return row.sequence is not None and row.sequence > start


def _is_excluded(row: LadderMatch, end: int) -> bool:
    return row.void_sequence is not None and row.void_sequence <= end


def _add_matches(matches: Collection[int]) -> None:
    """Count the formations of matches, given in the order of the ledger."""
    participants = Participant.objects.filter(match__in=matches).in_bulk()
    uses = _read_uses(matches, participants.values())
    if not uses:
        return
    formations = _lock_formations({shape for _participant, shape, _kind in uses})
    for (pk, shape, kind), use in uses.items():
        formation, participant = formations[shape], participants[pk]
        _add(formation, kind, use.legs, use.points)
        if formation.first_match_id is None:
            formation.first_match_id, formation.first_version_id = participant.match_id, participant.version_id
    FormationUse.objects.bulk_create(
        FormationUse(
            formation=formations[shape], participant_id=participant, kind=kind, legs=use.legs, points=use.points
        )
        for (participant, shape, kind), use in uses.items()
    )
    _save(formations.values())


def _read_uses(matches: Collection[int], participants: Iterable[Participant]) -> dict[UseKey, Use]:
    """Return what the participants of these matches laid out, in the order of the matches and of play."""
    legs = Leg.objects.filter(match__in=matches).exclude(record=None).order_by("number")
    keys = {(one.match_id, one.index): one.pk for one in participants}
    uses: dict[UseKey, Use] = {}
    place = {match: number for number, match in enumerate(matches)}
    for leg in sorted(legs.only("match_id", "seating", "record"), key=lambda one: place[one.match_id]):
        for seat, shape, kind, points in _read_leg(leg):
            use = uses.setdefault((keys[leg.match_id, leg.seating[seat]], shape, kind), Use())
            use.legs += 1
            use.points += points
    return uses


def _read_leg(leg: Leg) -> Iterator[tuple[int, str, str, float]]:
    """Yield seat, shape, kind and the seat's points of every formation laid out in a leg."""
    record = leg.record_data
    points = compute_place_points(record["result"]["places"])
    for laid in list_laid_out(record["actions"]):
        yield laid.seat, print_shape(laid.rows), laid.verb, points[laid.seat]


def _take_back_matches(matches: Collection[int]) -> None:
    """Count the formations of these matches no longer."""
    if not matches:
        return
    uses = list(FormationUse.objects.filter(participant__match__in=matches).select_related("participant"))
    formations = {row.pk: row for row in _lock(Q(uses__in=uses))} if uses else {}
    for use in uses:
        _add(formations[use.formation_id], use.kind, -use.legs, -use.points)
    FormationUse.objects.filter(pk__in=[use.pk for use in uses]).delete()
    gone = set(matches)
    for formation in formations.values():
        if formation.first_match_id in gone:
            _find_first(formation)
    _save(formations.values())


def _find_first(formation: Formation) -> None:
    """Set the first use of those that are left."""
    line = "participant__match__ladder_match"
    left = FormationUse.objects.filter(formation=formation).order_by(
        F(f"{line}__ladder").asc(), F(f"{line}__sequence").asc(), "participant__index"
    )
    first = left.select_related("participant").first()
    formation.first_match_id = first.participant.match_id if first else None
    formation.first_version_id = first.participant.version_id if first else None


def _add(formation: Formation, kind: str, legs: int, points: float) -> None:
    legs_field, points_field = TOTALS[kind]
    total = getattr(formation, legs_field) + legs
    setattr(formation, legs_field, total)
    setattr(formation, points_field, getattr(formation, points_field) + points if total else 0.0)


def _lock_formations(shapes: Collection[str]) -> dict[str, Formation]:
    """Return the formations with these shapes, made where there is none, locked until the end of the transaction."""
    found = {row.shape: row for row in _lock(Q(shape__in=shapes))}
    missing = sorted(set(shapes) - found.keys())
    if missing:
        Formation.objects.bulk_create(map(make_formation, missing), ignore_conflicts=True)
        found |= {row.shape: row for row in _lock(Q(shape__in=missing))}
    return found


def _lock(condition: Q) -> list[Formation]:
    """Return the formations of which this holds, locked in the order of their keys: no two calls block each other."""
    keys = Formation.objects.filter(condition).values("pk")
    return list(Formation.objects.select_for_update(no_key=True).filter(pk__in=keys).order_by("pk"))


def _save(formations: Iterable[Formation]) -> None:
    fields = ["deployed", "deployed_points", "reformed", "reformed_points", "first_match", "first_version"]
    Formation.objects.bulk_update(formations, fields)

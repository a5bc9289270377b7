"""Read stories for pages and feeds."""

from datetime import date

from django.db.models import Case, QuerySet, When

from arena.stories.models import Story

KIND_ORDER = Case(*(When(kind=kind, then=number) for number, kind in enumerate(Story.Kind)))


def list_stories(day: date) -> QuerySet[Story]:
    """List the stories of a day with whom they are about, in the order in which they are told."""
    return _with_bots(Story.objects.filter(day=day)).order_by(KIND_ORDER)


def list_newest_stories(limit: int) -> QuerySet[Story]:
    """List the newest stories of all days."""
    return _with_bots(Story.objects.all())[:limit]


def find_latest_day() -> date | None:
    """Return the last day of which there are stories."""
    return Story.objects.values_list("day", flat=True).first()


def list_days(before: date, limit: int) -> list[date]:
    """List the days before this one of which there are stories, the latest first."""
    days = Story.objects.filter(day__lt=before).order_by("-day").values_list("day", flat=True).distinct()
    return list(days[:limit])


def _with_bots(stories: QuerySet[Story]) -> QuerySet[Story]:
    related = [f"{entry}__version__bot__owner" for entry in ("first", "second")]
    deferred = [f"{entry}__version__build_log" for entry in ("first", "second")]
    found = stories.select_related("match", "first__ladder", *related)
    return found.defer("match__deal", "match__options", "match__limits", "first__ladder__secret", *deferred)

"""Let the arena play for a class until a time that staff sets, and say until when.

While a lesson runs, matches of public ladders and demo tournaments wait, and nothing is analysed that nobody asked for.
Its end is a time in the database: nothing has to be woken for what waits to go on.
"""

import re
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.timezone import get_current_timezone, is_naive, localtime, make_aware, now

from arena.core.errors import ArenaError, Conflict
from arena.matches.models import MAX_LESSON, Lesson, find_lesson
from engine.message import gettext_noop, message

TIME_OF_DAY = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


class BadLesson(ArenaError):
    """A lesson can't end then; the message says why."""


def parse_end(text: str) -> datetime:
    """Return the time that a person means: the next 15:30, or a date with a time. Raises BadLesson.

    Without a zone it is the current one: on pages the reader's, on the command line the arena's.
    """
    text = text.strip()
    if found := TIME_OF_DAY.fullmatch(text):
        at = localtime()
        hour, minute = map(int, found.groups())
        wanted = at.replace(hour=hour, minute=minute, second=0, microsecond=0, fold=0)
        return wanted if wanted > at else wanted + timedelta(days=1)
    try:
        named = parse_datetime(text)
    except ValueError:
        named = None
    if named is None:
        problem = gettext_noop("Enter a time (15:30) or a date and time (2026-11-30 15:30).")
        raise BadLesson(message(problem))
    return make_aware(named, get_current_timezone()) if is_naive(named) else named


def check_end(ends_at: datetime) -> Lesson | None:
    """Return the lesson that runs now, if any, whose end this would be. Raises BadLesson or Conflict."""
    if ends_at <= now():
        raise BadLesson(message(gettext_noop("This time is in the past.")))
    if ends_at > now() + MAX_LESSON:
        problem = gettext_noop("A lesson can last at most %(hours)s hours. Choose a time no later than %(time)s.")
        hours = MAX_LESSON // timedelta(hours=1)
        raise BadLesson(message(problem, hours=hours, time=format_end(now() + MAX_LESSON)))
    lesson = find_lesson()
    if lesson is not None and lesson.ends_at == ends_at:
        raise Conflict(message(gettext_noop("The lesson already ends at %(time)s."), time=format_end(ends_at)))
    return lesson


def check_running() -> Lesson:
    """Return the lesson that runs now. Raises Conflict where none does."""
    if (lesson := find_lesson()) is None:
        raise Conflict(message(gettext_noop("No lesson is running.")))
    return lesson


@transaction.atomic
def start_lesson(*, ends_at: datetime) -> Lesson:
    """Start a lesson, or let the one that runs end then. Raises as `check_end`."""
    lesson = check_end(ends_at)
    if lesson is None:
        return Lesson.objects.create(ends_at=ends_at)
    lesson.ends_at = ends_at
    lesson.save(update_fields=["ends_at"])
    return lesson


@transaction.atomic
def end_lesson() -> None:
    """End the lesson that runs. Raises Conflict where none does."""
    lesson = check_running()
    lesson.ends_at = now()
    lesson.save(update_fields=["ends_at"])


def format_end(ends_at: datetime) -> str:
    """Return the end for a sentence, in the current time zone: the time alone on the same day."""
    at = localtime(ends_at)
    return date_format(at, "H:i" if at.date() == localtime().date() else "j F H:i")

"""Baked queries find what the queries find that they are made of."""

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from importlib import import_module
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import pytest
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.utils.timezone import now
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import arena.baked
from arena.baked import LAST_KEY, Baked, baked, make_mark
from arena.bots.models import Bot, BotVersion
from arena.matches.capabilities import WorkerCapabilities
from arena.matches.models import Match
from arena.runner.verdict import Verdict

KEYS = st.integers(0, LAST_KEY) | st.integers(1, 6)


def of_owner(owner: int) -> QuerySet:
    return Bot.objects.filter(owner=owner).select_related("owner")


def any_of(pks: Sequence[int], least: int) -> QuerySet:
    return Bot.objects.filter(pk__in=pks, owner__gte=least).order_by("-pk").values_list("pk", "slug")


def called(slug: str) -> QuerySet:
    return Bot.objects.filter(slug=slug).exclude(name="100 % o'clock").only("name")


def since(then: datetime, day: date) -> QuerySet:
    return Bot.objects.filter(created_at__gte=then, created_at__date__lt=day).values_list("pk", flat=True)


def with_newest(owner: int) -> QuerySet:
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number").values("number")[:1]
    return Bot.objects.filter(Q(owner=owner) | ~Q(owner=owner), pk=F("pk")).annotate(newest=Subquery(newest))


@pytest.fixture
def bots(ana, ben, make_version) -> list[Bot]:
    versions = [make_version(ana, "Kingfisher"), make_version(ana, "Kingfisher"), make_version(ben, "Heron")]
    Bot.objects.create(owner=ben, name="100 % o'clock", slug="o-clock", game="battleline")
    return [version.bot for version in versions]


@pytest.mark.django_db
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(owner=KEYS, pks=st.lists(KEYS, max_size=40))
def test_keys_and_lists_of_keys(bots, owner, pks):
    assert baked(of_owner)(owner) == list(of_owner(owner))
    assert baked(any_of)(pks, owner) == list(any_of(pks, owner))
    assert [bot.newest for bot in baked(with_newest)(owner)] == [bot.newest for bot in with_newest(owner)]


@pytest.mark.django_db
def test_one_query_serves_many_keys(bots, ana, ben, django_assert_num_queries):
    ask = baked(any_of)
    with django_assert_num_queries(3):
        assert ask([bots[0].pk, bots[2].pk], 0) == [(bots[2].pk, "heron"), (bots[0].pk, "kingfisher")]
        assert ask([bots[2].pk], 0) == [(bots[2].pk, "heron")]
        assert ask((bots[0].pk, bots[2].pk), ben.pk) == [(bots[2].pk, "heron")]


@pytest.mark.django_db
def test_words_and_times(bots):
    ask = baked(called)
    assert [bot.name for bot in ask("heron")] == ["Heron"]
    assert [bot.name for bot in ask("kingfisher")] == ["Kingfisher"]
    assert ask("o-clock") == ask("') or 1=1 --") == ask("%s") == []
    now = datetime.now(UTC)
    for then, day in ((now - timedelta(hours=1), date(2999, 1, 1)), (now, date(2999, 1, 1)), (now, date(1999, 1, 1))):
        assert baked(since)(then, day) == list(since(then, day))


@pytest.mark.django_db
def test_in_an_empty_list_nothing_is_found(bots):
    assert baked(any_of)([], 1) == baked(of_owner)(LAST_KEY) == []


@pytest.mark.django_db
def test_a_constant_is_part_of_the_query(bots):
    @baked
    def first(owner: int, *, size: int) -> QuerySet:
        return Bot.objects.filter(pk__gte=owner).order_by("pk").values_list("slug", flat=True)[:size]

    assert [first(0, size=size) for size in (1, 2)] == [["kingfisher"], ["kingfisher", "heron"]]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "make",
    [
        lambda key: Bot.objects.filter(pk__gt=1),
        lambda key: Bot.objects.filter(pk=key + 1),
        lambda key: Bot.objects.filter(slug__contains=key),
        lambda key: Bot.objects.all()[:key],
        lambda key: Bot.objects.filter(pk__in=[]),
    ],
    ids=["unused", "changed", "part of a word", "a size", "nothing"],
)
def test_what_is_not_compared_as_it_is_is_refused(make):
    with pytest.raises(TypeError, match="as they are"):
        baked(make)(1)


@pytest.mark.django_db
def test_a_list_is_compared_as_a_list():
    with pytest.raises(TypeError, match="as they are"):
        baked(lambda keys: Bot.objects.filter(pk__gt=keys[0]))([1])


@pytest.mark.django_db
def test_every_word_that_stays_is_in_the_query():
    query = Baked(called("mark 0"), ["mark 0"])
    assert query.parameters == ["mark 0"]
    assert "'100 %% o''clock'" in "".join(query.parts)


CONSTANTS = {
    **dict.fromkeys(("limit", "size", "depth", "walked", "count"), 3),
    **dict.fromkeys(("is_fault", "is_unrated"), True),
    "capabilities": WorkerCapabilities(False, frozenset({"python"})),
    "state": Match.State.FINISHED,
    "verdicts": (Verdict.CRASH, Verdict.TIMEOUT),
}


EXAMPLES = {
    int: 1,
    float: 1500.0,
    str: "heron",
    list: [1, 2, 40_000],
    date: date(2026, 1, 1),
    datetime: datetime(2026, 1, 1, tzinfo=UTC),
}


def list_baked() -> list[Callable]:
    """All of the arena's."""
    of_all, house = baked(of_owner).__code__, Path(arena.baked.__file__).parent
    paths = sorted(path for path in house.rglob("*.py") if "\n@baked\n" in path.read_text())
    modules = [import_module(".".join(path.relative_to(house.parent).with_suffix("").parts)) for path in paths]
    things = [(module, thing) for module in modules for thing in vars(module).values()]
    return [
        thing
        for module, thing in things
        if getattr(thing, "__code__", None) is of_all and thing.__module__ == module.__name__
    ]


def kind_of(hint: Any) -> type:
    return list if get_origin(hint) in (Sequence, Collection) else hint


@pytest.mark.django_db
@pytest.mark.parametrize("ask", list_baked(), ids=lambda ask: f"{ask.__module__}.{ask.__name__}")
def test_every_baked_query_takes_its_keys_and_is_the_same_at_all_times(ask, monkeypatch):
    make, hints = ask.__wrapped__, get_type_hints(ask.__wrapped__)
    hints.pop("return")
    constants = {name: CONSTANTS[name] for name in hints if name in CONSTANTS}
    kinds = [kind_of(hint) for name, hint in hints.items() if name not in CONSTANTS]
    marks = [make_mark(kind, number) for number, kind in enumerate(kinds)]
    first = Baked(make(*marks, **constants), marks)
    monkeypatch.setattr("django.utils.timezone.datetime", Tomorrow)
    again = Baked(make(*marks, **constants), marks)
    assert (first.parts, first.parameters) == (again.parts, again.parameters)
    keys = [EXAMPLES[kind] for kind in kinds]
    assert ask(*keys, **constants) == ask(*keys, **constants) == list(make(*keys, **constants))


class Tomorrow(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        return datetime.now(tz) + timedelta(days=1)


@pytest.mark.django_db
def test_a_query_of_today_would_be_noticed(monkeypatch):
    def made_before(owner: int) -> QuerySet:
        return Bot.objects.filter(owner=owner, created_at__lt=now())

    marks = [make_mark(int, 0)]
    first = Baked(made_before(*marks), marks)
    monkeypatch.setattr("django.utils.timezone.datetime", Tomorrow)
    again = Baked(made_before(*marks), marks)
    assert (first.parts, first.parameters) != (again.parts, again.parameters)
    assert len(list_baked()) > 40

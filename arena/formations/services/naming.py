"""Give formations their names: staff does, once each."""

from collections.abc import Iterator

from django.db import transaction
from django.utils.timezone import now
from django.utils.translation import override, pgettext

from arena.accounts.models import User
from arena.errors import ArenaError, Conflict, NotYours
from arena.formations.models import MAX_NAME_LENGTH, Formation
from engine.games.battalion.formations import FORMATIONS
from engine.message import gettext_noop, message


@transaction.atomic
def name_formation(*, formation: Formation, by: User, name: str, name_hu: str) -> Formation:
    """Name a formation in English and Hungarian, and return it.

    Raises NotYours for who isn't staff, Conflict where the formation has a name or another has this one, and
    ArenaError where a name can't be read as one.
    """
    name, name_hu = _tidy(name), _tidy(name_hu)
    formation = Formation.objects.select_for_update(no_key=True).get(pk=formation.pk)
    check_name(formation=formation, by=by, name=name, name_hu=name_hu)
    formation.name, formation.name_hu, formation.named_by, formation.named_at = name, name_hu, by, now()
    formation.save(update_fields=["name", "name_hu", "named_by", "named_at"])
    return formation


def check_name(*, formation: Formation, by: User, name: str, name_hu: str) -> None:
    """Raise what `name_formation` would raise."""
    if not by.is_staff:
        raise NotYours(message(gettext_noop("Only the staff of this arena names formations.")))
    if formation.is_named:
        raise Conflict(
            message(
                gettext_noop("This formation has a name already: %(name)s. A name is given once."),
                name=formation.english_name,
            )
        )
    taken = {one.casefold() for one in _list_names()}
    for one in (_tidy(name), _tidy(name_hu)):
        _check_one(one, taken)


def _check_one(name: str, taken: set[str]) -> None:
    if not name:
        raise ArenaError(message(gettext_noop("Give the formation a name in English and one in Hungarian.")))
    if len(name) > MAX_NAME_LENGTH:
        template = gettext_noop("A formation's name has at most %(most)s characters.")
        raise ArenaError(message(template, most=MAX_NAME_LENGTH))
    if not name.replace(" ", "").replace("-", "").isalpha():
        raise ArenaError(message(gettext_noop("A formation's name has letters, spaces and hyphens only.")))
    if name.casefold() in taken:
        raise Conflict(message(gettext_noop("Another formation is called %(name)s."), name=name))


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

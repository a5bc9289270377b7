"""Limit sign-ups, wrong passwords and codes, and mails, counted in the database: where a cache is lost, no limit is.

An action is recorded first and counted then, so that of many at once no more than the limit get through. An action
that is refused isn't counted.
"""

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.timezone import now

from arena.core.errors import ArenaError
from arena.people.accounts.models import LimitedAction
from engine.message import gettext_noop, message

SIGN_UP_WINDOW = timedelta(hours=1)
WRONG_PASSWORD_WINDOW = timedelta(minutes=15)
"""Window for one name and one address."""
WRONG_PASSWORDS_OF_ADDRESS_WINDOW = timedelta(hours=1)
WRONG_CODES_WINDOW = timedelta(hours=1)
MAX_WRONG_CODES = 20
"""Wrong codes of a second factor within the window, from all addresses: whoever types one knows the password."""
WRONG_JOIN_CODES_WINDOW = timedelta(hours=1)
MAX_WRONG_JOIN_CODES = 10
"""Wrong codes of groups and tournaments within the window, from one user."""
MAX_WRONG_JOIN_CODES_PER_ADDRESS = 100
"""A whole class may type from one address."""
ANNOUNCEMENTS_WINDOW = timedelta(hours=1)
MAX_ANNOUNCEMENTS = 5
"""Announcements of one organiser within the window, and changed deadlines of one tournament that are mailed."""
MAILED_SLIPS_WINDOW = timedelta(days=1)
MAX_MAILED_SLIPS = 300
"""Slips that one organiser may mail within the window: whoever gets one has asked for nothing."""
MAX_MAILED_SLIPS_TO_ADDRESS = 5
"""The same to one address, of all organisers."""
RETENTION = max(
    SIGN_UP_WINDOW,
    WRONG_PASSWORD_WINDOW,
    WRONG_PASSWORDS_OF_ADDRESS_WINDOW,
    WRONG_CODES_WINDOW,
    WRONG_JOIN_CODES_WINDOW,
    ANNOUNCEMENTS_WINDOW,
    MAILED_SLIPS_WINDOW,
)
TOO_MANY_SIGN_UPS = gettext_noop(
    "Too many sign-ups from your address. Try again in %(minutes)s min, or ask the site's staff."
)
TOO_MANY_WRONG_PASSWORDS = gettext_noop(
    "Too many wrong passwords for this name from your address. Try again in %(minutes)s min."
)
TOO_MANY_WRONG_PASSWORDS_OF_ADDRESS = gettext_noop(
    "Too many wrong passwords from your address. Try again in %(minutes)s min."
)
TOO_MANY_WRONG_CODES = gettext_noop(
    "Too many wrong codes for this account. Try again in %(minutes)s min, or sign in with a passkey."
)
TOO_MANY_WRONG_JOIN_CODES = gettext_noop(
    "Too many wrong codes. Try again in %(minutes)s min, or open the link that came with the code."
)
TOO_MANY_ANNOUNCEMENTS = gettext_noop(
    "You've sent many announcements lately, and each is emailed to many people. Try again in %(minutes)s min."
)
TOO_MANY_MAILED_SLIPS = gettext_noop("Too many slips were emailed in one day, by you or to this address.")


class TooManyActions(ArenaError):
    """There were as many of these actions lately as are allowed; the message says how long to wait."""

    status = 429


@dataclass(frozen=True, slots=True)
class Limit:
    """How often an action is allowed within a window of time."""

    kind: LimitedAction.Kind
    key: str
    amount: int
    window: timedelta
    refusal: str
    """The template of the sentence, with the minutes to wait."""


def count_sign_up(*, address: str) -> None:
    """Count a sign-up from an address. Raises TooManyActions."""
    limit = Limit(
        LimitedAction.Kind.SIGN_UP,
        _hash_key(address),
        settings.MAX_SIGN_UPS_PER_HOUR,
        SIGN_UP_WINDOW,
        TOO_MANY_SIGN_UPS,
    )
    _count_action([limit])


def count_password_attempt(*, address: str, name: str) -> list[int]:
    """Count a password as wrong before it is looked at, and return what `forgive_attempt` takes back if it is right.

    Each name is counted for each address, so that nobody can lock an author out from elsewhere. Raises TooManyActions.
    """
    same_name = unicodedata.normalize("NFKC", name).casefold().strip()
    return _count_action(
        [
            Limit(
                LimitedAction.Kind.WRONG_PASSWORD,
                _hash_key(address, same_name),
                settings.MAX_WRONG_PASSWORDS,
                WRONG_PASSWORD_WINDOW,
                TOO_MANY_WRONG_PASSWORDS,
            ),
            Limit(
                LimitedAction.Kind.WRONG_PASSWORD_FROM_ADDRESS,
                _hash_key(address),
                settings.MAX_WRONG_PASSWORDS_PER_ADDRESS,
                WRONG_PASSWORDS_OF_ADDRESS_WINDOW,
                TOO_MANY_WRONG_PASSWORDS_OF_ADDRESS,
            ),
        ]
    )


def count_code_attempt(*, user: int) -> list[int]:
    """Count a code of a second factor as wrong before it is looked at, as `count_password_attempt` does.

    Raises TooManyActions.
    """
    kind = LimitedAction.Kind.WRONG_CODE
    key = _hash_key(str(user))
    return _count_action([Limit(kind, key, MAX_WRONG_CODES, WRONG_CODES_WINDOW, TOO_MANY_WRONG_CODES)])


def count_join_code(*, user: int, address: str) -> list[int]:
    """Count a code of a group or a tournament as wrong before it is looked at, as `count_password_attempt` does.

    Raises TooManyActions.
    """
    kinds = LimitedAction.Kind
    window, refusal = WRONG_JOIN_CODES_WINDOW, TOO_MANY_WRONG_JOIN_CODES
    of_user = Limit(kinds.WRONG_JOIN_CODE, _hash_key(str(user)), MAX_WRONG_JOIN_CODES, window, refusal)
    most = MAX_WRONG_JOIN_CODES_PER_ADDRESS
    of_address = Limit(kinds.WRONG_JOIN_CODE_FROM_ADDRESS, _hash_key(address), most, window, refusal)
    return _count_action([of_user, of_address])


def count_announcement(*, user: int) -> list[int]:
    """Count an announcement of an organiser, and return what `forgive_attempt` takes back. Raises TooManyActions."""
    kind, key = LimitedAction.Kind.ANNOUNCEMENT, _hash_key(str(user))
    return _count_action([Limit(kind, key, MAX_ANNOUNCEMENTS, ANNOUNCEMENTS_WINDOW, TOO_MANY_ANNOUNCEMENTS)])


def count_changed_deadline(*, tournament: int) -> None:
    """Count a changed deadline of a tournament. Raises TooManyActions."""
    kind, key = LimitedAction.Kind.CHANGED_DEADLINE, _hash_key(str(tournament))
    _count_action([Limit(kind, key, MAX_ANNOUNCEMENTS, ANNOUNCEMENTS_WINDOW, TOO_MANY_ANNOUNCEMENTS)])


def count_mailed_slip(*, user: int, address: str) -> None:
    """Count a slip that an organiser mails to an address. Raises TooManyActions."""
    kinds, window, refusal = LimitedAction.Kind, MAILED_SLIPS_WINDOW, TOO_MANY_MAILED_SLIPS
    of_user = Limit(kinds.MAILED_SLIP, _hash_key(str(user)), MAX_MAILED_SLIPS, window, refusal)
    key, most = _hash_key(address.casefold()), MAX_MAILED_SLIPS_TO_ADDRESS
    _count_action([of_user, Limit(kinds.MAILED_SLIP_TO_ADDRESS, key, most, window, refusal)])


def forgive_attempt(actions: Iterable[int]) -> None:
    """Take back the count of a password or code that was right; earlier wrong ones stay."""
    LimitedAction.objects.filter(pk__in=list(actions)).delete()


def _count_action(limits: list[Limit]) -> list[int]:
    moment = now()
    counted = [LimitedAction.objects.create(kind=limit.kind, key=limit.key, at=moment).pk for limit in limits]
    for limit in limits:
        since = moment - limit.window
        others = LimitedAction.objects.filter(kind=limit.kind, key=limit.key, at__gt=since).exclude(pk__in=counted)
        if others.count() >= limit.amount:
            forgive_attempt(counted)
            raise _build_refusal(limit, list(others.order_by("-at").values_list("at", flat=True)[: limit.amount]))
    return counted


def _build_refusal(limit: Limit, times: list[datetime]) -> TooManyActions:
    """Return the refusal: the wait is over when the oldest of the newest actions leaves the window."""
    wait_s = max(1.0, (times[-1] + limit.window - now()).total_seconds() if times else limit.window.total_seconds())
    return TooManyActions(message(limit.refusal, minutes=math.ceil(wait_s / 60)), retry_after=wait_s)


def _hash_key(*parts: str) -> str:
    """Return a hash, so that the table tells nobody who was here."""
    return salted_hmac("arena.accounts.limits", "\n".join(parts), algorithm="sha256").hexdigest()

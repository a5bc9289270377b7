"""Authenticate the request: a script by a token, `Authorization: Bearer pnt_…`, or a person by the site's session.

Everybody may read what is public; every view of the API requires an account for writing. A view that requires more
uses one of these: `own_bot_or_404` for what only a bot's owner may do, `BySession` for what no token may do.
`request.auth` is the token, None for a session.
"""

from typing import Any, TypeGuard

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from arena.accounts.models import User
from arena.accounts.two_factor import STAFF_NEED_SECOND_FACTOR, lacks_required_second_factor
from arena.api.errors import require_row
from arena.bots.models import Bot, Token
from arena.bots.queries.bots import find_visible_bot
from arena.bots.teams import check_author
from arena.bots.tokens import find_token
from arena.errors import NotYours
from arena.private_responses import forbid_caching
from engine.message import gettext_noop, message

AUTHENTICATION_SCHEME = "Bearer"


class ByToken(BaseAuthentication):
    """Authenticate by the token in the Authorization header."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return the token and its owner, or None without a token. Raise AuthenticationFailed for an invalid one."""
        scheme, _space, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != AUTHENTICATION_SCHEME.lower():
            return None
        token = find_token(text.strip())
        if token is None:
            raise AuthenticationFailed(_("This token is unknown or was revoked."))
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        """Return the value of the WWW-Authenticate header."""
        return f'{AUTHENTICATION_SCHEME} realm="api"'


class ByCookie(SessionAuthentication):
    """Authenticate by the site's session. Staff without the second factor that they need may only read."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        """Return the user, or None where nobody is signed in. Raise NotYours for staff without a second factor."""
        known = super().authenticate(request)
        if known is not None and request.method not in SAFE_METHODS and lacks_required_second_factor(known[0]):
            raise NotYours(message(STAFF_NEED_SECOND_FACTOR))
        return known


class BySession(BasePermission):
    """Allow only people who are signed in on the site, not tokens."""

    message = gettext_lazy("This can't be done with a token: sign in on the site.")

    def has_permission(self, request: Request, view: object) -> bool:
        """Return whether a person is signed in."""
        return request.user.is_authenticated and request.auth is None


def require_user(request: Request) -> User:
    """Return the user who is signed in. Raise NotAuthenticated where nobody is."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user


def is_signed_in(user: object) -> TypeGuard[User]:
    """Return whether somebody is signed in."""
    return isinstance(user, User)


def find_bot_of_token(request: Request) -> int | None:
    """Return the key of the one bot that the token is for; None for other tokens and for sessions."""
    token: Any = request.auth
    return None if token is None else token.bot_id


def is_owner(request: Request, bot: Bot) -> bool:
    """Return whether the request may see and do what the bot's authors may."""
    if not bot.has_author(request.user):
        return False
    return find_bot_of_token(request) in (None, bot.pk)


def check_owner(request: Request, bot: Bot) -> None:
    """Raise NotAuthenticated for the public, NotYours for other users and for a token for another bot."""
    check_author(bot, require_user(request))
    if not is_owner(request, bot):
        raise NotYours(message(gettext_noop("This token is not for %(bot)s."), bot=bot.name))


def require_unrestricted_token(request: Request) -> User:
    """Return the user who is signed in. Raise NotAuthenticated for the public, NotYours for a token for one bot."""
    user = require_user(request)
    if find_bot_of_token(request) is not None:
        raise NotYours(message(gettext_noop("This token is for one bot, and this concerns all of your bots.")))
    return user


def bot_or_404(request: Request, slug: str) -> Bot:
    """Return the bot if the reader may see it. Raise NotFound. One for a group is never cached."""
    bot = require_row(find_visible_bot(request.user, slug), _("There is no bot at %(slug)s.") % {"slug": slug})
    if bot.group_id is not None:
        forbid_caching(request)
    return bot


def own_bot_or_404(request: Request, slug: str) -> Bot:
    """Return the bot if the request may act for its owner. Raise NotFound, NotAuthenticated or NotYours."""
    bot = bot_or_404(request, slug)
    check_owner(request, bot)
    return bot

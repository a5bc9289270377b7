"""Who asks: a script by a token, `Authorization: Bearer pnt_…`, or a person by the site's session.

Everybody may read what is public; who writes must be known, which every view of this API asks for by itself. What more
a view wants it says by one of these: `my_bot` for what only a bot's owner may do, `BySession` for what no token may.
`request.auth` is the token, None for a session.
"""

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, NotFound
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from arena.accounts.models import User
from arena.bots.lookups import ask_bot
from arena.bots.models import Bot, Token
from arena.bots.tokens import find_token
from arena.errors import NotYours

SCHEME = "Bearer"


class ByToken(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME.lower():
            return None
        token = find_token(text.strip())
        if token is None:
            raise AuthenticationFailed("This token is unknown or was revoked.")
        return token.owner, token

    def authenticate_header(self, request: Request) -> str:
        return f'{SCHEME} realm="api"'


class BySession(BasePermission):
    """What only a person in front of the site may do: with tokens, above all."""

    message = "This can't be done with a token: log in to the site."

    def has_permission(self, request: Request, view: object) -> bool:
        return request.user.is_authenticated and request.auth is None


def is_owner(request: Request, bot: Bot) -> bool:
    """Whether the asker may see and do whatever the owner of the bot may."""
    if bot.owner_id != request.user.pk:
        return False
    return request.auth is None or request.auth.bot_id in (None, bot.pk)


def check_owner(request: Request, bot: Bot) -> None:
    """Raises NotAuthenticated where nobody is known to ask, NotYours where it is somebody else, or a token for another
    bot."""
    if not request.user.is_authenticated:
        raise NotAuthenticated
    if bot.owner_id != request.user.pk:
        raise NotYours(f"{bot.name} belongs to somebody else.")
    if not is_owner(request, bot):
        raise NotYours(f"This token is not for {bot.name}.")


def check_general(request: Request) -> None:
    """For what concerns no bot that is there yet, or all of them. Raises NotAuthenticated, or NotYours for a token that
    is for one bot."""
    if not request.user.is_authenticated:
        raise NotAuthenticated
    if request.auth is not None and request.auth.bot_id is not None:
        raise NotYours("This token is for one bot, and this concerns all of them.")


def find_bot(slug: str) -> Bot:
    """Raises NotFound."""
    found = ask_bot(slug)
    if not found:
        raise NotFound(f"There is no bot at {slug}.")
    return found[0]


def my_bot(request: Request, slug: str) -> Bot:
    """The bot, of its owner or of a token that may act for it. Raises NotFound, NotAuthenticated or NotYours."""
    bot = find_bot(slug)
    check_owner(request, bot)
    return bot

"""References in requests and responses: a version by its bot and number, a page by its address."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.serializers import CharField, Field, IntegerField, ListField, Serializer, SlugField

from arena.bots.models import Bot, BotVersion
from arena.bots.queries import versions

MAX_INTEGER_COLUMN_VALUE = 2**31 - 1
"""The largest number that a column of every database holds."""


@extend_schema_field(OpenApiTypes.URI)
class HtmlUrlField(Field):
    """The address of the page about a row: its `get_absolute_url` with the name of the host."""

    def __init__(self) -> None:
        super().__init__(source="get_absolute_url", read_only=True, help_text="Address of the page for people.")

    def to_representation(self, path: str) -> str:
        """Return the address with scheme and host."""
        return str(self.context["request"].build_absolute_uri(path))


@extend_schema_field(ListField(child=CharField()))
class AuthorsField(Field):
    """The user names of a bot's authors. Its source is the bot."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            read_only=True, help_text="User names of the bot's authors, the one who leads first.", **options
        )

    def to_representation(self, bot: Bot) -> list[str]:
        """Return the user names."""
        return bot.author_names


class VersionSerializer(Serializer):
    """A version of a bot, named."""

    bot = CharField(source="bot.slug", help_text="Slug of the bot.")
    name = CharField(source="bot.name", help_text="Name of the bot.")
    authors = AuthorsField(source="bot")
    version = IntegerField(source="number", help_text="Version number, starting at 1.")


class NamedVersionSerializer(Serializer):
    """A reference to a version in a request."""

    bot = SlugField(help_text="Slug of the bot.")
    version = IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_INTEGER_COLUMN_VALUE,
        help_text="Version number; the newest accepted version if omitted.",
    )


def version_or_404(request: Request, named: dict[str, Any]) -> BotVersion:
    """Return the version that a `NamedVersionSerializer` names, if the reader may see it. Raise NotFound."""
    slug, number = named["bot"], named.get("version")
    if number is None:
        if found := versions.find_newest_accepted_version(request.user, slug):
            return found
        raise NotFound(_("There is no accepted version of a bot at %(slug)s.") % {"slug": slug})
    if found := versions.find_version(request.user, slug, number):
        return found
    raise NotFound(_("There is no version %(number)d of a bot at %(slug)s.") % {"number": number, "slug": slug})

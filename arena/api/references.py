"""How things are named in requests and answers: a version by its bot and its number, a page by its address."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import NotFound
from rest_framework.serializers import CharField, Field, IntegerField, Serializer, SlugField

from arena.bots.models import BotVersion


@extend_schema_field(OpenApiTypes.URI)
class PageField(Field):
    """Where people look at a row: its `get_absolute_url`, with the name of the host."""

    def __init__(self) -> None:
        super().__init__(source="get_absolute_url", read_only=True, help_text="Where people look at it.")

    def to_representation(self, path: str) -> str:
        return self.context["request"].build_absolute_uri(path)


class VersionSerializer(Serializer):
    bot = CharField(source="bot.slug")
    name = CharField(source="bot.name")
    owner = CharField(source="bot.owner.username")
    version = IntegerField(source="number")


class NamedVersionSerializer(Serializer):
    bot = SlugField(help_text="Slug of the bot.")
    version = IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="Its newest accepted one where left out."
    )


def find_version(named: dict[str, Any]) -> BotVersion:
    """What a `NamedVersionSerializer` was sent. Raises NotFound."""
    versions = whole_versions().filter(bot__slug=named["bot"])
    number = named.get("version")
    if number is not None:
        found = versions.filter(number=number).first()
        what = f"version {number}"
    else:
        found = versions.accepted().order_by("-number").first()
        what = "accepted version"
    if found is None:
        raise NotFound(f"There is no {what} of a bot at {named['bot']}.")
    return found


def whole_versions() -> QuerySet[BotVersion]:
    """With all that `VersionSerializer` reads."""
    return BotVersion.objects.select_related("bot__owner").defer("build_log")

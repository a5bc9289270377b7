"""List the programming languages that bots may be written in."""

from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, Serializer

from arena.api.frame import Resource
from arena.matches.languages import list_offered_languages
from arena.runner.languages import LANGUAGES


@extend_schema_serializer(
    examples=[
        OpenApiExample("Python", {"key": "python", "title": "Python", "entry": "bot.py", "version": "3.11.2, 3.12.4"})
    ]
)
class LanguageSerializer(Serializer):
    """A programming language."""

    key = CharField(help_text="Key of the language, as versions of bots have it.")
    title = CharField(help_text="Name of the language.")
    entry = CharField(help_text="File at the top of a program that makes it a program in this language.")
    version = CharField(help_text="Version of the interpreter or compiler; several where machines differ.")


class LanguageList(Resource):
    """The programming languages."""

    pagination_class = None

    @extend_schema(summary="List languages", responses=LanguageSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the languages that some machine of this site can run at the moment."""
        rows = [
            {"key": key, "title": LANGUAGES[key].title, "entry": LANGUAGES[key].entry, "version": version}
            for key, version in list_offered_languages().items()
        ]
        return Response(LanguageSerializer(rows, many=True).data)

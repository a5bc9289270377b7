"""What bots may be written in here."""

from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, Serializer

from arena.api.frame import Resource
from arena.matches.languages import offered
from arena.runner.languages import LANGUAGES


@extend_schema_serializer(
    examples=[
        OpenApiExample("Python", {"key": "python", "title": "Python", "entry": "bot.py", "version": "3.11.2, 3.12.4"})
    ]
)
class LanguageSerializer(Serializer):
    key = CharField()
    title = CharField()
    entry = CharField(help_text="The file at the top of a program that makes it one of this language.")
    version = CharField(help_text="Of what runs it; several, where machines differ.")


class LanguageList(Resource):
    pagination_class = None

    @extend_schema(summary="Languages that run here", responses=LanguageSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Those that a machine of this site has run lately."""
        rows = [
            {"key": key, "title": LANGUAGES[key].title, "entry": LANGUAGES[key].entry, "version": version}
            for key, version in offered().items()
        ]
        return Response(LanguageSerializer(rows, many=True).data)

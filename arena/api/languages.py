"""What bots may be written in here."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, Serializer
from rest_framework.views import APIView

from arena.matches.languages import offered
from arena.runner.languages import LANGUAGES


class LanguageSerializer(Serializer):
    key = CharField()
    title = CharField()
    entry = CharField(help_text="The file at the top of a program that makes it one of this language.")
    version = CharField(help_text="Of what runs it; several, where machines differ.")


class LanguageList(APIView):
    """Those that a machine of this site has run lately."""

    def get(self, request: Request) -> Response:
        rows = [
            {"key": key, "title": LANGUAGES[key].title, "entry": LANGUAGES[key].entry, "version": version}
            for key, version in offered().items()
        ]
        return Response(LanguageSerializer(rows, many=True).data)

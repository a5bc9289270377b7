"""The archive of a tournament: a link by which a program downloads it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DateTimeField, Serializer

from arena.api.frame import Resource, build_absolute_url
from arena.api.tournaments import reader_of, tournament_or_404
from arena.private_responses import forbid_caching
from arena.tournaments.services.archive_links import sign_archive_link


class ArchiveLinkSerializer(Serializer):
    """A link to the archive of a tournament."""

    download_url = CharField(help_text="Address of the zip. It needs no token, and works for who has it.")
    expires_at = DateTimeField(help_text="Until when it works.")


class TournamentArchive(Resource):
    """The archive of a tournament that is over."""

    serializer_class = ArchiveLinkSerializer

    @extend_schema(operation_id="tournaments_archive_retrieve", summary="Get a link to the archive of a tournament")
    def get(self, request: Request, slug: str) -> Response:
        """Return a link that works for ten minutes.

        The zip has pages that open from disk, the document and the records; `pennant verify` checks it. It is written
        while it is sent, so it has no length, and the answer is 503 while the arena writes another one. Before the
        tournament is over the answer is 404.
        """
        tournament = tournament_or_404(request, slug)
        forbid_caching(request)
        path, expires_at = sign_archive_link(tournament=tournament, reader=reader_of(request))
        row: dict[str, Any] = {"download_url": build_absolute_url(request, path), "expires_at": expires_at}
        return self.respond(row)

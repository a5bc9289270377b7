"""Notices: what the arena tells a user."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    DateTimeField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from arena.api.auth import require_unrestricted_token
from arena.api.fields import ChoiceField, MessageText
from arena.api.frame import Resource, build_absolute_url
from arena.api.schema import describe_error_response
from arena.notices.models import Event, Notice
from arena.notices.queries.notices import list_notices
from arena.notices.services import mark_notices_read


class NoticeSerializer(Serializer):
    """A notice."""

    id = IntegerField(source="pk", help_text="Id of the notice.")
    event = ChoiceField(Event.choices, help_text="What happened.")
    text = MessageText(help_text="Sentence in the reader's language.")
    html_url = SerializerMethodField(help_text="Address of the page it is about; null where there is none.")
    created_at = DateTimeField(help_text="When it happened.")
    read_at = DateTimeField(source="seen_at", allow_null=True, help_text="When it was marked as read; null before.")

    def get_html_url(self, notice: Notice) -> str | None:
        """Return the address."""
        return build_absolute_url(self.context["request"], notice.url) if notice.url else None


class NoticeQuery(Serializer):
    """Filters of the list of notices."""

    unread = BooleanField(required=False, help_text="Only notices not marked as read.")


class MarkedSerializer(Serializer):
    """The number of notices that were marked."""

    marked = IntegerField(help_text="Number of notices that were unread.")


class NoticeList(Resource):
    """Your notices."""

    is_list = True
    permission_classes = [IsAuthenticated]
    serializer_class = NoticeSerializer
    query_class = NoticeQuery

    @extend_schema(
        operation_id="notices_list",
        summary="List your notices",
        parameters=[NoticeQuery],
        responses={200: NoticeSerializer(many=True), 403: describe_error_response("403")},
    )
    def get(self, request: Request) -> Response:
        """List your notices, newest first."""
        user = require_unrestricted_token(request)
        return self.respond_page(list_notices(user, only_unread=self.query.get("unread", False)))


class MarkNoticesRead(Resource):
    """Marking notices as read."""

    permission_classes = [IsAuthenticated]
    serializer_class = MarkedSerializer

    @extend_schema(operation_id="notices_mark_read", summary="Mark all your notices as read", request=None)
    def post(self, request: Request) -> Response:
        """Mark all your notices as read."""
        return Response({"marked": mark_notices_read(user=require_unrestricted_token(request))})

"""What the asker should know."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    IntegerField,
    Serializer,
)

from arena.api.auth import check_general
from arena.api.fields import MessageText
from arena.api.frame import Resource
from arena.api.schema import error_response
from arena.notices.models import Event, Notice
from arena.notices.services import mark_notices_read


class NoticeSerializer(Serializer):
    id = IntegerField(source="pk")
    event = ChoiceField(Event.choices)
    text = MessageText()
    url = CharField(help_text="The page it is about; may be empty.")
    created_at = DateTimeField()
    seen_at = DateTimeField(allow_null=True)


class NoticeQuery(Serializer):
    unseen = BooleanField(required=False, help_text="Only those not marked as seen.")


class SeenSerializer(Serializer):
    seen = IntegerField(help_text="How many were not seen before.")


class NoticeList(Resource):
    """Newest first."""

    permission_classes = [IsAuthenticated]
    serializer_class = NoticeSerializer
    query_class = NoticeQuery

    @extend_schema(
        operation_id="notices_list",
        summary="Your notices",
        parameters=[NoticeQuery],
        responses={200: NoticeSerializer(many=True), 403: error_response("403")},
    )
    def get(self, request: Request) -> Response:
        check_general(request)
        notices = Notice.objects.filter(user=request.user)
        return self.respond_page(notices.unseen() if self.query.get("unseen") else notices)


class NoticesSeen(Resource):
    permission_classes = [IsAuthenticated]
    serializer_class = SeenSerializer

    @extend_schema(operation_id="notices_seen", summary="Mark all your notices as seen", request=None)
    def post(self, request: Request) -> Response:
        check_general(request)
        return Response({"seen": mark_notices_read(user=request.user)})

"""Addresses that are told of events. The key that signs what is sent is told once, when the webhook is made."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateTimeField,
    DictField,
    IntegerField,
    ListField,
    Serializer,
    URLField,
)

from arena.api.auth import check_general
from arena.api.errors import find
from arena.api.examples import NEW_WEBHOOK, request_example
from arena.api.fields import MessageText
from arena.api.frame import Resource
from arena.api.schema import error_response
from arena.notices.models import Delivery, Event, Webhook
from arena.notices.services import SUBSCRIBABLE_EVENTS, add_webhook, delete_webhook, enable_webhook, ping


@request_example("For a build server", NEW_WEBHOOK)
class WebhookSerializer(Serializer):
    id = IntegerField(source="pk", read_only=True)
    url = URLField(max_length=300, help_text="Gets a POST with JSON, signed. It must be on the internet.")
    events = ListField(
        child=ChoiceField([event.value for event in SUBSCRIBABLE_EVENTS]), min_length=1, help_text="What it is told of."
    )
    is_active = BooleanField(read_only=True, help_text="False once too many deliveries failed in a row.")
    failures = IntegerField(read_only=True, help_text="In a row.")
    created_at = DateTimeField(read_only=True)


class NewWebhookSerializer(WebhookSerializer):
    key = CharField(read_only=True, help_text="Signs what is sent. Keep it: it isn't told again here.")


class DeliverySerializer(Serializer):
    id = IntegerField(source="pk")
    event = ChoiceField(Event.choices)
    payload = DictField()
    state = ChoiceField(Delivery.State.choices)
    attempts = IntegerField()
    status = IntegerField(allow_null=True, help_text="HTTP status of the last answer, where there was one.")
    error = MessageText(help_text="Why the last attempt failed; empty if it did not.")
    created_at = DateTimeField()
    next_at = DateTimeField(help_text="It isn't tried before, while it is waiting.")


class WebhookResource(Resource):
    """Webhooks tell of all of a person's bots: a token for one of them can do nothing here."""

    permission_classes = [IsAuthenticated]
    serializer_class = WebhookSerializer

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        check_general(request)

    def find_own(self, pk: int) -> Webhook:
        """Raises NotFound for somebody else's, too."""
        return find(Webhook.objects.filter(owner=self.request.user), "You have no such webhook.", pk=pk)


class WebhookList(WebhookResource):
    ordering = ("pk",)

    @extend_schema(
        operation_id="webhooks_list",
        summary="Your webhooks",
        responses={200: WebhookSerializer(many=True), 403: error_response("403")},
    )
    def get(self, request: Request) -> Response:
        return self.respond_page(Webhook.objects.filter(owner=request.user))

    @extend_schema(
        operation_id="webhooks_create",
        summary="A new webhook, and the key it signs with",
        responses={201: NewWebhookSerializer},
    )
    def post(self, request: Request) -> Response:
        return self.respond(add_webhook(owner=request.user, **self.read_data()), NewWebhookSerializer, status=201)


class WebhookDetail(WebhookResource):
    @extend_schema(operation_id="webhooks_retrieve", summary="One webhook")
    def get(self, request: Request, pk: int) -> Response:
        return self.respond(self.find_own(pk))

    @extend_schema(
        operation_id="webhooks_destroy",
        summary="Delete a webhook, and what it was to be told",
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        delete_webhook(webhook=self.find_own(pk))
        return Response(status=204)


class WebhookWake(WebhookResource):
    @extend_schema(operation_id="webhooks_wake", summary="Switch a webhook on again", request=None)
    def post(self, request: Request, pk: int) -> Response:
        enable_webhook(webhook=self.find_own(pk))
        return self.respond(self.find_own(pk))


class WebhookTest(WebhookResource):
    serializer_class = DeliverySerializer

    @extend_schema(
        operation_id="webhooks_test", summary="Send a webhook a ping", request=None, responses={201: DeliverySerializer}
    )
    def post(self, request: Request, pk: int) -> Response:
        return self.respond(ping(webhook=self.find_own(pk)), status=201)


class DeliveryList(WebhookResource):
    """Newest first."""

    serializer_class = DeliverySerializer

    @extend_schema(
        operation_id="webhooks_deliveries",
        summary="What a webhook was told, and is to be",
        responses=DeliverySerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        return self.respond_page(self.find_own(pk).deliveries.all())

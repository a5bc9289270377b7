"""Webhooks: addresses that get a POST for every event. The signing key is shown once, when the webhook is created."""

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    IntegerField,
    ListField,
    Serializer,
    URLField,
)

from arena.api.auth import require_unrestricted_token, require_user
from arena.api.errors import require_row
from arena.api.examples import EXAMPLE_NEW_WEBHOOK, request_example
from arena.api.fields import ChoiceField, MessageText
from arena.api.frame import Resource
from arena.api.schema import describe_error_response
from arena.notices.models import Delivery, Event, Webhook
from arena.notices.queries.notices import find_webhook, list_deliveries, list_webhooks
from arena.notices.services import SUBSCRIBABLE_EVENTS, add_webhook, delete_webhook, enable_webhook, queue_test_delivery


@request_example("For a build server", EXAMPLE_NEW_WEBHOOK)
class WebhookSerializer(Serializer):
    """A webhook."""

    id = IntegerField(source="pk", read_only=True, help_text="Id of the webhook.")
    url = URLField(max_length=300, help_text="Address that gets signed POST requests; it must be on the internet.")
    events = ListField(
        child=ChoiceField([event.value for event in SUBSCRIBABLE_EVENTS]),
        min_length=1,
        help_text="Events it is called for.",
    )
    is_active = BooleanField(read_only=True, help_text="Whether it is called; false after too many failures in a row.")
    failures = IntegerField(read_only=True, help_text="Number of failed deliveries in a row.")
    created_at = DateTimeField(read_only=True, help_text="When it was created.")


class NewWebhookSerializer(WebhookSerializer):
    """A new webhook with its signing key."""

    key = CharField(read_only=True, help_text="Key that signs the requests. It is shown this once.")


class DeliverySerializer(Serializer):
    """An event for a webhook."""

    id = IntegerField(source="pk", help_text="Id of the delivery.")
    event = ChoiceField(Event.choices, help_text="What happened.")
    payload = DictField(help_text="Content of the request, as JSON.")
    state = ChoiceField(Delivery.State.choices, help_text="State of the delivery.")
    attempts = IntegerField(help_text="Number of attempts.")
    status = IntegerField(allow_null=True, help_text="HTTP status of the last response; null where there was none.")
    error = MessageText(help_text="What was wrong with the last attempt; empty otherwise.")
    created_at = DateTimeField(help_text="When the event happened.")
    next_at = DateTimeField(help_text="When the next attempt is due, while the delivery waits.")


class WebhookResource(Resource):
    """Base of the webhooks. They concern all of a user's bots, so a token for one of them is refused."""

    permission_classes = [IsAuthenticated]
    serializer_class: type[Serializer] = WebhookSerializer

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse tokens for one bot."""
        super().initial(request, *args, **kwargs)
        require_unrestricted_token(request)

    def webhook_or_404(self, pk: int) -> Webhook:
        """Return the user's webhook. Raise NotFound, for other users' webhooks too."""
        return require_row(find_webhook(require_user(self.request), pk), _("You have no such webhook."))


class WebhookList(WebhookResource):
    """Your webhooks."""

    is_list = True
    ordering = ("pk",)

    @extend_schema(
        operation_id="webhooks_list",
        summary="List your webhooks",
        responses={200: WebhookSerializer(many=True), 403: describe_error_response("403")},
    )
    def get(self, request: Request) -> Response:
        """List your webhooks."""
        return self.respond_page(list_webhooks(require_user(request)))

    @extend_schema(
        operation_id="webhooks_create",
        summary="Create a webhook",
        responses={201: NewWebhookSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a webhook. The response has the key that signs its requests, this once."""
        return self.respond(
            add_webhook(owner=require_user(request), **self.read_data()), NewWebhookSerializer, status=201
        )


class WebhookDetail(WebhookResource):
    """One webhook."""

    @extend_schema(operation_id="webhooks_retrieve", summary="Show a webhook")
    def get(self, request: Request, pk: int) -> Response:
        """Return a webhook."""
        return self.respond(self.webhook_or_404(pk))

    @extend_schema(
        operation_id="webhooks_destroy",
        summary="Delete a webhook",
        responses={204: None},
    )
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a webhook with its deliveries."""
        delete_webhook(webhook=self.webhook_or_404(pk))
        return Response(status=204)


class WebhookEnable(WebhookResource):
    """Enabling a webhook."""

    @extend_schema(operation_id="webhooks_enable", summary="Enable a webhook", request=None)
    def post(self, request: Request, pk: int) -> Response:
        """Enable a webhook that was disabled after failures."""
        enable_webhook(webhook=self.webhook_or_404(pk))
        return self.respond(self.webhook_or_404(pk))


class WebhookTest(WebhookResource):
    """Testing a webhook."""

    serializer_class = DeliverySerializer

    @extend_schema(
        operation_id="webhooks_test", summary="Test a webhook", request=None, responses={201: DeliverySerializer}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Send a ping to a webhook."""
        return self.respond(queue_test_delivery(webhook=self.webhook_or_404(pk)), status=201)


class DeliveryList(WebhookResource):
    """Deliveries of a webhook."""

    is_list = True
    serializer_class = DeliverySerializer

    @extend_schema(
        operation_id="webhooks_deliveries",
        summary="List the deliveries of a webhook",
        responses=DeliverySerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        """List what was sent, or is to be sent, to a webhook, newest first."""
        return self.respond_page(list_deliveries(self.webhook_or_404(pk)))

"""Give the figures of the arena to Prometheus, and to nobody who isn't meant to read them."""

from secrets import compare_digest

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from arena.client_address import is_from_private_network
from arena.metrics import build_registry

REGISTRY = build_registry()
SCHEME = "Bearer "
TOKEN_WANTED = "The metrics want the header Authorization: Bearer with the token of PENNANT_METRICS_TOKEN.\n"
PRIVATE_ADDRESS_WANTED = "The metrics are for private addresses alone where PENNANT_METRICS_TOKEN is not set.\n"


@never_cache
def report_metrics(request: HttpRequest) -> HttpResponse:
    """Return all figures in Prometheus' text format, or say in one line why not."""
    if refusal := find_refusal(request):
        return HttpResponse(refusal, status=403, content_type="text/plain; charset=utf-8")
    try:
        return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    except DatabaseError:
        return HttpResponse("The database doesn't answer.\n", status=503, content_type="text/plain; charset=utf-8")


def find_refusal(request: HttpRequest) -> str:
    """Return why this request may not read them; empty where it may."""
    if not settings.METRICS_TOKEN:
        return "" if is_from_private_network(request) else PRIVATE_ADDRESS_WANTED
    given = request.headers.get("Authorization", "")
    wanted = f"{SCHEME}{settings.METRICS_TOKEN}"
    return "" if compare_digest(given.encode(), wanted.encode()) else TOKEN_WANTED

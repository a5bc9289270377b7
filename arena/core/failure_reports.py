"""Report failures of web and workers to a server of Sentry's protocol, and nothing of the people who use the arena."""

import sentry_sdk
from sentry_sdk.integrations.celery import CeleryIntegration
from sentry_sdk.integrations.django import DjangoIntegration
from sentry_sdk.integrations.logging import LoggingIntegration
from sentry_sdk.types import Event, Hint

from arena.core.logs import list_known
from arena.core.release import arena_version

SHUTDOWN_TIMEOUT_S = 2
PRIVATE_FIELDS = ("user", "extra", "breadcrumbs", "server_name", "modules")
"""Fields of an event that are left out: arguments of commands and tasks are in `extra`."""
SENT_CONTEXTS = ("trace", "runtime")
"""Contexts of an event that are sent: others hold arguments of tasks."""


def start_reporting(dsn: str) -> None:
    """Report what ends a request or a task, and what is logged as an error."""
    sentry_sdk.init(
        dsn=dsn,
        release=arena_version(),
        integrations=[DjangoIntegration(), CeleryIntegration(), LoggingIntegration(level=None)],
        auto_enabling_integrations=False,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        shutdown_timeout=SHUTDOWN_TIMEOUT_S,
        before_send=remove_private_parts,
    )


def remove_private_parts(event: Event, _hint: Hint) -> Event:
    """Return an event without what people sent or who they are; add the ids that the log has.

    Addresses may hold tokens, so the route alone stays. The further lines of an error may quote rows of the database.
    """
    for field in PRIVATE_FIELDS:
        event.pop(field, None)  # type: ignore[misc]  # the type wants the name of a field that is written out
    if request := event.get("request"):
        event["request"] = {"method": request.get("method", "")}
    event["contexts"] = {name: found for name, found in event.get("contexts", {}).items() if name in SENT_CONTEXTS}
    for error in event.get("exception", {}).get("values", []):
        error["value"] = (error.get("value") or "").partition("\n")[0]
    event["tags"] = {name: str(value) for name, value in list_known().items()}
    return event

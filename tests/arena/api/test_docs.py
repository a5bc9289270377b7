"""The page that describes the API says all that the description says, and needs no script for it."""

import json
import shlex
from functools import cache

import pytest
from django.test import Client

from arena.api.bots import BotDraftSerializer
from arena.api.schema import DescribedOperation, build_api_schema, list_operations
from engine.registry import GAMES


@cache
def operations() -> dict[str, DescribedOperation]:
    """All by their ids. Not while tests are collected: every process does that, and the description takes a second."""
    return {operation.id: operation for operation in list_operations()}


@pytest.mark.django_db
def test_the_page_has_every_operation_and_its_command(client: Client):
    page = client.get("/api/v1/docs/")
    assert page.status_code == 200 and "default-src 'self'" in page["Content-Security-Policy"]
    for id, operation in operations().items():
        assert f'id="op-{id}"' in page.text and f"{operation.method} {operation.path}" in page.text, id
        assert operation.authentication == "session" or f"$PENNANT_URL{operation.path}&quot;" in page.text, id


def test_no_operation_of_the_description_is_left_out():
    told = {(method.upper(), path) for path, item in build_api_schema()["paths"].items() for method in item}
    assert {(one.method, one.path) for one in operations().values()} == told and len(operations()) == len(told)


def test_what_is_written_for_developers_is_not_published():
    assert not [id for id, one in operations().items() if "subclass" in one.meaning or "serializer" in one.meaning]


def arguments(operation: DescribedOperation) -> list[str]:
    return shlex.split(operation.command.replace("\\\n", ""))


def test_a_command_asks_for_a_token_only_where_one_is_needed():
    assert arguments(operations()["bots_list"]) == ["curl", "$PENNANT_URL/api/v1/bots/"]
    assert "Authorization: Bearer $PENNANT_TOKEN" in arguments(operations()["me"])


def test_a_command_sends_what_is_required_in_the_form_that_is_read():
    upload = arguments(operations()["bots_versions_create"])
    assert upload[:3] == ["curl", "-X", "POST"] and "program=@bot.zip" in upload
    sent = arguments(operations()["bots_create"])
    draft = BotDraftSerializer(data=json.loads(sent[sent.index("-d") + 1]))
    assert draft.is_valid(), draft.errors


def test_what_no_token_may_do_has_no_command():
    assert not operations()["tokens_create"].command and operations()["tokens_create"].authentication == "session"


def test_fields_say_where_they_stand_and_what_they_may_be():
    fields = {field.name: field for field in operations()["bots_create"].fields}
    assert fields["name"].place == "body" and fields["name"].is_required
    assert fields["game"].kind == " | ".join(GAMES)
    assert {field.place for field in operations()["bots_versions_list"].fields} == {"path", "query"}

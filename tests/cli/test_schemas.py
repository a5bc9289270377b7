"""`pennant schema` prints what bots are told."""

import json

import jsonschema_rs
import pytest
from click.testing import CliRunner

from arena.cli.schemas import print_schema


def run(*words: str) -> str:
    result = CliRunner().invoke(print_schema, words)
    assert result.exit_code == 0, result.output
    return result.output


def test_all_schemas_are_one_object_and_each_can_be_had_alone():
    together = json.loads(run("battleline"))
    assert list(together) == ["hello", "turn", "end", "ready", "answer"]
    assert json.loads(run("battleline", "turn")) == together["turn"]


def test_examples_fit_the_schemas_that_are_printed():
    schemas = json.loads(run("battalion"))
    lines = run("battalion", "--examples").splitlines()
    for message in map(json.loads, lines):
        jsonschema_rs.validate(schemas[message.get("type", "answer")], message)
    turns = run("battalion", "turn", "--examples").splitlines()
    assert turns and set(turns) < set(lines)


@pytest.mark.parametrize("words", [("chess",), ("battleline", "turn", "--examples", "--edition", "chess")])
def test_what_is_not_there_is_refused_with_what_there_is(words):
    result = CliRunner().invoke(print_schema, words)
    assert result.exit_code == 1 and ("battalion" in result.output or "standard" in result.output)

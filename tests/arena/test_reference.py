"""The pages of the manual that are made from the code are as the code is now."""

import click
import pytest

from arena.cli import main
from engine.registry import BUILT_IN_GAMES, GAMES
from tests.tools.message_reference import ReferencePage
from tests.tools.reference import FILES, describe_command, list_commands, write_command_reference


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
def test_a_file_is_what_its_program_writes(file):
    assert file.read_text() == FILES[file](), "run `uv run python -m tests.tools.reference`"


def test_every_command_has_a_sentence_and_every_option_its_help():
    for path, command in list_commands("pennant", main):
        assert command.help, path
        lines = list(describe_command(path, command))
        options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
        for option in options:
            assert any(option.opts[0] in line for line in lines), (path, option.opts)
        assert all(option.help for option in options), path
    assert "## pennant play\n" in write_command_reference()


@pytest.mark.parametrize("key", BUILT_IN_GAMES)
def test_every_title_of_a_field_is_translated(key):
    page = ReferencePage(GAMES[key], "hu")
    for schema in page.definitions.values():
        for field in schema.get("properties", {}).values():
            assert page.translate_title(field["title"]) != field["title"], field["title"]

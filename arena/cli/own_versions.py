"""Fetch older versions of one's own bots from an arena, to play against them at home."""

import re
import tempfile
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import click

from arena.cli.api import ROOT, find_api
from arena.cli.bot_paths import find_program
from arena.runner.program import BadProgramError, Program, read_program
from arena.zip_errors import ZIP_ERRORS

OWN_VERSION = re.compile(r"([a-z0-9][\w-]*)/v?(\d+)")


def is_own_version(text: str) -> bool:
    """Return whether a text names a version on an arena, as kingfisher/3, and no file."""
    return OWN_VERSION.fullmatch(text) is not None and not Path(text).exists()


def fetch_version(text: str) -> Program:
    """Return the source of a version of one's own, named as kingfisher/3. Raises click.ClickException."""
    named = OWN_VERSION.fullmatch(text)
    assert named is not None
    api = find_api()
    packed = api.download(f"{ROOT}bots/{named[1]}/versions/{named[2]}/source/")
    with tempfile.TemporaryDirectory(prefix="pennant-version-") as folder:
        try:
            with zipfile.ZipFile(BytesIO(packed)) as archive:
                archive.extractall(folder)
            program = read_program(Path(folder))
        except (BadProgramError, OSError, *ZIP_ERRORS) as error:
            raise click.ClickException(f"the source of {text} can't be read: {error}") from error
    return replace(program, name=f"{named[1]}/{named[2]}", version=int(named[2]))


def find_bot(text: str) -> Program:
    """Return the bot of a file, a folder, a sample or a version of one's own. Raises BadProgramError."""
    return fetch_version(text) if is_own_version(text) else find_program(text)

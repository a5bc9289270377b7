"""Collect the texts to be translated, changing nothing in a catalogue but what has changed in the sources."""

import re
import subprocess
from contextlib import chdir
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import makemessages

IGNORED_PATTERNS = [".venv", "tests", "docs", "build", "dist", "docs/game-skeleton", "*/static/*"]
DATE_LINE = re.compile(r'"POT-Creation-Date: .*\n')
"""A line that differs on every branch."""


class Command(makemessages.Command):
    """Update the catalogues: no lines that name places, no guesses, no obsolete texts."""

    help = "Update the message catalogues of the site, or of one external game."
    msgmerge_options = ["-q", "--backup=none", "--update", "--no-fuzzy-matching"]

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the option that names a game's package."""
        super().add_arguments(parser)
        parser.add_argument(
            "--game", metavar="FOLDER", type=Path, help="A game's package, to update its own catalogue."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Update the catalogues of each language, all but English where none is named."""
        folder: Path | None = options.pop("game")
        if folder is not None and not (folder / "__init__.py").is_file():
            raise CommandError(f"{folder} isn't a game package: it has no __init__.py")
        place = (folder or settings.BASE_DIR).resolve()
        if folder is not None:
            (place / "locale").mkdir(exist_ok=True)
            settings.LOCALE_PATHS = [place / "locale"]
        if not (options["locale"] or options["all"]):
            options["locale"] = [code for code, _ in settings.LANGUAGES if code != "en"]
        options["ignore_patterns"] += ["tests"] if folder else IGNORED_PATTERNS
        options |= {"no_location": True, "no_obsolete": True}
        with chdir(place):
            super().handle(*args, **options)
        if folder is not None:
            for path in (place / "locale").rglob("LC_MESSAGES/django.po"):
                leave_out_texts_of_site(path)
        for path in (place if folder else place / "arena").rglob("LC_MESSAGES/*.po"):
            text = path.read_text(encoding="utf-8")
            path.write_text(DATE_LINE.sub("", text, count=1), encoding="utf-8")


def leave_out_texts_of_site(path: Path) -> None:
    """Remove from a game's catalogue what the site's has, too: the site's translation is the one that is shown."""
    site = settings.BASE_DIR / "arena" / "core" / "locale" / path.relative_to(path.parents[2])
    if site.is_file():
        marked = ["msgattrib", f"--only-file={site}", "--set-obsolete", f"--output-file={path}", str(path)]
        for command in (marked, ["msgattrib", "--no-obsolete", f"--output-file={path}", str(path)]):
            subprocess.run(command, check=True)

"""The first steps, from nothing to a rated bot, and the sample bots to start from."""

from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.ladders.queries.ladders import list_main_ladders
from arena.pages.bots.versions import list_languages
from arena.pages.home.games import build_game_name_context
from arena.runner.data_files import AUTHORS_GUIDE, STARTERS_FOLDER
from arena.runner.languages import LANGUAGES
from arena.runner.languages.base import Language
from arena.runner.limits import Limits

STARTER_LANGUAGES = ("python", "javascript", "cpp", "rust")
"""Languages with a sample bot, in `bots/starters/<key>`. The first is shown unless another is chosen."""
BOT_START_COMMANDS = {
    "python": "python3 bot.py",
    "javascript": "node bot.js",
    "java": "java -cp bot.jar Bot",
}
"""The command that starts a bot, by language, where it is not the bot itself."""
ZIP_TIMESTAMP = (2000, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class LanguageGuide:
    """A language of bots: how a bot is started in it here, and whether there is a sample."""

    language: Language
    version: str
    """The version that runs here; empty where unknown."""
    has_starter: bool

    @property
    def command(self) -> str:
        """The command that starts the bot, as written in a shell."""
        return BOT_START_COMMANDS.get(self.language.key, "./bot")


def show_first_steps(request: HttpRequest) -> HttpResponse:
    """Show the first steps."""
    chosen = request.GET.get("language", "")
    context = {
        **build_game_name_context(),
        "ladders": list_main_ladders(),
        "chosen": LANGUAGES[chosen if chosen in STARTER_LANGUAGES else STARTER_LANGUAGES[0]],
        "starters": [LANGUAGES[key] for key in STARTER_LANGUAGES],
        "guides": [
            LanguageGuide(language, version, language.key in STARTER_LANGUAGES)
            for language, version in list_languages()
        ],
        "limits": Limits(),
        "site": request.build_absolute_uri("/").rstrip("/"),
        "source_url": settings.SOURCE_URL,
    }
    return render(request, "home/start.html", context)


def download_starter(request: HttpRequest, language: str) -> HttpResponse:
    """Send a sample bot as a zip that can be uploaded as it is. Raises Http404 where there is none."""
    if language not in STARTER_LANGUAGES:
        raise Http404(_("There is no sample bot in this language."))
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for path in sorted((STARTERS_FOLDER / language).iterdir()):
            archive.writestr(ZipInfo(path.name, ZIP_TIMESTAMP), path.read_bytes())
    return HttpResponse(
        packed.getvalue(),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{language}.zip"'},
    )


def download_protocol(request: HttpRequest) -> FileResponse:
    """Send the guide for authors, with the protocol and transcripts."""
    return FileResponse(AUTHORS_GUIDE.open("rb"), content_type="text/plain; charset=utf-8")

"""The first steps, from nothing to a rated bot, and the small bots to begin with."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.pages.bots.versions import list_languages
from arena.pages.home import main_ladders
from arena.runner.languages import LANGUAGES
from arena.runner.languages.base import Language
from arena.runner.limits import Limits

FOLDER = Path(settings.BASE_DIR) / "bots"
STARTERS = ("python", "javascript", "cpp")
"""Languages with a bot to begin with: `bots/starters/<key>`. The first is shown unless another is asked for."""
STARTS = {
    "python": "python3 bot.py",
    "javascript": "node bot.js",
    "java": "java -cp bot.jar Bot",
}
"""What starts a bot where that is not the bot itself, by language."""
LONG_AGO = (2000, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Way:
    """How a bot in one language is begun with and started here."""

    language: Language
    version: str
    """Here; empty where it isn't known."""
    has_starter: bool

    @property
    def starts(self) -> str:
        """What starts it, as one would write it in a shell."""
        return STARTS.get(self.language.key, "./bot")


def page(request: HttpRequest) -> HttpResponse:
    chosen = request.GET.get("language", "")
    context = {
        "ladders": main_ladders(),
        "chosen": LANGUAGES[chosen if chosen in STARTERS else STARTERS[0]],
        "starters": [LANGUAGES[key] for key in STARTERS],
        "ways": [Way(language, version, language.key in STARTERS) for language, version in list_languages()],
        "limits": Limits(),
        "site": request.build_absolute_uri("/").rstrip("/"),
        "source_url": settings.SOURCE_URL,
    }
    return render(request, "home/start.html", context)


def starter(request: HttpRequest, language: str) -> HttpResponse:
    """The files of a starter as a zip that can be uploaded as it is. Raises Http404 where there is none."""
    if language not in STARTERS:
        raise Http404(_("There is no bot to begin with in this language."))
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for path in sorted((FOLDER / "starters" / language).iterdir()):
            archive.writestr(ZipInfo(path.name, LONG_AGO), path.read_bytes())
    return HttpResponse(
        packed.getvalue(),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{language}.zip"'},
    )


def protocol(request: HttpRequest) -> FileResponse:
    """The guide for authors, with the protocol and transcripts, as the project has it."""
    return FileResponse((FOLDER / "README.md").open("rb"), content_type="text/plain; charset=utf-8")

"""Static files as they are served: hashed, compressed, and our style sheets as one, without what only people read."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile, File
from rcssmin import cssmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

SHEET = "css/site.css"
IMPORT = re.compile(r"""@import url\(["']?([^"')]+)["']?\);""")


class Storage(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )
    """Our own modules name each other; what libraries bring is left as it is."""

    def post_process(self, paths: dict[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        if SHEET in paths:
            self._gather(paths)
        yield from super().post_process(paths, *args, **options)

    def _gather(self, paths: dict[str, Any]) -> None:
        """Put what the sheet imports into it: together it is packed better, and asked for once."""
        gathered = []
        for name in IMPORT.findall(self._text_of(SHEET)):
            part = posixpath.normpath(posixpath.join(posixpath.dirname(SHEET), name))
            gathered.append(self._text_of(part))
            self.delete(part)
            del paths[part]
        self.delete(SHEET)
        self._save(SHEET, ContentFile("".join(gathered).encode()))
        paths[SHEET] = (self, SHEET)

    def _text_of(self, name: str) -> str:
        with self.open(name) as file:
            return file.read().decode()

    def _save(self, name: str, content: File) -> str:
        if name.endswith(".css"):
            content = ContentFile(cssmin(b"".join(content.chunks())))
        saved: str = super()._save(name, content)
        return saved

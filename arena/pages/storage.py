"""Store static files for serving: hashed and compressed, style sheets joined, and these and our scripts minified."""

import posixpath
from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile, File
from rcssmin import cssmin
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

from arena.joined_styles import CSS_IMPORT

OWN_SCRIPTS = "js/"
STYLE_SHEETS = ("css/site.css", "css/play.css")


class Storage(CompressedManifestStaticFilesStorage):
    """The storage of static files in production."""

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )
    """Rewrite imports between our own modules only, not those of libraries."""

    def post_process(self, paths: dict[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        """Join the style sheets, then process all files."""
        for sheet in STYLE_SHEETS:
            if sheet in paths:
                self._gather(paths, sheet)
        yield from super().post_process(paths, *args, **options)

    def _gather(self, paths: dict[str, Any], sheet: str) -> None:
        """Replace the imports of a style sheet by their content: one request, and better compression."""
        gathered = []
        for name in CSS_IMPORT.findall(self._text_of(sheet)):
            part = posixpath.normpath(posixpath.join(posixpath.dirname(sheet), name))
            gathered.append(self._text_of(part))
            self.delete(part)
            del paths[part]
        self.delete(sheet)
        self._save(sheet, ContentFile("".join(gathered).encode()))
        paths[sheet] = (self, sheet)

    def _text_of(self, name: str) -> str:
        with self.open(name) as file:
            text: str = file.read().decode()
            return text

    def _save(self, name: str, content: "File[bytes]") -> str:
        if name.endswith(".css"):
            content = ContentFile(cssmin(b"".join(content.chunks())))
        elif name.startswith(OWN_SCRIPTS) and name.endswith(".js"):
            content = ContentFile(jsmin(b"".join(content.chunks())))
        saved: str = super()._save(name, content)
        return saved

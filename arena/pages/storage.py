"""Store static files for serving: hashed and compressed, with the style sheets minified and joined to one."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile, File
from rcssmin import cssmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

STYLE_SHEET = "css/site.css"
CSS_IMPORT = re.compile(r"""@import url\(["']?([^"')]+)["']?\);""")


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
        if STYLE_SHEET in paths:
            self._gather(paths)
        yield from super().post_process(paths, *args, **options)

    def _gather(self, paths: dict[str, Any]) -> None:
        """Replace the imports of the style sheet by their content: one request, and better compression."""
        gathered = []
        for name in CSS_IMPORT.findall(self._text_of(STYLE_SHEET)):
            part = posixpath.normpath(posixpath.join(posixpath.dirname(STYLE_SHEET), name))
            gathered.append(self._text_of(part))
            self.delete(part)
            del paths[part]
        self.delete(STYLE_SHEET)
        self._save(STYLE_SHEET, ContentFile("".join(gathered).encode()))
        paths[STYLE_SHEET] = (self, STYLE_SHEET)

    def _text_of(self, name: str) -> str:
        with self.open(name) as file:
            text: str = file.read().decode()
            return text

    def _save(self, name: str, content: "File[bytes]") -> str:
        if name.endswith(".css"):
            content = ContentFile(cssmin(b"".join(content.chunks())))
        saved: str = super()._save(name, content)
        return saved

"""Limit the size of JSON requests. Programs are uploaded as forms, which have limits of their own."""

import io
from typing import IO, Any

from django.core.exceptions import RequestDataTooBig
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

MAX_JSON_BYTES = 64 * 1024


class SmallJSON(JSONParser):
    """Parse JSON of at most `MAX_JSON_BYTES`."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the parsed content. Raise RequestDataTooBig or ParseError."""
        content = stream.read(MAX_JSON_BYTES + 1)
        if len(content) > MAX_JSON_BYTES:
            raise RequestDataTooBig
        try:
            return super().parse(io.BytesIO(content), media_type, parser_context)
        except RecursionError:
            raise ParseError(_("The JSON is nested too deeply.")) from None

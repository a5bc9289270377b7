"""How much of a request is read. What is sent as JSON here is small; a program comes as a form."""

import io
from typing import IO, Any

from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

MAX_JSON = 64 * 1024
"""Bytes."""


class SmallJSON(JSONParser):
    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        content = stream.read(MAX_JSON + 1)
        if len(content) > MAX_JSON:
            raise RequestDataTooBig
        try:
            return super().parse(io.BytesIO(content), media_type, parser_context)
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None

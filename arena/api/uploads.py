"""Read and check an upload, before any row is locked."""

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.serializers import BooleanField, FileField, Serializer

from arena.errors import ArenaError
from arena.matches.uploads import parse_upload
from arena.messages import render_message

IDEMPOTENCY_HEADER = "Idempotency-Key"
MAX_IDEMPOTENCY_KEY_LENGTH = 100


class UploadSerializer(Serializer):
    """An uploaded version."""

    program = FileField(allow_empty_file=True, help_text="One file, or a zip with all files of the bot; at most 4 MiB.")
    hold = BooleanField(default=False, help_text="Whether it waits to be promoted to the ladders once accepted.")

    def validate_program(self, sent: UploadedFile) -> dict[str, bytes]:
        """Return the files by path. Raise ValidationError."""
        try:
            return parse_upload(sent)
        except ArenaError as error:
            raise ValidationError(render_message(error.message)) from None


def read_idempotency_key(request: Request) -> str:
    """Return the key of an upload, empty without one. Raise ValidationError."""
    key = request.headers.get(IDEMPOTENCY_HEADER, "").strip()
    if len(key) > MAX_IDEMPOTENCY_KEY_LENGTH or not (key.isascii() and key.isprintable()):
        sentence = _("Use at most %(max)d printable ASCII characters.") % {"max": MAX_IDEMPOTENCY_KEY_LENGTH}
        raise ValidationError({IDEMPOTENCY_HEADER: [sentence]})
    return key

"""What is read of an upload, before any row is locked."""

from django.core.files.uploadedfile import UploadedFile
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.serializers import BooleanField, FileField, Serializer

from arena.bots.archive import MAX_UPLOAD_BYTES, read_upload
from arena.errors import ArenaError
from arena.matches.languages import check_language
from arena.runner.languages import language_of

HEADER = "Idempotency-Key"
MAX_KEY = 100


class UploadSerializer(Serializer):
    program = FileField(allow_empty_file=True, help_text="One file, or a zip with all files of the bot. At most 4 MiB.")
    hold = BooleanField(default=False, help_text="Once accepted it waits to be promoted to the ladders.")

    def validate_program(self, sent: UploadedFile) -> dict[str, bytes]:
        """The files by path."""
        try:
            files = read_upload(sent.name or "", sent.read(MAX_UPLOAD_BYTES + 1))
            check_language(language_of(files).key)
        except ArenaError as error:
            raise ValidationError(str(error)) from None
        return files


def key_of(request: Request) -> str:
    """Under which key an upload was sent; empty without one. Raises ValidationError."""
    key = request.headers.get(HEADER, "").strip()
    if len(key) > MAX_KEY or not (key.isascii() and key.isprintable()):
        raise ValidationError({HEADER: [f"{MAX_KEY} printable ASCII characters at most."]})
    return key

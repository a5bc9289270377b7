"""How the site reads a file that somebody sends."""

from io import BytesIO

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler

from arena.bots.archive import MAX_UPLOAD_BYTES

KEPT = MAX_UPLOAD_BYTES + 1
"""As much as shows that a file is too big."""


class FirstBytes(FileUploadHandler):
    """Keeps the first bytes of a file, in memory; the others are read and forgotten. No disk is filled by an upload,
    and who sends too much is told so."""

    def new_file(self, *args, **kwargs) -> None:
        super().new_file(*args, **kwargs)
        self.kept = BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.kept.write(raw_data[: KEPT - self.kept.tell()])

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        size = self.kept.tell()
        self.kept.seek(0)
        return InMemoryUploadedFile(
            self.kept, self.field_name, self.file_name, self.content_type, size, self.charset, self.content_type_extra
        )

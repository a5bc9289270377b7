"""Read uploaded files into memory, and no more of them than the limit."""

from io import BytesIO
from typing import Any

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler

from arena.bots.archive import MAX_UPLOAD_BYTES

BYTES_KEPT = MAX_UPLOAD_BYTES + 1
"""One byte more than is allowed shows that a file is too big."""


class FirstBytes(FileUploadHandler):
    """Keep the first bytes of a file in memory and drop the others, so that no upload fills a disk."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Start a file."""
        super().new_file(*args, **kwargs)
        self.kept = BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep what is within the limit."""
        self.kept.write(raw_data[: BYTES_KEPT - self.kept.tell()])

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        """Return the kept bytes as a file."""
        size = self.kept.tell()
        self.kept.seek(0)
        return InMemoryUploadedFile(
            self.kept, self.field_name, self.file_name, self.content_type, size, self.charset, self.content_type_extra
        )

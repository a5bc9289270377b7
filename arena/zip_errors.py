"""What `zipfile` raises for damaged files and for those that it can't read (with a password, say), beside OSError."""

import struct
import zipfile
import zlib

ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    ValueError,
    RuntimeError,
)

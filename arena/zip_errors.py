"""The errors of damaged zips, and of those that `zipfile` can't read, as one with a password.

OSError isn't among them, since it may come from the disk to which a file is unpacked.
"""

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

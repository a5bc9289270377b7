"""Recognise the files of a bot."""

import hashlib

from arena.runner.program import Program


def compute_digest(program: Program) -> str:
    """Return the SHA-256 of all files with their names."""
    digest = hashlib.sha256()
    for path, content in sorted(program.files.items()):
        digest.update(f"{len(path.encode())} {path} {len(content)} ".encode() + content)
    return digest.hexdigest()

"""Codes that people type: long and random, without letters that are easily confused."""

import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O, U."""
CODE_LENGTH = 12
"""60 bits: whoever tries a thousand codes an hour needs a hundred billion years for a half of them."""
LETTERS_PER_PART = 4
READ_AS = str.maketrans("OIL", "011")
SEPARATORS = str.maketrans("", "", " -–\t")


def new_code() -> str:
    """Return a new random code, without hyphens."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def format_code(code: str) -> str:
    """Return a code as people read it: in parts of four."""
    return "-".join(code[start : start + LETTERS_PER_PART] for start in range(0, len(code), LETTERS_PER_PART))


def read_code(typed: str) -> str:
    """Return what somebody typed as codes are stored; an empty text where it can't be one."""
    code = typed.translate(SEPARATORS).upper().translate(READ_AS)
    return code if len(code) == CODE_LENGTH and set(code) <= set(ALPHABET) else ""

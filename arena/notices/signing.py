"""Sign what is sent by the scheme of standardwebhooks.com; any library for that scheme can check it."""

import hmac
from base64 import b64decode, b64encode
from hashlib import sha256

from arena.notices.models import WEBHOOK_KEY_PREFIX


def sign_request(key: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the header `webhook-signature`: HMAC-SHA256 over id, seconds since 1970 and body, joined by points."""
    secret = b64decode(key.removeprefix(WEBHOOK_KEY_PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(secret, signed, sha256)).decode()

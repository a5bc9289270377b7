"""How this site uses allauth's second factors: users by their names, secrets encrypted."""

import base64
import hashlib
import logging
import secrets

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.encoding import force_bytes
from django.utils.translation import gettext as _

from arena.accounts.models import User

logger = logging.getLogger(__name__)
SECRET_BYTES = 20


class Adapter(DefaultMFAAdapter):
    """Encrypt secrets by the site's secret key, so that a copy of the database alone signs nobody in."""

    def encrypt(self, text: str) -> str:
        """Return a secret as it is stored."""
        return build_cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return a stored secret; where the site's secret key has been replaced, one for which no code is right."""
        try:
            return build_cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            logger.error("A second factor can't be read: SECRET_KEY has changed. See manage.py reset_two_factor.")
            return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """Return the name that a new key has unless its owner gives it another."""
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return _("Key %(number)s") % {"number": number}

    def _get_user_identifier(self, user: User) -> str:
        return user.username


def build_cipher() -> MultiFernet:
    """Return the cipher for secrets, which reads those under earlier keys of the site, too."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(b"second factor:" + force_bytes(key)).digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])

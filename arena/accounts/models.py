from urllib.parse import quote

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    is_house = models.BooleanField(default=False, help_text="Owns the sample bots and plays against itself, too.")

    def get_absolute_url(self) -> str:
        """What everybody may see of an author."""
        return f"/authors/{quote(self.username)}/"

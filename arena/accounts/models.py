"""Users."""

from urllib.parse import quote

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Upper


class User(AbstractUser):
    """A person with an account, or the house, which owns the sample bots."""

    username_upper = models.GeneratedField(
        expression=Upper("username"),
        output_field=models.TextField(),
        db_persist=True,
        help_text="The user name in capitals, for searches.",
    )
    is_house = models.BooleanField(
        default=False, help_text="Whether it is the house, which owns the sample bots; they play each other, too."
    )

    def get_absolute_url(self) -> str:
        """Return the address of the author's public page."""
        return f"/authors/{quote(self.username)}/"

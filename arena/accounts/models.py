from urllib.parse import quote

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Upper


class User(AbstractUser):
    username_upper = models.GeneratedField(
        expression=Upper("username"),
        output_field=models.TextField(),
        db_persist=True,
        help_text="For who searches: made once, not for every author in every search.",
    )
    is_house = models.BooleanField(default=False, help_text="Owns the sample bots and plays against itself, too.")

    def get_absolute_url(self) -> str:
        """What everybody may see of an author."""
        return f"/authors/{quote(self.username)}/"

from django.conf import settings
from django.db import models

from arena.bots import archive


class BotQuerySet(models.QuerySet["Bot"]):
    def of(self, owner) -> "BotQuerySet":
        return self.filter(owner=owner)


class Bot(models.Model):
    """An author's entry; what plays are its versions."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bots")
    name = models.CharField(max_length=40)
    slug = models.SlugField(max_length=50, unique=True)
    game = models.CharField(max_length=40, help_text="Key of the game it plays.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BotQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return f"/bots/{self.slug}/"


class BotVersionQuerySet(models.QuerySet["BotVersion"]):
    def checking(self) -> "BotVersionQuerySet":
        return self.filter(state=BotVersion.State.CHECKING)

    def accepted(self) -> "BotVersionQuerySet":
        return self.filter(state=BotVersion.State.ACCEPTED)


class BotVersion(models.Model):
    """One upload. Nothing of it changes but its state."""

    class State(models.TextChoices):
        CHECKING = "checking"
        ACCEPTED = "accepted"
        REJECTED = "rejected"

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    source = models.BinaryField(help_text="A zip of its files.")
    sha256 = models.CharField(max_length=64, help_text="Of the zip, hexadecimal.")
    size = models.PositiveIntegerField(help_text="Bytes of all files, unpacked.")
    state = models.CharField(max_length=10, choices=State, default=State.CHECKING)
    state_reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BotVersionQuerySet.as_manager()

    class Meta:
        ordering = ["bot", "number"]
        constraints = [models.UniqueConstraint(fields=["bot", "number"], name="one_version_per_number")]
        indexes = [models.Index(fields=["state"], name="version_by_state")]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"

    def get_absolute_url(self) -> str:
        return f"/bots/{self.bot.slug}/v/{self.number}/"

    @property
    def files(self) -> dict[str, bytes]:
        """Content by relative path."""
        return archive.unpack(bytes(self.source))

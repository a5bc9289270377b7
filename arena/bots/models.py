"""Bots, their versions and the files of these; tokens and submissions of the API."""

import zlib
from collections.abc import Collection, Mapping
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Upper
from django.utils.timezone import now

from arena.core.database import is_past
from arena.core.errors import ArenaError
from arena.core.messages import MessageField
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.runner import archive
from arena.runner.program import Program
from engine.message import gettext_noop, message

REMOTE_LANGUAGE = "remote"
"""The language of a remote bot's versions: no worker runs it."""

# The people who work on a bot together.


class TeamMemberQuerySet(models.QuerySet["TeamMember"]):
    """Selections of the people on teams."""

    def joined(self) -> "TeamMemberQuerySet":
        """Return those who have accepted their invitation."""
        return self.filter(joined_at__isnull=False)

    def invited(self) -> "TeamMemberQuerySet":
        """Return those who have not answered their invitation."""
        return self.filter(joined_at=None, declined_at=None)


class TeamMember(models.Model):
    """A person who works on a bot beside the one who leads, which is the bot's owner, or is invited to."""

    bot = models.ForeignKey("bots.Bot", models.CASCADE, related_name="team")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="team_places")
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    invited_at = models.DateTimeField(default=now)
    joined_at = models.DateTimeField(null=True, help_text="When the invitation was accepted; null before that.")
    declined_at = models.DateTimeField(
        null=True, help_text="When the invitation was refused or withdrawn: there is no other for a while after that."
    )

    objects = TeamMemberQuerySet.as_manager()

    class Meta:
        ordering = ["joined_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["bot", "user"], name="one_team_place_each")]

    def __str__(self) -> str:
        return f"{self.user} for {self.bot}"


class FilesRemoved(ArenaError):
    """The files of a version were removed by staff."""

    status = 410


class RunsElsewhere(ArenaError):
    """The bot runs on its author's machine, so the arena has no files of it to run, show or compare."""

    status = 409


class Blob(models.Model):
    """Files in a zip, stored once under their hash."""

    sha256 = models.CharField(primary_key=True, max_length=64, help_text="SHA-256 of the zip, hexadecimal.")
    content = models.BinaryField(help_text="Zip made by `archive.pack`, compressed with zlib.")
    size = models.PositiveIntegerField(help_text="Size of the compressed content in bytes.")

    def __str__(self) -> str:
        return self.sha256

    @property
    def zipped(self) -> bytes:
        """Return the zip."""
        return zlib.decompress(self.content)

    @property
    def files(self) -> dict[str, bytes]:
        """Return the files: content by relative path."""
        return archive.unpack_files(self.zipped)


class BotQuerySet(models.QuerySet["Bot"]):
    """Selections of bots."""

    def visible_to(self, reader: User | AnonymousUser | None) -> "BotQuerySet":
        """Return the bots that a reader may see: public ones, one's own, and those for the reader's groups.

        Staff, who may have to stop any of them, sees all.
        """
        if not isinstance(reader, User):
            return self.filter(group=None)
        if reader.is_staff:
            return self.all()
        own_groups = Membership.objects.filter(user=reader).values("group")
        on_teams = TeamMember.objects.joined().filter(user=reader).values("bot")
        return self.filter(Q(group=None) | Q(owner=reader) | Q(group__in=own_groups) | Q(pk__in=on_teams))

    def of(self, owner: User) -> "BotQuerySet":
        """Return the bots that a user leads."""
        return self.filter(owner=owner)

    def of_authors(self, authors: Collection[User | int]) -> "BotQuerySet":
        """Return the bots that one of these users leads or works on."""
        on_teams = TeamMember.objects.joined().filter(user__in=authors).values("bot")
        return self.filter(Q(owner__in=authors) | Q(pk__in=on_teams))

    def sandboxed(self) -> "BotQuerySet":
        """Return those that workers run."""
        return self.filter(is_remote=False)

    def called(self, words: str) -> "BotQuerySet":
        """Return the bots with these words in their names."""
        return self.filter(name_upper__contains=Upper(Value(words)))


class Bot(models.Model):
    """An author's program under one name. Its versions play."""

    class PlayedBy(models.TextChoices):
        """The people who may play against it in live games."""

        EVERYBODY = "everybody"
        OWNER = "owner"
        NOBODY = "nobody"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bots")
    name = models.CharField(max_length=40)
    name_upper = models.GeneratedField(
        expression=Upper("name"),
        output_field=models.TextField(),
        db_persist=True,
        help_text="The name in capitals, for searches.",
    )
    slug = models.SlugField(max_length=50, unique=True)
    game = models.CharField(max_length=40, help_text="Key of the game it plays.")
    created_at = models.DateTimeField(auto_now_add=True)
    crest_difference = models.PositiveIntegerField(
        default=0, help_text="Tells its crest apart from others of its game."
    )
    crest_design = models.CharField(
        max_length=60,
        blank=True,
        default="",
        help_text="The crest that its owner has chosen, part by part; empty: it follows from the slug.",
    )

    played_by = models.CharField(
        max_length=10,
        choices=PlayedBy,
        default=PlayedBy.OWNER,
        help_text="Who may play live games against it; those of the house are always there for everybody.",
    )

    style = models.CharField(
        max_length=70,
        blank=True,
        default="",
        help_text="How it plays, in a sentence by its authors, for people who choose an opponent.",
    )

    group = models.ForeignKey(
        Group,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="bots",
        help_text="The group whose members alone see it; null: it is public.",
    )

    is_remote = models.BooleanField(
        default=False,
        help_text="Whether it runs on its author's machine and is asked over HTTPS: none of its versions has files.",
    )
    stopped_at = models.DateTimeField(
        null=True, help_text="Since when it plays nowhere, as its owner or staff wants it; null if it plays."
    )
    is_stopped_by_staff = models.BooleanField(default=False, help_text="Whether only staff lets it play again.")

    co_authors = models.JSONField(
        default=list,
        blank=True,
        help_text="Keys `id` and `username` of everybody who works on it beside its owner, in the order in which they "
        "joined: a copy of its team, so that lists need no further query.",
    )

    latest_version: "BotVersion | None"
    """Set by the queries that list bots."""

    objects = BotQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "crest_design"], condition=~models.Q(crest_design=""), name="one_bot_per_crest_design"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return f"/bots/{self.slug}/"

    @property
    def author_names(self) -> list[str]:
        """Return the usernames of its authors; the one who leads is its owner, and first."""
        return [self.owner.username, *(one["username"] for one in self.co_authors)]

    @property
    def author_keys(self) -> set[int]:
        """Return the keys of its authors."""
        return {self.owner_id, *(one["id"] for one in self.co_authors)}

    def has_author(self, reader: object) -> bool:
        """Return whether a user, who may be anonymous, may do and see what its authors may."""
        return isinstance(reader, User) and reader.pk in self.author_keys

    def is_led_by(self, reader: object) -> bool:
        """Return whether a user, who may be anonymous, may also do what only the one who leads its authors may."""
        return isinstance(reader, User) and reader.pk == self.owner_id


class UploadClosure(models.Model):
    """While there is a row, nobody may upload."""

    closed_at = models.DateTimeField(default=now)

    def __str__(self) -> str:
        return f"uploads closed at {self.closed_at}"


class BotVersionQuerySet(models.QuerySet["BotVersion"]):
    """Selections of versions by state."""

    def building(self) -> "BotVersionQuerySet":
        """Return the versions that are to be built."""
        return self.filter(state=BotVersion.State.BUILDING)

    def to_build(self, waited: timedelta = timedelta(0)) -> "BotVersionQuerySet":
        """Return those that a worker may take to build them now, and could have taken so long ago."""
        return self.building().may_go_on().filter(is_past("build_due_at", waited))

    def may_go_on(self) -> "BotVersionQuerySet":
        """Return the versions of bots that are not stopped, whose authors are not suspended."""
        return self.filter(bot__owner__suspended_at=None, bot__stopped_at=None)

    def on_trial(self) -> "BotVersionQuerySet":
        """Return the versions that wait for their trial or play it."""
        return self.filter(state=BotVersion.State.ON_TRIAL)

    def held_back(self) -> "BotVersionQuerySet":
        """Return the versions that the arena failed to play again and again, while it played others."""
        return self.filter(held_back_at__isnull=False)

    def accepted(self) -> "BotVersionQuerySet":
        """Return the versions that passed their trial, and those of remote bots, which have none."""
        return self.filter(state=BotVersion.State.ACCEPTED)

    def sandboxed(self) -> "BotVersionQuerySet":
        """Return the versions that workers run: those of remote bots are left out."""
        return self.exclude(language=REMOTE_LANGUAGE)


class BotVersion(models.Model):
    """One upload of a bot. Its source never changes, and its binary is stored once."""

    class State(models.TextChoices):
        BUILDING = "building"
        ON_TRIAL = "on_trial"
        ACCEPTED = "accepted"
        REJECTED = "rejected"

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    language = models.CharField(
        max_length=20, default="python", help_text="A key of arena.runner.languages.LANGUAGES, or `remote`."
    )
    source = models.ForeignKey(
        Blob,
        models.PROTECT,
        related_name="+",
        null=True,
        help_text="The files as they were uploaded; null once staff removed them.",
    )
    removed_sha256 = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the source, hexadecimal, once its files were removed."
    )
    binary = models.ForeignKey(
        Blob, models.PROTECT, related_name="+", null=True, help_text="Files that are run, where they aren't the source."
    )
    size = models.PositiveIntegerField(help_text="Size of all uploaded files in bytes, unpacked.")
    declared = models.CharField(
        max_length=200,
        blank=True,
        default="",
        help_text="What its author says that it runs on, as `model X, temperature 0, laptop`; of remote bots alone.",
    )
    packages = models.JSONField(
        default=dict, blank=True, help_text="Version of each package that it uses, by name: those it was tried with."
    )
    package_set = models.CharField(
        max_length=40, blank=True, default="", help_text="Hash of the set that has them; empty if it uses none."
    )
    state = models.CharField(max_length=10, choices=State, default=State.ON_TRIAL)
    state_reason = MessageField(help_text="Why it was rejected, for everybody.")
    state_detail = MessageField(help_text="Details for its owner only, as they may quote output of the bot.")
    build_log = models.TextField(blank=True, help_text="Output of the compiler, for its owner only.")
    is_on_hold = models.BooleanField(
        default=False, help_text="Whether it enters ladders only when its owner promotes it."
    )
    build_due_at = models.DateTimeField(
        default=now,
        help_text="When a worker may take it to build it: the worker that has it sets this time ahead while it works.",
    )
    build_failures = models.PositiveSmallIntegerField(default=0, help_text="How often the arena failed to build it.")
    held_back_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when it is played in no match, as the arena fails to run it, while others are played; null: "
        "it is played.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="uploads",
        help_text="Who uploaded it, for the bot's authors only.",
    )

    verdicts: dict[str, int]
    """Number of legs by verdict, set by `arena.matches.queries.attach_verdicts`."""

    objects = BotVersionQuerySet.as_manager()

    class Meta:
        ordering = ["bot", "number"]
        constraints = [models.UniqueConstraint(fields=["bot", "number"], name="one_version_per_number")]
        indexes = [models.Index(fields=["state"], name="version_by_state")]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return f"/bots/{self.bot.slug}/v/{self.number}/"

    @property
    def is_remote(self) -> bool:
        """Return whether it runs on its author's machine."""
        return self.language == REMOTE_LANGUAGE

    @property
    def is_final(self) -> bool:
        """Return whether it was accepted or rejected: its state won't change any more."""
        return self.state in (self.State.ACCEPTED, self.State.REJECTED)

    @property
    def is_build_due(self) -> bool:
        """Return whether it waits for a worker that builds it: none does now, or rests after a failure."""
        return self.state == self.State.BUILDING and self.build_due_at <= now()

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of its source, hexadecimal; empty for a remote bot's."""
        return self.source_id or self.removed_sha256

    @property
    def has_files(self) -> bool:
        """Return whether its files are there: staff did not remove them."""
        return self.source_id is not None

    @property
    def source_filename(self) -> str:
        """Return the name under which its source is downloaded."""
        return f"{self.bot.slug}-v{self.number}.zip"

    @property
    def stored_source(self) -> Blob:
        """Return its source. Raises FilesRemoved or RunsElsewhere."""
        if self.source is None:
            raise self._files_removed()
        return self.source

    @property
    def files(self) -> dict[str, bytes]:
        """Return the uploaded files: content by relative path. Raises FilesRemoved or RunsElsewhere."""
        return self.stored_source.files

    @property
    def program(self) -> Program:
        """Return what is run, or before that what is to be built."""
        return self.program_of((self.binary or self.stored_source).files)

    @property
    def blob_id(self) -> str:
        """Return the hash of the files that are run, or before that of those to be built.

        Raises FilesRemoved or RunsElsewhere.
        """
        key = self.binary_id or self.source_id
        if key is None:
            raise self._files_removed()
        return key

    def program_of(self, files: Mapping[str, bytes]) -> Program:
        """Return the program with these files, which are those of `blob_id`."""
        packages = {"packages": self.packages, "package_set": self.package_set}
        return Program(self.bot.name, self.number, files, self.language, **packages)

    def _files_removed(self) -> ArenaError:
        if self.is_remote:
            problem = gettext_noop("%(version)s runs on its author's machine: the arena doesn't have its files.")
            return RunsElsewhere(message(problem, version=str(self)))
        problem = gettext_noop("The arena's staff removed the files of %(version)s.")
        return FilesRemoved(message(problem, version=str(self)))


class SourceFingerprints(models.Model):
    """What programs are compared by, kept for each source: it takes a while to make."""

    source = models.OneToOneField(Blob, models.CASCADE, primary_key=True, related_name="+")
    method = models.PositiveSmallIntegerField(help_text="Which way it was made, a `similarity.METHOD`.")
    squeezed = models.CharField(max_length=64, help_text="Hash that sources share which differ in white space alone.")
    given = models.CharField(max_length=60, blank=True, help_text="Starter or sample that the source is, unchanged.")
    fingerprints = models.BinaryField(null=True, help_text="JSON, compressed with zlib; null: it took too long.")

    def __str__(self) -> str:
        return f"fingerprints of {self.source_id}"


class SourceRead(models.Model):
    """That an organiser of a group read the files of a version on a day. Its authors see it."""

    class Way(models.TextChoices):
        VIEW = "view"
        DOWNLOAD = "download"
        COMPARE = "compare"

    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="source_reads")
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    group = models.ForeignKey(Group, models.SET_NULL, null=True, related_name="+")
    way = models.CharField(max_length=8, choices=Way)
    day = models.DateField()
    at = models.DateTimeField(default=now, help_text="When it was read so for the first time that day.")

    class Meta:
        ordering = ["-at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["version", "reader", "way", "day"], name="one_source_read_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.version} by {self.reader}"


class TokenQuerySet(models.QuerySet["Token"]):
    """Selections of tokens."""

    def valid(self) -> "TokenQuerySet":
        """Return the tokens that were not revoked."""
        return self.filter(revoked_at=None)


class Token(models.Model):
    """A token that lets a script act for its owner, with all bots or with one. Only its hash is stored."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    bot = models.ForeignKey(
        Bot,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="tokens",
        help_text="Bot that the token is for; null for all of the owner's.",
    )
    name = models.CharField(max_length=60, help_text="Purpose of the token, for its owner.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, hexadecimal.")
    prefix = models.CharField(max_length=12, help_text="First characters, by which its owner recognizes it.")
    created_at = models.DateTimeField(default=now)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = TokenQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class Submission(models.Model):
    """An upload with an idempotency key: when it is sent again, the response is the same."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="submissions")
    key = models.CharField(max_length=100)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of the request, hexadecimal.")
    version = models.ForeignKey(BotVersion, models.CASCADE, related_name="submissions")
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "key"], name="one_submission_per_key")]

    def __str__(self) -> str:
        return f"{self.key} of {self.owner}"

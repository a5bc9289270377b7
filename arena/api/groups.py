"""Your groups and their members: a class, a club or a company. Nobody else sees them; nothing of them is cached."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.db import transaction
from django.http import FileResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    FloatField,
    IntegerField,
    ListField,
    Serializer,
    SerializerMethodField,
    SlugField,
)

from arena.api.frame import (
    ARCHIVE_TYPE,
    BINARY_RESPONSE,
    ChoiceField,
    HtmlUrlField,
    MessageText,
    Resource,
    VersionSerializer,
    build_absolute_url,
    operation,
)
from arena.api.requests import require_row, require_unrestricted_token
from arena.bots.models import BotVersion, SourceRead
from arena.contests import reading
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.queries import list_ladders_of_group
from arena.contests.marks import collect_marks
from arena.contests.reading import Source
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.queries import list_tournaments_of_group
from arena.core.errors import NotYours
from arena.core.http import find_client_network, forbid_caching
from arena.core.messages import gettext as _
from arena.core.messages import render_message
from arena.operations.acts import leave_group
from arena.operations.personal_data import build_group_export, erase_group
from arena.operations.slips import MailOutcome, give_link, mail_slips
from arena.people.groups import services
from arena.people.groups.listing import BadList, ListedPerson, read_name_list
from arena.people.groups.models import Group, Invitation, Membership
from arena.people.groups.services import MAX_CODE_HOURS, MAX_LINK_DAYS, Slip
from arena.people.notices.announcing import MAX_LENGTH
from engine.message import gettext_noop, message

# Your groups: a class, a club or a company. Nobody but their members sees them, and nothing of them is cached.

REAL_NAME_HELP = "Your name, shown only to members; may be empty."
MAX_REAL_NAME_LENGTH = 80
READS_BOTS_HELP = (
    "Whether organisers can read the bots of members who have agreed to it: bots uploaded after "
    "that which are only for the group, in its tournaments or on its ladders."
)
ACCEPTS_READING_HELP = (
    "Whether you agree that organisers can read what you upload from now on. Required if the "
    "group's organisers read bots."
)


class GroupSerializer(Serializer):
    """One of your groups."""

    slug = CharField(help_text="The group's slug.")
    html_url = HtmlUrlField()
    name = CharField(help_text="The group's name.")
    description = CharField(help_text="Plain-text description for members; may be empty.")
    hides_names = BooleanField(help_text="Whether only organisers can see real names.")
    reads_bots = BooleanField(help_text=READS_BOTS_HELP)
    reading_accepted_at = DateTimeField(
        allow_null=True, help_text="Since when organisers can read what you upload; null if they can't."
    )
    role = ChoiceField(Membership.Role.choices, help_text="Your role.")
    members = IntegerField(source="members_count", help_text="Number of its members.")
    join_code = SerializerMethodField(help_text="Code for joining, only for organisers; null without a valid code.")
    join_code_expires_at = SerializerMethodField(
        help_text="When the code expires, only for organisers; null without a code."
    )
    created_at = DateTimeField(help_text="When it was created.")

    def get_join_code(self, group: Any) -> str | None:
        """Return the code for an organiser."""
        return (group.open_code or None) if group.role in Membership.ORGANISING_ROLES else None

    def get_join_code_expires_at(self, group: Any) -> str | None:
        """Return the end of the code for an organiser."""
        if self.get_join_code(group) is None:
            return None
        shown: str = DateTimeField().to_representation(group.join_code_expires_at)
        return shown


class NewGroupSerializer(Serializer):
    """A group to create."""

    name = CharField(
        max_length=60, help_text="The group's name. Its address is derived from the name and doesn't change later."
    )
    description = CharField(
        max_length=2000, required=False, allow_blank=True, help_text="Plain-text description for members; may be empty."
    )
    hides_names = BooleanField(required=False, help_text="Whether only organisers can see real names.")
    reads_bots = BooleanField(required=False, help_text=READS_BOTS_HELP)
    real_name = CharField(max_length=MAX_REAL_NAME_LENGTH, required=False, allow_blank=True, help_text=REAL_NAME_HELP)


class GroupChangesSerializer(Serializer):
    """Changes to a group."""

    name = CharField(max_length=60, required=False, help_text="The group's name. Its address doesn't change.")
    description = CharField(
        max_length=2000, required=False, allow_blank=True, help_text="Plain-text description for members; may be empty."
    )
    hides_names = BooleanField(required=False, help_text="Whether only organisers can see real names.")
    reads_bots = BooleanField(required=False, help_text=READS_BOTS_HELP)


class JoinSerializer(Serializer):
    """A group's code, and your name in the group."""

    code = CharField(max_length=40, help_text="The group's code. Hyphens and case don't matter.")
    real_name = CharField(max_length=MAX_REAL_NAME_LENGTH, required=False, allow_blank=True, help_text=REAL_NAME_HELP)
    accepts_reading = BooleanField(default=False, help_text=ACCEPTS_READING_HELP)


class AcceptedInvitationSerializer(Serializer):
    """What you accept with an invitation."""

    accepts_reading = BooleanField(default=False, help_text=ACCEPTS_READING_HELP)


class NewCodeSerializer(Serializer):
    """How long a new code is valid."""

    hours = IntegerField(
        min_value=1, max_value=MAX_CODE_HOURS, help_text="Number of hours for which the code is valid."
    )


class GroupResource(Resource):
    """Base of what concerns groups. A token for one bot is refused, and no response is cached."""

    permission_classes = [IsAuthenticated]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse tokens for one bot, and keep the response out of every cache."""
        super().initial(request, *args, **kwargs)
        require_unrestricted_token(request)
        forbid_caching(request)

    def group_or_404(self, slug: str) -> Group:
        """Return a group of the reader, with `role` and `members_count`. Raise NotFound for one of others, too."""
        found = services.list_groups(self.user).filter(slug=slug).first()
        return require_row(found, _("You aren't in a group with the address %(slug)s.") % {"slug": slug})

    def own_membership(self, group: Group) -> Membership:
        """Return the reader's membership in a group of the reader's. Raise NotFound."""
        found = services.find_membership(group, self.user)
        return require_row(found, _("You aren't in a group with the address %(slug)s.") % {"slug": group.slug})

    def organised_group_or_404(self, slug: str) -> Group:
        """Return a group that the reader organises. Raise NotFound or NotYours."""
        group = self.group_or_404(slug)
        if not self.own_membership(group).is_organiser:
            raise NotYours(message(gettext_noop("Only the group's owners and co-organisers can do that.")))
        return group

    def respond_group(self, slug: str) -> Response:
        """Return a group as it is now."""
        return self.respond(self.group_or_404(slug))


class GroupDeletionQuery(Serializer):
    """Confirmation of a group's deletion."""

    confirmation = CharField(help_text="The group's name, to confirm the deletion.")


class Groups(GroupResource):
    """Your groups."""

    @operation("groups_list", "List your groups", [GroupSerializer])
    def list(self, request: Request) -> Response:
        """List your groups, ordered by name."""
        return self.respond_page(services.list_groups(self.user), ordering=("name", "pk"))

    @operation("groups_create", "Create a group", GroupSerializer, status=201, reads=NewGroupSerializer)
    def create(self, request: Request) -> Response:
        """Create a group that you own. Your account needs permission to organise."""
        return self.respond_group(services.create_group(owner=self.user, **self.read_data()).slug)

    @operation("groups_retrieve", "Show a group", GroupSerializer, errors=("400",))
    def show(self, request: Request, slug: str) -> Response:
        """Return one of your groups, or 404 if you aren't a member."""
        return self.respond_group(slug)

    @operation("groups_partial_update", "Change a group", GroupSerializer, reads=GroupChangesSerializer)
    def change(self, request: Request, slug: str) -> Response:
        """Change a group's name, description, who sees real names and whether organisers read bots. Organisers only."""
        group = self.group_or_404(slug)
        kept = {name: getattr(group, name) for name in ("name", "description", "hides_names", "reads_bots")}
        services.edit_group(group=group, by=self.user, **kept | self.read_data())
        return self.respond_group(slug)

    @operation("groups_destroy", "Delete a group", status=204, query=GroupDeletionQuery)
    def erase(self, request: Request, slug: str) -> Response:
        """Delete a group permanently. Owners only.

        This also deletes real names, bots that are only for the group, tournaments that only its members can see, and
        unused accounts created from a list. Other tournaments and accounts are kept. The request is refused while the
        group has queued or running matches.
        """
        erase_group(group=self.group_or_404(slug), by=self.user, confirmation=self.query["confirmation"])
        return Response(status=204)

    @operation("groups_export", "Download a group's data", responses=BINARY_RESPONSE)
    def export(self, request: Request, slug: str) -> HttpResponseBase:
        """Return a zip with members and their real names, bots, tournaments and match records. Owners only.

        Bots' files belong to their authors and aren't included. Keep the zip safe: it contains personal data.
        """
        group = self.group_or_404(slug)
        services.check_owner(group, self.user)
        zipped, name = build_group_export(group), f"{group.slug}.zip"
        return FileResponse(zipped, as_attachment=True, filename=name, content_type=ARCHIVE_TYPE)

    @operation("groups_join", "Join a group with its code", GroupSerializer, reads=JoinSerializer)
    def join(self, request: Request) -> Response:
        """Join the group that has this code, and return the group. After several wrong codes, you have to wait."""
        sent = self.read_data()
        group = services.find_group_by_code(typed=sent["code"], user=self.user, address=find_client_network(request))
        services.join_group(
            group=group,
            user=self.user,
            real_name=sent.get("real_name", ""),
            accepts_reading=sent["accepts_reading"],
        )
        return self.respond_group(group.slug)

    @operation("groups_leave", "Leave a group", status=204)
    def leave(self, request: Request, slug: str) -> Response:
        """Leave a group. If you're its only owner, make another member an owner first."""
        leave_group(member=self.own_membership(self.group_or_404(slug)), by=self.user)
        return Response(status=204)

    @operation("groups_code_renew", "Renew a group's code", GroupSerializer, reads=NewCodeSerializer)
    def renew_code(self, request: Request, slug: str) -> Response:
        """Replace the group's code. The old one stops working. Organisers only."""
        services.renew_join_code(group=self.group_or_404(slug), by=self.user, hours=self.read_data()["hours"])
        return self.respond_group(slug)

    @operation("groups_code_end", "Disable a group's code", status=204)
    def end_code(self, request: Request, slug: str) -> Response:
        """Stop people from joining with the code. Organisers only."""
        services.end_join_code(group=self.group_or_404(slug), by=self.user)
        return Response(status=204)


# The members of a group, its invitations, and the list of names by which organisers let people in.

DEFAULT_LINK_DAYS = 14
MAX_LIST_LENGTH = 60_000
MAIL_HELP = (
    "Whether to email slips to the addresses on the list, if the arena can send email. Links that "
    "weren't emailed are in the response."
)


class MemberSerializer(Serializer):
    """A group's member."""

    id = IntegerField(source="pk", help_text="The membership's id.")
    username = CharField(source="user.username", help_text="Username, which is public.")
    real_name = SerializerMethodField(
        help_text="Real name, shown only to members; may be empty, and is empty if only organisers can see real names."
    )
    role = ChoiceField(Membership.Role.choices, help_text="The person's role in the group.")
    joined_at = DateTimeField(help_text="When the person joined.")
    sign_in_link_expires_at = SerializerMethodField(
        help_text="When the one-time link of an account created from a list expires, only for "
        "organisers; null without a link or if it was used."
    )

    def get_real_name(self, member: Membership) -> str:
        """Return the name if the reader may see it."""
        hides = member.group.hides_names and not self.context.get("is_organiser")
        return "" if hides and member.user_id != self.context["request"].user.pk else member.real_name

    def get_sign_in_link_expires_at(self, member: Any) -> str | None:
        """Return the end of the link for an organiser."""
        expires_at = getattr(member, "link_expires_at", None)
        if expires_at is None or not self.context.get("is_organiser"):
            return None
        shown: str = DateTimeField().to_representation(expires_at)
        return shown


class MemberChangesSerializer(Serializer):
    """Changes to a member."""

    role = ChoiceField(Membership.Role.choices, required=False, help_text="New role. Only owners can change roles.")
    real_name = CharField(
        max_length=MAX_REAL_NAME_LENGTH, required=False, allow_blank=True, help_text="New name in the group."
    )


class InvitationSerializer(Serializer):
    """A pending invitation to a group."""

    id = IntegerField(source="pk", help_text="The invitation's id.")
    real_name = CharField(help_text="Name from the list; may be empty.")
    email = CharField(help_text="Email address from the list.")
    created_at = DateTimeField(help_text="When it was created.")


class OwnInvitationSerializer(Serializer):
    """One of your invitations."""

    id = IntegerField(source="pk", help_text="The invitation's id.")
    group = CharField(source="group.name", help_text="The group's name.")
    invited_by = CharField(
        source="created_by.username",
        default=None,
        allow_null=True,
        help_text="Username of the person who invites you.",
    )
    created_at = DateTimeField(help_text="When it was created.")


class NameListSerializer(Serializer):
    """A list of names, one person per line."""

    names = CharField(
        max_length=MAX_LIST_LENGTH,
        trim_whitespace=False,
        help_text="CSV with a heading in English or Hungarian (name, e-mail, student number, further "
        "columns), or one person per line: a name, optionally followed by an email address. At most 100 "
        "people.",
    )
    days = IntegerField(
        min_value=1,
        max_value=MAX_LINK_DAYS,
        default=DEFAULT_LINK_DAYS,
        help_text="Number of days for which sign-in links are valid.",
    )
    dry_run = BooleanField(default=False, help_text="Whether to only show what would happen.")
    mail = BooleanField(default=False, help_text=MAIL_HELP)


class LinkDaysSerializer(Serializer):
    """How long new sign-in links are valid."""

    days = IntegerField(
        min_value=1,
        max_value=MAX_LINK_DAYS,
        default=DEFAULT_LINK_DAYS,
        help_text="Number of days for which sign-in links are valid.",
    )
    mail = BooleanField(default=False, help_text=MAIL_HELP)


class ListedPersonSerializer(Serializer):
    """A person on a list."""

    real_name = CharField(help_text="Name; may be empty with an address.")
    email = CharField(help_text="Address; may be empty.")
    number = CharField(help_text="Student number; may be empty.")
    columns = SerializerMethodField(help_text="Values of further columns, by heading.")

    def get_columns(self, person: ListedPerson) -> dict[str, str]:
        """Return the further columns."""
        return dict(person.columns)


class SlipSerializer(Serializer):
    """Sign-in link of a person whose account was created from a list."""

    real_name = CharField(help_text="The person's name.")
    username = CharField(help_text="Username of the new account. The person changes it at the first sign-in.")
    sign_in_url = SerializerMethodField(
        help_text="Link that works once. It isn't stored: this is the only copy. Null if the slip was emailed."
    )
    expires_at = DateTimeField(help_text="When the link expires.")
    mail = SerializerMethodField(help_text="Status of the email; null if none was requested.")

    def get_sign_in_url(self, slip: Slip) -> str | None:
        """Return the whole link."""
        is_sent = self.context["outcomes"].get(slip) == MailOutcome.SENT
        return None if is_sent else build_absolute_url(self.context["request"], slip.path)

    @extend_schema_field(ChoiceField(list(MailOutcome), allow_null=True))
    def get_mail(self, slip: Slip) -> str | None:
        """Return what became of the mail."""
        outcome = self.context["outcomes"].get(slip)
        return None if outcome is None else outcome.value


class ListResultSerializer(Serializer):
    """Result of a list, or of its dry run."""

    new = ListedPersonSerializer(many=True, help_text="People who get a new account.")
    slips = SlipSerializer(many=True, help_text="Sign-in links of the new accounts; empty in a dry run.")
    invited = ListedPersonSerializer(
        many=True, help_text="People whose confirmed address belongs to an account. They're invited, without a link."
    )
    present = ListedPersonSerializer(many=True, help_text="People already in the group; nothing changes.")


class SlipsSerializer(Serializer):
    """New sign-in links."""

    slips = SlipSerializer(many=True, help_text="Sign-in links of all accounts that haven't been used yet.")


class Members(GroupResource):
    """The members of a group."""

    is_organiser = False
    outcomes: Mapping[Slip, MailOutcome] = {}
    """What became of the mail of slips."""

    def mail(self, group: Group, slips: Sequence[Slip]) -> None:
        """Mail slips, and note what became of each."""
        build_link = partial(build_absolute_url, self.request)
        mailed = mail_slips(group=group, by=self.user, slips=slips, build_link=build_link)
        self.outcomes = {one.slip: one.outcome for one in mailed}

    def member_or_404(self, slug: str, pk: int) -> Membership:
        """Return a member of a group of the reader. Raise NotFound."""
        return require_row(services.find_member(self.group_or_404(slug), pk), _("No such member in this group."))

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, which says whether an organiser reads."""
        return super().get_serializer_context() | {"is_organiser": self.is_organiser, "outcomes": self.outcomes}

    @operation("groups_members_list", "List a group's members", [MemberSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List the members in the order in which they joined."""
        group = self.group_or_404(slug)
        self.is_organiser = self.own_membership(group).is_organiser
        return self.respond_page(services.list_members(group).select_related("user", "group"), ordering=("pk",))

    @operation("groups_members_partial_update", "Change a member", MemberSerializer, reads=MemberChangesSerializer)
    def change(self, request: Request, slug: str, pk: int) -> Response:
        """Change a member's role (owners only) or name (organisers, or the member)."""
        member, sent = self.member_or_404(slug, pk), self.read_data()
        self.is_organiser = self.own_membership(member.group).is_organiser
        with transaction.atomic():
            if "role" in sent:
                member = services.set_role(member=member, by=self.user, role=Membership.Role(sent["role"]))
            if "real_name" in sent:
                member = services.set_real_name(member=member, by=self.user, real_name=sent["real_name"])
        return self.respond(member)

    @operation("groups_members_remove", "Remove a member", status=204)
    def remove(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a person from the group. Organisers only; organisers can only be removed by owners."""
        leave_group(member=self.member_or_404(slug, pk), by=self.user)
        return Response(status=204)

    @operation("groups_list_people", "Add the people on a list", ListResultSerializer, reads=NameListSerializer)
    def let_in(self, request: Request, slug: str) -> Response:
        """Create accounts for the people on a list, or invite them. Organisers only.

        Only this response contains the new accounts' sign-in links: print them and hand them out. Existing members
        aren't changed, so you can send the same list again. With `dry_run`, nothing is changed.
        """
        group, sent = self.organised_group_or_404(slug), self.read_data()
        try:
            people = read_name_list(sent["names"])
        except BadList as error:
            raise ValidationError({"names": [render_message(problem) for problem in error.problems]}) from None
        let_in = services.preview_listed_people if sent["dry_run"] else services.add_listed_people
        result = let_in(group=group, by=self.user, people=people, days=sent["days"])
        if sent["mail"]:
            self.mail(group, result.slips)
        return self.respond(result)

    @operation("groups_list_links", "Renew unused sign-in links", SlipsSerializer, reads=LinkDaysSerializer)
    def renew_links(self, request: Request, slug: str) -> Response:
        """Create new links for everyone who hasn't signed in yet. Their old links stop working. Organisers only."""
        group, sent = self.organised_group_or_404(slug), self.read_data()
        slips = services.renew_unused_links(group=group, by=self.user, days=sent["days"])
        if sent["mail"]:
            self.mail(group, slips)
        return self.respond({"slips": slips})

    @operation("groups_members_link", "Give a member a new sign-in link", SlipSerializer, reads=LinkDaysSerializer)
    def renew_link(self, request: Request, slug: str, pk: int) -> Response:
        """Replace a member's sign-in link, if the account was created from a list. Organisers only.

        If the person has signed in before, the link lets them choose a new password within two days, and they're
        notified who created it. The request is refused if the account has work outside this group.
        """
        member, sent = self.member_or_404(slug, pk), self.read_data()
        slip = give_link(member=member, by=self.user, days=sent["days"])
        if sent["mail"]:
            self.mail(member.group, [slip])
        return self.respond(slip)


# The bots of a group that its organisers can read.


class SourceSerializer(Serializer):
    """A version whose files organisers can read."""

    id = IntegerField(source="version.pk", help_text="The version's id, for the other addresses here.")
    version = VersionSerializer(help_text="The version.")
    created_at = DateTimeField(source="version.created_at", help_text="When it was uploaded.")
    sha256 = CharField(source="version.sha256", help_text="SHA-256 of its files.")
    same_as = SerializerMethodField(help_text="Ids of versions whose files differ only in white space, if at all.")
    given = CharField(help_text="Starter or sample bot with the same files, such as starters/python; empty otherwise.")
    is_compared = BooleanField(help_text="Whether it was compared; false if its files take too long to read.")

    @extend_schema_field(ListField(child=IntegerField()))
    def get_same_as(self, source: Source) -> list[int]:
        """Return the ids."""
        return [version.pk for version in source.same_as]


class SimilarPairSerializer(Serializer):
    """Two versions by different authors that share more than what both were given. A hint, never a verdict."""

    left = IntegerField(source="left.pk", help_text="Id of one version.")
    right = IntegerField(source="right.pk", help_text="Id of the other.")
    lines = IntegerField(help_text="Number of lines in common, apart from names, comments and literals.")


class SourcesSerializer(Serializer):
    """The bots that organisers can read, and similar pairs."""

    is_complete = BooleanField(help_text="Whether all pairs have been compared; if not, ask again later.")
    sources = SourceSerializer(many=True, help_text="Each bot's newest version, or the versions in a tournament.")
    pairs = SimilarPairSerializer(many=True, help_text="Similar pairs, most similar first; empty until complete.")


class SourcesQuery(Serializer):
    """Which versions to list."""

    tournament = SlugField(
        required=False,
        help_text="Slug of one of the group's tournaments, whose versions to use. Defaults to each bot's newest "
        "version.",
    )


class Sources(GroupResource):
    """The bots of a group, for its organisers. Their authors see who has read them."""

    def choose_versions(self, group: Group) -> list[BotVersion]:
        """Return the versions that are asked for. Raise NotFound."""
        slug = self.query.get("tournament")
        if slug is None:
            return reading.choose_versions(group)
        found = list_tournaments_of_group(self.user, group).filter(slug=slug).first()
        return reading.choose_versions(group, require_row(found, _("No such contest in this group.")))

    @operation("groups_reading_accept", "Let organisers read your bots", GroupSerializer)
    def accept(self, request: Request, slug: str) -> Response:
        """Agree that organisers can read what you upload from now on, if the group's organisers read bots."""
        services.accept_reading(member=self.own_membership(self.group_or_404(slug)))
        return self.respond_group(slug)

    @operation("groups_sources_list", "List the bots that you can read", SourcesSerializer, query=SourcesQuery)
    def list(self, request: Request, slug: str) -> Response:
        """Return the versions that you can read as an organiser, and pairs of similar versions."""
        group = self.organised_group_or_404(slug)
        return self.respond(reading.compare_versions(versions=self.choose_versions(group)))

    @operation(
        "groups_sources_zip", "Download the bots that you can read", responses=BINARY_RESPONSE, query=SourcesQuery
    )
    def download(self, request: Request, slug: str) -> HttpResponseBase:
        """Return a zip with one folder per version, suitable for JPlag and MOSS. Organisers only."""
        return self.send(self.choose_versions(group := self.organised_group_or_404(slug)), group)

    @operation("groups_sources_retrieve", "Download one of the bots that you can read", responses=BINARY_RESPONSE)
    def download_one(self, request: Request, slug: str, pk: int) -> HttpResponseBase:
        """Return a zip with one of these versions."""
        group = self.organised_group_or_404(slug)
        version = reading.find_readable_version(group, self.user, pk)
        return self.send([require_row(version, _("This group's organisers can't read that version."))], group)

    def send(self, versions: Sequence[BotVersion], group: Group) -> HttpResponseBase:
        """Send the files of versions, and note it."""
        names = services.fetch_real_names(self.user, group.pk)
        zipped, name = reading.write_sources(versions=versions, names=names), f"{group.slug}-bots.zip"
        reading.note_reads(versions=versions, group=group, reader=self.user, way=SourceRead.Way.DOWNLOAD)
        return FileResponse(zipped, as_attachment=True, filename=name, content_type=ARCHIVE_TYPE)


class Invitations(GroupResource):
    """Invitations to groups."""

    @operation("groups_invitations_to_list", "List a group's invitations", [InvitationSerializer])
    def list_to_group(self, request: Request, slug: str) -> Response:
        """List pending invitations, newest first. Organisers only."""
        return self.respond_page(services.list_invitations_to(self.organised_group_or_404(slug)))

    @operation("groups_invitations_list", "List your invitations", [OwnInvitationSerializer])
    def list_own(self, request: Request) -> Response:
        """List your pending invitations to groups, newest first."""
        return self.respond_page(services.list_own_invitations(self.user))

    def invitation_or_404(self, pk: int) -> Invitation:
        """Return an invitation of the reader. Raise NotFound."""
        return require_row(services.find_own_invitation(self.user, pk), _("No such invitation."))

    @operation("groups_invitations_accept", "Accept an invitation", GroupSerializer, reads=AcceptedInvitationSerializer)
    def accept(self, request: Request, pk: int) -> Response:
        """Join the group, and return it."""
        invitation = self.invitation_or_404(pk)
        services.accept_invitation(invitation=invitation, **self.read_data())
        return self.respond_group(invitation.group.slug)

    @operation("groups_invitations_refuse", "Decline an invitation", status=204)
    def refuse(self, request: Request, pk: int) -> Response:
        """Decline an invitation permanently."""
        services.refuse_invitation(invitation=self.invitation_or_404(pk))
        return Response(status=204)


# What organisers announce to the members.


class AnnouncementSerializer(Serializer):
    """An announcement to a group or tournament."""

    id = IntegerField(source="pk", read_only=True, help_text="The announcement's id.")
    text = MessageText(help_text="Plain text; for a changed deadline, the arena's text.")
    author = CharField(
        source="author.username",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="Username of the person who announced it.",
    )
    created_at = DateTimeField(read_only=True, help_text="When it was announced.")


class NewAnnouncementSerializer(Serializer):
    """An announcement to make."""

    text = CharField(max_length=MAX_LENGTH, help_text="Plain text. Web addresses become links.")


class GroupAnnouncements(GroupResource):
    """The announcements of a group."""

    @operation("groups_announcements_list", "List a group's announcements", [AnnouncementSerializer])
    def list(self, request: Request, slug: str) -> Response:
        """List the organisers' announcements to the group, newest first. Members only."""
        return self.respond_page(services.list_group_announcements(self.group_or_404(slug)))

    @operation(
        "groups_announcements_create",
        "Send an announcement to a group",
        AnnouncementSerializer,
        status=201,
        reads=NewAnnouncementSerializer,
    )
    def announce(self, request: Request, slug: str) -> Response:
        """Send an announcement to all members, at most five times an hour. Organisers only.

        Members get a notification, and an email if they have a confirmed address and want emails. People who join later
        can list the announcement.
        """
        group, text = self.organised_group_or_404(slug), self.read_data()["text"]
        return self.respond(services.announce_to_group(group=group, by=self.user, text=text), 201)

    @operation("groups_announcements_destroy", "Delete a group's announcement", status=204)
    def erase(self, request: Request, slug: str, pk: int) -> Response:
        """Delete an announcement and its notifications. Emails already sent can't be recalled. Organisers only."""
        found = services.list_group_announcements(self.organised_group_or_404(slug)).filter(pk=pk).first()
        announcement = require_row(found, _("No such announcement."))
        services.delete_group_announcement(announcement=announcement, by=self.user)
        return Response(status=204)


# The table for marks: what each member has done, with the results of one contest of the group.


class BotScoreSerializer(Serializer):
    """A bot's result in a contest."""

    place = IntegerField(allow_null=True, help_text="Its place; null before the first result and while provisional.")
    points = FloatField(help_text="Its points.")
    beaten = IntegerField(help_text="Number of opponents it has beaten.")


class MarkSerializer(Serializer):
    """A member's work."""

    username = CharField(source="member.user.username", help_text="Username.")
    real_name = CharField(source="member.real_name", help_text="Name in the group; may be empty.")
    number = CharField(source="member.number", help_text="Student number from the list; may be empty.")
    email = CharField(source="member.email", help_text="Email address from the list; may be empty.")
    bots = ListField(child=CharField(), help_text="The bots' names, in the contest's game if one is chosen.")
    versions = IntegerField(help_text="Number of their versions.")
    last_upload = DateTimeField(allow_null=True, help_text="When the newest was uploaded, or null.")
    check = CharField(help_text="The newest version's state; empty without one.")
    best = BotScoreSerializer(allow_null=True, help_text="Result of the bot that did best in the contest, or null.")
    faults = IntegerField(help_text="Number of faults by all the member's bots in the contest.")


class MarksSerializer(Serializer):
    """The table for marks."""

    members = MarkSerializer(many=True, help_text="One line per member, including those who entered nothing.")


class MarksQuery(Serializer):
    """Which of the group's contests to use; omit both for none."""

    tournament = SlugField(required=False, help_text="A tournament's slug.")
    ladder = CharField(max_length=100, required=False, help_text="A ladder's season, such as battleline/standard/1.")


class Marks(GroupResource):
    """The table for marks of a group."""

    @operation("groups_marks_retrieve", "Show the table for marks", MarksSerializer, query=MarksQuery)
    def show(self, request: Request, slug: str) -> Response:
        """Return each member's work, with a contest's results if you choose one. Organisers only."""
        group = self.organised_group_or_404(slug)
        return self.respond({"members": collect_marks(group, self.find_contest(group))})

    def find_contest(self, group: Group) -> Tournament | Ladder | None:
        """Return the contest that is asked for, or None. Raise NotFound for one that the group hasn't."""
        found: Tournament | Ladder | None
        if "tournament" in self.query:
            found = list_tournaments_of_group(self.user, group).filter(slug=self.query["tournament"]).first()
        elif "ladder" in self.query:
            ladders = {f"{one.game}/{one.edition}/{one.season}": one for one in list_ladders_of_group(group)}
            found = ladders.get(self.query["ladder"])
        else:
            return None
        require_row(found, _("No such contest in this group."))
        return found

"""Your groups and their members: a class, a club or a company. Nobody else sees them; nothing of them is cached."""

from typing import Any

from django.db import transaction
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
    Serializer,
    SerializerMethodField,
)

from arena.api.frame import ARCHIVE_TYPE, ChoiceField, HtmlUrlField, Resource, build_absolute_url
from arena.api.requests import require_row, require_unrestricted_token
from arena.core.errors import NotYours
from arena.core.http import find_client_network, forbid_caching
from arena.core.messages import render_message
from arena.operations.acts import leave_group
from arena.operations.personal_data import build_group_export, erase_group
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Invitation, Membership
from arena.people.groups.services import (
    MAX_CODE_HOURS,
    MAX_LINK_DAYS,
    BadList,
    ListedPerson,
    ListResult,
    Slip,
    accept_invitation,
    add_listed_people,
    check_owner,
    create_group,
    edit_group,
    end_join_code,
    find_group_by_code,
    find_member,
    find_membership,
    find_own_invitation,
    join_group,
    list_groups,
    list_invitations_to,
    list_members,
    list_own_invitations,
    preview_listed_people,
    read_name_list,
    refuse_invitation,
    renew_join_code,
    renew_unused_links,
    set_real_name,
    set_role,
)
from engine.message import gettext_noop, message

# Your groups: a class, a club or a company. Nobody but their members sees them, and nothing of them is cached.

EXAMPLE_GROUP = {
    "slug": "class-10b",
    "html_url": "https://arena.example.org/groups/class-10b/",
    "name": "Class 10.b",
    "description": "We meet on Mondays.",
    "role": "owner",
    "members": 24,
    "join_code": "7KQ2-M9XD-4TRW",
    "join_code_expires_at": "2026-05-10T09:12:44Z",
    "created_at": "2026-05-03T09:12:44Z",
}
REAL_NAME_HELP = "Your name as the members see it; nobody else does. May be empty."
MAX_REAL_NAME_LENGTH = 80


@extend_schema_serializer(examples=[OpenApiExample("a class", EXAMPLE_GROUP, response_only=True)])
class GroupSerializer(Serializer):
    """A group in which you are."""

    slug = CharField(help_text="Name of the group in addresses.")
    html_url = HtmlUrlField()
    name = CharField(help_text="Name of the group.")
    description = CharField(help_text="Plain text for its members; may be empty.")
    role = ChoiceField(Membership.Role.choices, help_text="What you are in it.")
    members = IntegerField(source="members_count", help_text="Number of its members.")
    join_code = SerializerMethodField(
        help_text="Code by which people join, for organisers alone; null where there is none that works."
    )
    join_code_expires_at = SerializerMethodField(
        help_text="Until when the code works, for organisers alone; null where there is none."
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


@extend_schema_serializer(
    examples=[OpenApiExample("a class", {"name": "Class 10.b", "real_name": "Olga Kovács"}, request_only=True)]
)
class NewGroupSerializer(Serializer):
    """A group to be created."""

    name = CharField(max_length=60, help_text="Name of the group; its address is made from it and doesn't change.")
    description = CharField(
        max_length=2000, required=False, allow_blank=True, help_text="Plain text for its members; may be empty."
    )
    real_name = CharField(max_length=MAX_REAL_NAME_LENGTH, required=False, allow_blank=True, help_text=REAL_NAME_HELP)


class GroupChangesSerializer(Serializer):
    """What is changed of a group."""

    name = CharField(max_length=60, required=False, help_text="Name of the group; its address stays.")
    description = CharField(
        max_length=2000, required=False, allow_blank=True, help_text="Plain text for its members; may be empty."
    )


@extend_schema_serializer(
    examples=[OpenApiExample("a code", {"code": "7KQ2-M9XD-4TRW", "real_name": "Anna Kovács"}, request_only=True)]
)
class JoinSerializer(Serializer):
    """The code of a group, and your name in it."""

    code = CharField(max_length=40, help_text="Code of the group; hyphens and capitals don't matter.")
    real_name = CharField(max_length=MAX_REAL_NAME_LENGTH, required=False, allow_blank=True, help_text=REAL_NAME_HELP)


@extend_schema_serializer(examples=[OpenApiExample("a week", {"hours": 168}, request_only=True)])
class NewCodeSerializer(Serializer):
    """How long a new code works."""

    hours = IntegerField(min_value=1, max_value=MAX_CODE_HOURS, help_text="Number of hours for which it works.")


class GroupResource(Resource):
    """Base of what concerns groups. A token for one bot is refused, and no response is cached."""

    permission_classes = [IsAuthenticated]
    serializer_class: type[Serializer] | None = GroupSerializer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse tokens for one bot, and keep the response out of every cache."""
        super().initial(request, *args, **kwargs)
        require_unrestricted_token(request)
        forbid_caching(request)

    def group_or_404(self, slug: str) -> Group:
        """Return a group of the reader, with `role` and `members_count`. Raise NotFound for one of others, too."""
        found = list_groups(require_unrestricted_token(self.request)).filter(slug=slug).first()
        return require_row(found, _("You are in no group at %(slug)s.") % {"slug": slug})

    def own_membership(self, group: Group) -> Membership:
        """Return the reader's membership in a group of the reader's. Raise NotFound."""
        found = find_membership(group, require_unrestricted_token(self.request))
        return require_row(found, _("You are in no group at %(slug)s.") % {"slug": group.slug})

    def respond_group(self, slug: str, status: int = 200) -> Response:
        """Return a group as it is now."""
        return self.respond(self.group_or_404(slug), GroupSerializer, status=status)


class GroupList(GroupResource):
    """Your groups."""

    is_list = True
    ordering = ("name", "pk")

    @extend_schema(operation_id="groups_list", summary="List your groups", responses={200: GroupSerializer(many=True)})
    def get(self, request: Request) -> Response:
        """List the groups in which you are, by name."""
        return self.respond_page(list_groups(require_unrestricted_token(request)))

    @extend_schema(
        operation_id="groups_create",
        summary="Create a group",
        request=NewGroupSerializer,
        responses={201: GroupSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a group that you own. Your account needs the permission to organise."""
        made = create_group(owner=require_unrestricted_token(request), **self.read_data(NewGroupSerializer))
        return self.respond_group(made.slug, status=201)


class GroupDeletionQuery(Serializer):
    """That a group is to be deleted indeed."""

    confirmation = CharField(help_text="Name of the group, as on the page that deletes it.")


class GroupDetail(GroupResource):
    """One of your groups."""

    query_class = GroupDeletionQuery

    @classmethod
    def list_parameters(cls, method: str) -> list[str]:
        """Return the names of the parameters: only DELETE has one."""
        return list(cls.query_class().fields) if method == "DELETE" else []

    @extend_schema(operation_id="groups_retrieve", summary="Show a group")
    def get(self, request: Request, slug: str) -> Response:
        """Return a group in which you are; 404 for others."""
        return self.respond_group(slug)

    @extend_schema(operation_id="groups_partial_update", summary="Change a group", request=GroupChangesSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change name and description, as an organiser of the group."""
        group, sent = self.group_or_404(slug), self.read_data(GroupChangesSerializer)
        edit_group(
            group=group,
            by=require_unrestricted_token(request),
            name=sent.get("name", group.name),
            description=sent.get("description", group.description),
        )
        return self.respond_group(slug)

    @extend_schema(
        operation_id="groups_destroy",
        summary="Delete a group",
        parameters=[GroupDeletionQuery],
        responses={204: None},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Delete a group for good, as an owner: real names, bots for it only, tournaments that nobody else sees.

        Tournaments that others see stay, and accounts, but for those of a list that nobody used. Refused while matches
        of the group wait or are being played.
        """
        group, by = self.group_or_404(slug), require_unrestricted_token(request)
        erase_group(group=group, by=by, confirmation=self.query["confirmation"])
        return Response(status=204)


class GroupExport(GroupResource):
    """All that is a group's, for its owners."""

    serializer_class = None

    @extend_schema(
        operation_id="groups_export",
        summary="Download all of a group",
        responses={(200, ARCHIVE_TYPE): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Return a zip with members and their real names, bots, tournaments, and records of matches, as an owner.

        The files of bots belong to their authors and are not in it. Keep it safe: it holds personal data.
        """
        group = self.group_or_404(slug)
        check_owner(group, require_unrestricted_token(request))
        zipped, name = build_group_export(group), f"{group.slug}.zip"
        return FileResponse(zipped, as_attachment=True, filename=name, content_type=ARCHIVE_TYPE)


class GroupJoin(GroupResource):
    """Joining a group."""

    @extend_schema(operation_id="groups_join", summary="Join a group by its code", request=JoinSerializer)
    def post(self, request: Request) -> Response:
        """Join the group of a code, and return it. Wrong codes are counted: after some, you have to wait."""
        sent, reader = self.read_data(JoinSerializer), require_unrestricted_token(request)
        group = find_group_by_code(typed=sent["code"], user=reader, address=find_client_network(request))
        join_group(group=group, user=reader, real_name=sent.get("real_name", ""))
        return self.respond_group(group.slug)


class GroupLeave(GroupResource):
    """Leaving a group."""

    @extend_schema(operation_id="groups_leave", summary="Leave a group", request=None, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Leave a group. Its last owner can't: make another member its owner first."""
        leave_group(member=self.own_membership(self.group_or_404(slug)), by=require_unrestricted_token(request))
        return Response(status=204)


class GroupCode(GroupResource):
    """The code by which people join a group."""

    @extend_schema(operation_id="groups_code_renew", summary="Renew the code of a group", request=NewCodeSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Give the group a new code, as an organiser; the old one ends."""
        group, hours = self.group_or_404(slug), self.read_data(NewCodeSerializer)["hours"]
        renew_join_code(group=group, by=require_unrestricted_token(request), hours=hours)
        return self.respond_group(slug)

    @extend_schema(operation_id="groups_code_end", summary="End the code of a group", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Let nobody join by the code any more, as an organiser."""
        end_join_code(group=self.group_or_404(slug), by=require_unrestricted_token(request))
        return Response(status=204)


# The members of a group, its invitations, and the list of names by which organisers let people in.

DEFAULT_LINK_DAYS = 14
MAX_LIST_LENGTH = 20_000
EXAMPLE_MEMBER = {
    "id": 41,
    "username": "kingfisher-fan",
    "real_name": "Anna Kovács",
    "role": "member",
    "joined_at": "2026-05-03T09:12:44Z",
    "sign_in_link_expires_at": None,
}
EXAMPLE_SLIP = {
    "real_name": "Anna Kovács",
    "username": "newcomer-3fa9c1",
    "sign_in_url": "https://arena.example.org/groups/sign-in/q7Zd…/",
    "expires_at": "2026-05-17T09:12:44Z",
}
EXAMPLE_LIST = {"names": "Anna Kovács, anna@example.org\nBence Tóth", "days": 14, "dry_run": True}


@extend_schema_serializer(examples=[OpenApiExample("a member", EXAMPLE_MEMBER, response_only=True)])
class MemberSerializer(Serializer):
    """A person in a group."""

    id = IntegerField(source="pk", help_text="Id of the membership.")
    username = CharField(source="user.username", help_text="User name, which everybody sees.")
    real_name = CharField(help_text="Name that members of the group alone see; may be empty.")
    role = ChoiceField(Membership.Role.choices, help_text="What the person is in the group.")
    joined_at = DateTimeField(help_text="When the person joined.")
    sign_in_link_expires_at = SerializerMethodField(
        help_text="Until when the one-time link of an account that a list made works, for organisers alone; null where "
        "there is none, or it was used."
    )

    def get_sign_in_link_expires_at(self, member: Any) -> str | None:
        """Return the end of the link for an organiser."""
        expires_at = getattr(member, "link_expires_at", None)
        if expires_at is None or not self.context.get("is_organiser"):
            return None
        shown: str = DateTimeField().to_representation(expires_at)
        return shown


@extend_schema_serializer(examples=[OpenApiExample("a role", {"role": "co_organiser"}, request_only=True)])
class MemberChangesSerializer(Serializer):
    """What is changed of a member."""

    role = ChoiceField(Membership.Role.choices, required=False, help_text="New role; only owners give roles.")
    real_name = CharField(
        max_length=MAX_REAL_NAME_LENGTH, required=False, allow_blank=True, help_text="New name in the group."
    )


class InvitationSerializer(Serializer):
    """An invitation to a group that isn't answered yet."""

    id = IntegerField(source="pk", help_text="Id of the invitation.")
    real_name = CharField(help_text="Name that the list had; may be empty.")
    email = CharField(help_text="Address that the list had.")
    created_at = DateTimeField(help_text="When it was made.")


class OwnInvitationSerializer(Serializer):
    """An invitation of yours."""

    id = IntegerField(source="pk", help_text="Id of the invitation.")
    group = CharField(source="group.name", help_text="Name of the group.")
    invited_by = CharField(
        source="created_by.username", default=None, allow_null=True, help_text="User name of who invites you."
    )
    created_at = DateTimeField(help_text="When it was made.")


@extend_schema_serializer(examples=[OpenApiExample("two people", EXAMPLE_LIST, request_only=True)])
class NameListSerializer(Serializer):
    """A list of names, one person a line."""

    names = CharField(
        max_length=MAX_LIST_LENGTH,
        help_text="One person a line, at most 100: a name, and after it a mail address if you like.",
    )
    days = IntegerField(
        min_value=1,
        max_value=MAX_LINK_DAYS,
        default=DEFAULT_LINK_DAYS,
        help_text="Number of days for which sign-in links work.",
    )
    dry_run = BooleanField(default=False, help_text="Whether only to tell what would happen.")


class LinkDaysSerializer(Serializer):
    """How long new sign-in links work."""

    days = IntegerField(
        min_value=1,
        max_value=MAX_LINK_DAYS,
        default=DEFAULT_LINK_DAYS,
        help_text="Number of days for which sign-in links work.",
    )


class ListedPersonSerializer(Serializer):
    """A person of a list."""

    real_name = CharField(help_text="Name; may be empty where there is an address.")
    email = CharField(help_text="Address; may be empty.")


@extend_schema_serializer(examples=[OpenApiExample("a slip", EXAMPLE_SLIP, response_only=True)])
class SlipSerializer(Serializer):
    """The sign-in link of a person whose account a list has made."""

    real_name = CharField(help_text="Name of the person.")
    username = CharField(help_text="User name of the new account, which the person changes at the first sign-in.")
    sign_in_url = SerializerMethodField(help_text="Link that works once. It is stored nowhere: this is all of it.")
    expires_at = DateTimeField(help_text="Until when the link works.")

    def get_sign_in_url(self, slip: Slip) -> str:
        """Return the whole link."""
        return build_absolute_url(self.context["request"], slip.path)


class ListResultSerializer(Serializer):
    """What became of a list; of a dry run, what would become of it."""

    new = ListedPersonSerializer(many=True, help_text="People for whom an account is made.")
    slips = SlipSerializer(many=True, help_text="Sign-in links of the new accounts; empty in a dry run.")
    invited = ListedPersonSerializer(
        many=True, help_text="People whose confirmed address belongs to an account: they are invited, without a link."
    )
    present = ListedPersonSerializer(many=True, help_text="People who are in the group already: nothing changes.")


class SlipsSerializer(Serializer):
    """New sign-in links."""

    slips = SlipSerializer(many=True, help_text="Sign-in links of all accounts that nobody has signed in to yet.")


class MemberResource(GroupResource):
    """Base of what concerns members."""

    serializer_class: type[Serializer] | None = MemberSerializer
    is_organiser = False

    def organised_group_or_404(self, slug: str) -> Group:
        """Return a group that the reader organises. Raise NotFound or NotYours."""
        group = self.group_or_404(slug)
        if not self.own_membership(group).is_organiser:
            raise NotYours(message(gettext_noop("Only owners and co-organisers of the group may do that.")))
        return group

    def member_or_404(self, slug: str, pk: int) -> Membership:
        """Return a member of a group of the reader. Raise NotFound."""
        return require_row(find_member(self.group_or_404(slug), pk), _("The group has no such member."))

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context, which says whether an organiser reads."""
        return super().get_serializer_context() | {"is_organiser": self.is_organiser}


class MemberList(MemberResource):
    """The members of a group."""

    is_list = True
    ordering = ("pk",)

    @extend_schema(
        operation_id="groups_members_list",
        summary="List the members of a group",
        responses={200: MemberSerializer(many=True)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the members in the order in which they joined."""
        group = self.group_or_404(slug)
        self.is_organiser = self.own_membership(group).is_organiser
        return self.respond_page(list_members(group))


class MemberDetail(MemberResource):
    """One member of a group."""

    @extend_schema(
        operation_id="groups_members_partial_update", summary="Change a member", request=MemberChangesSerializer
    )
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change the role, as an owner, or the name: your own, or as an organiser."""
        member, by = self.member_or_404(slug, pk), require_unrestricted_token(request)
        sent = self.read_data(MemberChangesSerializer)
        with transaction.atomic():
            if "role" in sent:
                member = set_role(member=member, by=by, role=Membership.Role(sent["role"]))
            if "real_name" in sent:
                member = set_real_name(member=member, by=by, real_name=sent["real_name"])
        return self.respond(member)

    @extend_schema(operation_id="groups_members_remove", summary="Take a member out", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Take a person out of the group, as an organiser; organisers only as an owner."""
        leave_group(member=self.member_or_404(slug, pk), by=require_unrestricted_token(request))
        return Response(status=204)


class NameList(MemberResource):
    """Letting in the people of a list."""

    @extend_schema(
        operation_id="groups_list_people",
        summary="Let in the people of a list",
        request=NameListSerializer,
        responses=ListResultSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make accounts for the people of a list, or invite them, as an organiser.

        Links of new accounts are in this answer alone: print them, and hand them out. Who is there already stays as
        they are, so that the same list can be sent again. With `dry_run` nothing is changed.
        """
        group, by = self.organised_group_or_404(slug), require_unrestricted_token(request)
        sent = self.read_data(NameListSerializer)
        people = self._read_people(sent["names"])
        if sent["dry_run"]:
            return self._respond_result(preview_listed_people(group=group, by=by, people=people, days=sent["days"]))
        return self._respond_result(add_listed_people(group=group, by=by, people=people, days=sent["days"]))

    def _read_people(self, text: str) -> list[ListedPerson]:
        """Return the people of a list. Raise ValidationError with all that is wrong."""
        try:
            return read_name_list(text)
        except BadList as error:
            raise ValidationError({"names": [render_message(problem) for problem in error.problems]}) from None

    def _respond_result(self, result: ListResult) -> Response:
        return self.respond(result, ListResultSerializer)


class RenewLinks(MemberResource):
    """Replacing sign-in links."""

    @extend_schema(
        operation_id="groups_list_links",
        summary="Renew unused sign-in links",
        request=LinkDaysSerializer,
        responses=SlipsSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make new links for all who have not signed in yet, as an organiser; their old links end."""
        group, by = self.organised_group_or_404(slug), require_unrestricted_token(request)
        days = self.read_data(LinkDaysSerializer)["days"]
        return self.respond({"slips": renew_unused_links(group=group, by=by, days=days)}, SlipsSerializer)


class GroupInvitationList(MemberResource):
    """The invitations to a group."""

    is_list = True
    serializer_class = InvitationSerializer
    ordering = ("-pk",)

    @extend_schema(
        operation_id="groups_invitations_to_list",
        summary="List the invitations to a group",
        responses={200: InvitationSerializer(many=True)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the invitations that nobody has answered yet, as an organiser, newest first."""
        return self.respond_page(list_invitations_to(self.organised_group_or_404(slug)))


class OwnInvitationList(GroupResource):
    """Your invitations."""

    is_list = True
    serializer_class = OwnInvitationSerializer
    ordering = ("-pk",)

    @extend_schema(
        operation_id="groups_invitations_list",
        summary="List your invitations",
        responses={200: OwnInvitationSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        """List the invitations to groups that you have not answered yet, newest first."""
        return self.respond_page(list_own_invitations(require_unrestricted_token(request)))


class InvitationResource(GroupResource):
    """Base of answers to an invitation."""

    def invitation_or_404(self, reader: User, pk: int) -> Invitation:
        """Return an invitation of the reader. Raise NotFound."""
        return require_row(find_own_invitation(reader, pk), _("You have no such invitation."))


class InvitationAccept(InvitationResource):
    """Accepting an invitation."""

    @extend_schema(
        operation_id="groups_invitations_accept",
        summary="Accept an invitation",
        request=None,
        responses=GroupSerializer,
    )
    def post(self, request: Request, pk: int) -> Response:
        """Join the group, and return it."""
        invitation = self.invitation_or_404(require_unrestricted_token(request), pk)
        accept_invitation(invitation=invitation)
        return self.respond_group(invitation.group.slug)


class InvitationRefuse(InvitationResource):
    """Refusing an invitation."""

    @extend_schema(
        operation_id="groups_invitations_refuse", summary="Refuse an invitation", request=None, responses={204: None}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Refuse an invitation for good."""
        refuse_invitation(invitation=self.invitation_or_404(require_unrestricted_token(request), pk))
        return Response(status=204)

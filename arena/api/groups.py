"""Your groups: a class, a club or a company. Nobody but their members sees them, and nothing of them is cached."""

from typing import Any

from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_serializer
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, DateTimeField, IntegerField, Serializer, SerializerMethodField

from arena.api.auth import require_unrestricted_token
from arena.api.errors import require_row
from arena.api.fields import ChoiceField
from arena.api.frame import ARCHIVE_TYPE, Resource
from arena.api.references import HtmlUrlField
from arena.client_address import find_client_network
from arena.group_acts import leave_group
from arena.group_data.erasing import erase_group
from arena.group_data.export import build_group_export
from arena.groups.models import Group, Membership
from arena.groups.queries.groups import find_membership, list_groups
from arena.groups.services.editing import check_owner, create_group, edit_group
from arena.groups.services.joining import (
    MAX_CODE_HOURS,
    end_join_code,
    find_group_by_code,
    join_group,
    renew_join_code,
)
from arena.private_responses import forbid_caching

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

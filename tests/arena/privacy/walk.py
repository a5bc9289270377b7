"""Visit all addresses as everybody who may come, with every method."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie

from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.utils.timezone import now

from arena.matches.models import WorkerStatus
from tests.arena.privacy.routes import Address, addresses
from tests.arena.privacy.secrets import World, squeezed
from tests.arena.privacy.who import Who
from tests.full import is_full_run

UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
METHODS = ("GET", "HEAD", "OPTIONS", *UNSAFE)
DESCRIPTIONS = ("/api/v1/docs/", "/api/v1/schema/")
"""The same for everybody and by any method, and each takes as long as a hundred other addresses."""
REFUSED = {401, 403, 404, 405}


class Visitor:
    """Somebody who asks for addresses; whatever that changes is taken back at once."""

    def __init__(self, role: str, world: World) -> None:
        self.role = role
        self.client = Client(raise_request_exception=True)
        self.headers: dict[str, str] = {}
        if role in world.tokens:
            self.headers["Authorization"] = f"Bearer {world.tokens[role]}"
        elif role in world.people:
            self.client.force_login(world.people[role])
        self.cookies = self.client.cookies.output()

    def ask(self, method: str, path: str) -> HttpResponse:
        cache.clear()
        self.client.cookies = SimpleCookie(self.cookies.replace("Set-Cookie: ", "").replace("\r\n", "; "))
        kind = "application/json" if path.startswith("/api/") else "application/x-www-form-urlencoded"
        with transaction.atomic():
            body = "{}" if kind == "application/json" and method in UNSAFE else ""
            response = self.client.generic(method, path, body, kind, headers=self.headers)
            transaction.set_rollback(True)
        return response


def is_refused(response: HttpResponse) -> bool:
    to_login = response.status_code == 302 and "login" in response["Location"]
    return to_login or response.status_code in REFUSED


def may_come(role: str, address: Address) -> bool:
    allowed = {
        Who.ALL: True,
        Who.KNOWN: role != "nobody",
        Who.GENERAL: role not in ("nobody", "owner's token for another bot"),
        Who.SESSION: role != "nobody" and "token" not in role,
        Who.OWNER: role in ("owner", "owner's token"),
        Who.PLAYERS: role in ("owner", "owner's token", "rival"),
        Who.PERSON: role == "owner",
        Who.STAFF: role == "staff",
        Who.NONE: False,
    }
    return allowed[address.who]


def read(response: HttpResponse) -> bytes:
    """All that was sent: headers, text, and what is packed."""
    content = response.getvalue()
    if zipfile.is_zipfile(io.BytesIO(content)):
        packed = zipfile.ZipFile(io.BytesIO(content))
        content = b"\n".join(packed.read(name) for name in packed.namelist())
    return squeezed(str(response.headers).encode() + content)


def roles(world: World) -> Iterator[str]:
    yield "nobody"
    yield from world.people
    yield from world.tokens


def find_wrong(walks: Sequence["Walk"]) -> list[str]:
    """Let all of them walk, and say what they found that isn't theirs."""
    for walk in walks:
        WorkerStatus.objects.update(seen_at=now())  # a walk takes half a minute: `/ready/` shall not miss the worker
        for address in addresses(walk.world.names):
            if is_for(walk.visitor.role, address.path):
                walk.visit(address)
    return [sentence for walk in walks for sentence in walk.wrong]


def is_for(role: str, path: str) -> bool:
    """Tokens are for the API; forms to log in are the same for all who are logged in."""
    if path.startswith("/accounts/"):
        return role in ("nobody", "stranger", "owner")
    return path.startswith("/api/") or "token" not in role


@dataclass(slots=True)
class Walk:
    visitor: Visitor
    world: World
    found: set[str] = field(default_factory=set)
    """Names of secrets."""
    wrong: list[str] = field(default_factory=list)

    def visit(self, address: Address) -> None:
        for method in methods(self.visitor.role, address):
            response = self.visitor.ask(method, address.path)
            where = f"{method} {address.path} as {self.visitor.role}: {response.status_code}"
            if not is_right(self.visitor.role, method, address, response):
                self.wrong.append(where)
            text = read(response)
            if is_refused(response):
                text = text.replace(squeezed(address.path.encode()), b"")
            for secret in self.world.secrets:
                if secret.text in text:
                    self.found.add(secret.name)
                    if self.visitor.role not in secret.may:
                        self.wrong.append(f"{secret.name}, {where}")


def methods(role: str, address: Address) -> tuple[str, ...]:
    """Those from whom most is hidden try them all. A page that everybody reads is the same by any of them.

    By default they try them all with the API alone: nothing but GET and POST is ever sent by a page of ours.
    """
    if address.path in DESCRIPTIONS:
        return ("GET",) if role in ("nobody", "stranger") else ()
    is_page = not address.path.startswith("/api/")
    if address.who is Who.STAFF or (is_page and address.who is Who.ALL and role != "nobody"):
        return ("GET",)
    if role not in ("stranger", "owner's token for another bot"):
        return ("GET", "POST")
    if is_page and not is_full_run():
        return ("GET", "POST")
    return METHODS


def is_right(role: str, method: str, address: Address, response: HttpResponse) -> bool:
    if response.status_code >= 500:
        return False
    if not may_come(role, address):
        return is_refused(response) or method == "OPTIONS"
    if role == "nobody" and method in UNSAFE and address.path.startswith("/api/"):
        return is_refused(response)
    is_readable = method == "GET" and address.who in (Who.ALL, Who.STAFF)
    return not is_readable or response.status_code in (200, 302, 403, 405)

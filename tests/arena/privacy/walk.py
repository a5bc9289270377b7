"""Visit all addresses as everybody who may come, with every method."""

import io
import re
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
BOOKS = ("/rules/", "/docs/", "/start/", "/install/", "/viewer/")
"""The same for everybody, but for the name in the corner."""
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
        self.seen = {f"session-seen-{cookie.value}": True for cookie in self.client.cookies.values()}

    def ask(self, method: str, path: str) -> HttpResponse:
        cache.clear()
        cache.set_many(self.seen)  # that a session was seen is written once in some minutes, not at each request
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
            if is_for(walk.visitor.role, address):
                walk.visit(address)
    return [sentence for walk in walks for sentence in walk.wrong]


def is_for(role: str, address: Address) -> bool:
    """Tokens are for the API; forms to log in are the same for all who are logged in.

    Whoever isn't staff is sent away from the admin before a row is looked for: one of them is enough by default.
    """
    if address.path.startswith("/accounts/"):
        return role in ("nobody", "stranger", "owner")
    if address.is_further_row and role != "staff" and not is_full_run():
        return False
    return address.path.startswith("/api/") or "token" not in role


@dataclass(slots=True)
class Walk:
    visitor: Visitor
    world: World
    found: set[str] = field(default_factory=set)
    """Names of secrets."""
    wrong: list[str] = field(default_factory=list)

    def visit(self, address: Address) -> None:
        for method, response in self.ask(address):
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

    def ask(self, address: Address) -> Iterator[tuple[str, HttpResponse]]:
        """Try all methods that are tried of an address; by default only those by which it can show something more."""
        left_out = set() if is_full_run() else set(spared(self.visitor.role, address))
        for method in methods(self.visitor.role, address):
            if method not in left_out:
                response = self.visitor.ask(method, address.path)
                yield method, response
                is_page = method == "GET" and not address.path.startswith("/api/")
                if is_page and not is_full_run() and not has_own_form(address.path, response):
                    left_out.add("POST")


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


def spared(role: str, address: Address) -> tuple[str, ...]:
    """Return the methods that the default run leaves to others, who see no less.

    What everybody may read is read by nobody, the owner, the rival and one token, and books by the first two. What is
    for nobody yet is asked for by nobody, the owner, the rival and staff, and changed by the first two; what is for
    whoever is known is changed by the owner and the stranger, while staff and the rival look at it.
    """
    if address.path.startswith("/accounts/"):
        return ()
    if address.who is Who.NONE and role in ("stranger", "stranger's token", "owner's token"):
        return METHODS
    if address.who is Who.ALL:
        is_book = address.path.startswith(BOOKS) or address.path in DESCRIPTIONS
        is_read_by_others = role in ("staff", "stranger", "stranger's token", "owner's token")
        if is_read_by_others or (is_book and role not in ("nobody", "owner")):
            return METHODS if role == "staff" else ("GET", "HEAD")
    if role == "owner's token for another bot":
        return ("HEAD", "OPTIONS")
    is_left = address.who is Who.NONE and role not in ("nobody", "owner")
    is_left |= address.who is Who.KNOWN and role in ("rival", "staff")
    return ("POST",) if is_left and not address.path.startswith("/api/") else ()


def has_own_form(path: str, response: HttpResponse) -> bool:
    """Return whether what was got may be sent back to its address; any other page answers POST as it does GET."""
    forms = re.findall(rb'<form [^>]*method="post"[^>]*>', response.getvalue())
    own = f'action="{path}"'.encode()
    return response.status_code != 200 or any(b"action=" not in form or own in form for form in forms)


def is_right(role: str, method: str, address: Address, response: HttpResponse) -> bool:
    if response.status_code >= 500:
        return False
    if not may_come(role, address):
        return is_refused(response) or method == "OPTIONS"
    if role == "nobody" and method in UNSAFE and address.path.startswith("/api/"):
        return is_refused(response)
    if role == "staff" and address.path.startswith("/admin/") and not address.path.endswith("/add/"):
        return response.status_code == 200
    is_readable = method == "GET" and address.who in (Who.ALL, Who.STAFF)
    return not is_readable or response.status_code in (200, 302, 403, 405)

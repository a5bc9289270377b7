"""Mail is sent to real servers that require, offer or lack STARTTLS."""

import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from smtplib import SMTPException, SMTPNotSupportedError

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from django.core.mail import get_connection, send_mail
from django.test import override_settings

from arena.core.environment import read_mail_url
from tests.servers import free_port


class Inbox:
    """What a mail server got: recipients with their letters, and each password with whether it was encrypted."""

    def __init__(self) -> None:
        self.received: list[str] = []
        self.letters: dict[str, EmailMessage] = {}
        self.refused: set[str] = set()
        """Addresses for which it takes nothing."""
        self.passwords: list[tuple[bytes, bool]] = []

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refused:
            return "550 No such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.received += envelope.rcpt_tos
        letter = message_from_bytes(envelope.content, policy=default)
        self.letters |= dict.fromkeys(envelope.rcpt_tos, letter)
        return "250 OK"

    def read(self, address: str) -> str:
        """The text of the last letter to an address."""
        return str(self.letters[address].get_content())

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object
    ) -> AuthResult:
        self.passwords.append((data.password, session.ssl is not None))
        return AuthResult(success=True)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A key, and its certificate for localhost."""
    folder = tmp_path_factory.mktemp("certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    files = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    return key, certificate


@contextmanager
def mail_server(certificate: tuple[Path, Path] | None, *, requires: bool = False) -> Iterator[tuple[Inbox, int]]:
    """A server on a free port; with a certificate it offers STARTTLS."""
    inbox, port, context = Inbox(), free_port(), None
    if certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate[1], certificate[0])
    server = Controller(
        inbox,
        hostname="localhost",
        port=port,
        tls_context=context,
        require_starttls=requires,
        authenticator=inbox.authenticate,
        auth_require_tls=False,
    )
    server.start()
    try:
        yield inbox, port
    finally:
        server.stop()


def send(address: str) -> None:
    settings = read_mail_url(address)
    with (
        override_settings(**settings, EMAIL_TIMEOUT=10),
        closing(get_connection(settings["EMAIL_BACKEND"])) as connection,
    ):
        send_mail("Slip", "Your way in.", "pennant@localhost", ["ana@example.org"], connection=connection)


@pytest.mark.parametrize("requires", [True, False])
def test_where_starttls_is_offered_the_password_is_encrypted(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, requires: bool
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    with mail_server(certificate, requires=requires) as (inbox, port):
        send(f"smtp://ana:secret@localhost:{port}")
    assert inbox.received == ["ana@example.org"]
    assert inbox.passwords == [(b"secret", True)]


def test_a_certificate_that_nobody_vouches_for_gets_no_password(certificate: tuple[Path, Path]) -> None:
    with mail_server(certificate) as (inbox, port), pytest.raises(ssl.SSLCertVerificationError):
        send(f"smtp://ana:secret@localhost:{port}")
    assert (inbox.received, inbox.passwords) == ([], [])


def test_without_starttls_a_password_is_sent_only_if_asked_for() -> None:
    with mail_server(None) as (inbox, port):
        with pytest.raises(SMTPNotSupportedError):
            send(f"smtp://ana:secret@localhost:{port}")
        assert (inbox.received, inbox.passwords) == ([], [])
        send(f"smtp://localhost:{port}")
        send(f"smtp+plain://ana:secret@localhost:{port}")
    assert (len(inbox.received), inbox.passwords) == (2, [(b"secret", False)])


def test_a_server_that_requires_starttls_refuses_mail_without_it(certificate: tuple[Path, Path]) -> None:
    with mail_server(certificate, requires=True) as (inbox, port), pytest.raises(SMTPException):
        send(f"smtp://localhost:{port}")
    assert inbox.received == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("smtp://mail.example.org:587", True),
        ("smtp://name:password@mail.example.org", True),
        ("smtp://mail.example.org", None),
        ("smtp://localhost:25", None),
        ("smtp+plain://name:password@mail.example.org:587", None),
        ("smtp+tls://mail.example.org:2525", True),
    ],
)
def test_port_587_and_passwords_ask_for_starttls(address: str, expected: bool | None) -> None:
    assert read_mail_url(address).get("EMAIL_USE_TLS") is expected

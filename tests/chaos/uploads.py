"""Authors who upload all the time: every answer that acknowledges an upload is remembered."""

import threading
from dataclasses import dataclass, field

import httpx

from tests.story.installation import ROOT, Installation

BOTS = (("heron", "battleline"), ("kite", "battleline"), ("osprey", "battalion"))
INTERVAL_S = 6.0
TIMEOUT_S = 10.0
C_EVERY = 5
"""Every so many uploads are in C, so that they are built first."""


@dataclass
class Uploads(threading.Thread):
    """Upload faultless bots, and send again under the same key what isn't acknowledged, as the `pennant` command."""

    installation: Installation
    token: str
    acknowledged: dict[tuple[str, int], str] = field(default_factory=dict)
    """SHA-256 by slug and number."""
    sent: int = 0
    unanswered: int = 0
    """Requests that failed, or were answered with an error."""

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.installation.port}/api/v1/",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=TIMEOUT_S,
        )

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        for name, game in BOTS:
            while not self._create_bot(name, game):
                if self.ended.wait(1.0):
                    return
        while not self.ended.wait(INTERVAL_S):
            slug, game = BOTS[self.sent % len(BOTS)]
            self.sent += 1
            while not self._upload(slug, game, self.sent):
                if self.ended.wait(1.0):
                    return

    def end(self) -> None:
        self.ended.set()
        self.join()
        self.client.close()

    def _create_bot(self, name: str, game: str) -> bool:
        try:
            if self.client.get(f"bots/{name}/").status_code == 200:
                return True
            return self.client.post("bots/", json={"name": name, "game": game}).status_code == 201
        except httpx.HTTPError:
            return False

    def _upload(self, slug: str, game: str, number: int) -> bool:
        try:
            answer = self.client.post(
                f"bots/{slug}/versions/",
                files={"program": _program(game, number)},
                data={"hold": "false"},
                headers={"Idempotency-Key": f"chaos-{number}"},
            )
        except httpx.HTTPError:
            self.unanswered += 1
            return False
        if answer.status_code in (200, 201):
            version = answer.json()
            self.acknowledged[version["bot"], version["number"]] = version["sha256"]
            return True
        self.unanswered += 1
        return False


def _program(game: str, number: int) -> tuple[str, bytes]:
    """The name and content of a bot that makes no mistake, another one for every number."""
    if number % C_EVERY == 0:
        source = (ROOT / "bots/samples/languages/c/bot.c").read_bytes()
        return "bot.c", source + f"\n/* {game} {number} */\n".encode()
    return "bot.py", (ROOT / "bots/samples/random/bot.py").read_bytes() + f"\n# {game} {number}\n".encode()

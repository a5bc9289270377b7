"""Fetch pages of an arena whose data lies still, and print a hash of each as JSON. `manage` in `surface` starts it."""

import hashlib
import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django
import time_machine
from django.apps import apps
from django.test import Client

NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
"""A time after all of the data."""
CHANGING = (
    re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"'),
    re.compile(r'nonce[=-]"?[\w/+=-]+"?'),
    re.compile(r"tag=[0-9a-f]{32}"),
    re.compile(r"\.[0-9a-f]{12}\.(?=css|js|svg|png|woff2)"),
)
"""What differs from answer to answer or with the code: also tags of frames, and hashes in names of static files."""
ADDRESSES = """
/ /watch/ /today/ /start/ /start/?language=cpp /queue/ /status/ /docs/ /docs/operating/ /docs/reference/settings/
/rules/ /rules/battleline/standard/ /rules/battleline/terrain/ /rules/battalion/standard/ /rules/battleline/options/
/rules/battalion/formations/ /ladders/ /ladders/battleline/standard/ /ladders/battleline/standard/how/
/ladders/battleline/short/ /ladders/battleline/short/atlas/ /ladders/battleline/short/seasons/1/
/ladders/battalion/standard/ /bots/ /bots/?q=greedy /bots/greedy/ /bots/greedy/v/1/ /bots/brute/against/greedy/
/bots/marshal/ /bots/random-battalion/ /bots/no-such-bot/ /authors/house/ /matches/ /matches/1/ /matches/2/
/matches/3/ /matches/4/ /matches/5/ /matches/6/ /matches/7/ /matches/8/ /matches/1/?leg=2&turn=9 /matches/1/text/
/matches/1/turn/9.svg /matches/1/legs/1/frames.json /matches/1/legs/1/record.json /embed/matches/1/ /watch/recorded/
/tournaments/ /play/ /play/?game=battalion /accounts/login/ /accounts/signup/ /no-such-page/ /api/v1/bots/
/api/v1/bots/greedy/ /api/v1/bots/greedy/ratings/ /api/v1/matches/ /api/v1/matches/1/ /api/v1/matches/1/legs/1/record/
/api/v1/ladders/ /api/v1/ladders/battleline/short/ /api/v1/ladders/battleline/short/standings/
/api/v1/ladders/battleline/short/seasons/1/ /api/v1/ladders/battleline/short/seasons/1/deals/
/api/v1/ladders/battleline/short/seasons/1/standings/ /api/v1/languages/ /api/v1/queue/ /api/v1/tournaments/
/api/v1/arena/ /api/v1/no-such-thing/
""".split()


SEASON = "/api/v1/ladders/battleline/short/seasons/1/"


def main() -> None:
    """Print the hashes, and write the closed season and its records into the folder that is given."""
    with time_machine.travel(NOW, tick=False):
        django.setup()
        # The start has just added new versions of samples, and a ladder for each edition that the database lacked: give
        # them a time and a commitment that stay the same.
        apps.get_model("bots", "BotVersion").objects.filter(created_at__gt=NOW).update(created_at=NOW)
        added = apps.get_model("ladders", "Ladder").objects.filter(opened_at__gt=NOW)
        added.update(opened_at=NOW, commitment="0" * 64)
        pages = {}
        for language in ("en", "hu"):
            client = Client(SERVER_NAME="localhost", headers={"accept-language": language})
            for address in ADDRESSES if language == "en" else ADDRESSES[:12]:
                answer = client.get(address)
                text = read(answer).decode(errors="replace")
                for pattern in CHANGING:
                    text = pattern.sub("", text)
                pages[f"{language} {address}"] = (
                    f"{answer.status_code} {hashlib.sha256(text.encode()).hexdigest()[:16]}"
                )
        save_season(Client(SERVER_NAME="localhost"), Path(sys.argv[1]))
    print(json.dumps(pages))


def save_season(client: Any, folder: Path) -> None:
    season = client.get(SEASON).json()
    matches = client.get(f"{SEASON}deals/?limit=200").json()["results"]
    (folder / "season.json").write_text(json.dumps(season | {"matches": matches}))
    for match in matches:
        for leg in (1, 2):
            record = client.get(f"/api/v1/matches/{match['match']}/legs/{leg}/record/")
            (folder / f"{match['match']}-{leg}.json").write_bytes(read(record))


def read(answer: Any) -> bytes:
    return b"".join(answer) if answer.streaming else answer.content


if __name__ == "__main__":
    main()

"""Turn the links of the site's pages into links between the files of an archive."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import parse_qs, urlsplit

from django.templatetags.static import static

from arena.pages.svg.icons import ICON_SHEET_PATH
from arena.tournaments.archive_format import (
    DOCUMENT_PATH,
    INDEX_PATH,
    STANDINGS_PATH,
    build_replay_path,
    build_round_path,
)

LINK = re.compile(r' href="(/[^"]*)"')
MATCH_PATH = re.compile(r"/matches/(\d+)/")
ROUND_PATH = re.compile(r"rounds/(\d+)/")


@dataclass(frozen=True, slots=True)
class Links:
    """Where links of the tournament's pages lead in its archive."""

    home: str
    """Path of the tournament's page on the site."""
    arena: str
    """Address of the arena, for what the archive doesn't have."""
    replays: Collection[tuple[int, int]]
    """Matches and legs with a page."""
    icons: str = field(default_factory=lambda: static(ICON_SHEET_PATH))
    """Address of the icons on the site."""

    def rewrite(self, html: str, root: str) -> str:
        """Return HTML of the site for a page of the archive; `root` is the way from that page to the first one."""
        html = html.replace(f'href="{self.icons}#', 'href="#')
        return LINK.sub(lambda found: self._rewrite_link(found[1], root), html)

    def _rewrite_link(self, address: str, root: str) -> str:
        """Return the attribute for a link; an empty text for a match that the archive doesn't have.

        The address is as it stands in the HTML.
        """
        url = urlsplit(unescape(address))
        if found := MATCH_PATH.fullmatch(url.path):
            leg = int(parse_qs(url.query).get("leg", ["1"])[0])
            key = (int(found[1]), leg)
            return f' href="{root}{build_replay_path(*key)}"' if key in self.replays else ""
        own = self._find_own(url.path)
        return f' href="{root}{own}"' if own else f' href="{self.arena}{address}"'

    def _find_own(self, path: str) -> str:
        """Return the file for a path below the tournament's page; an empty text for another one."""
        rest = path.removeprefix(self.home) if path.startswith(self.home) else None
        known = {"": INDEX_PATH, "standings.csv": STANDINGS_PATH, "tournament.json": DOCUMENT_PATH}
        if rest is None or rest in known:
            return known[rest] if rest is not None else ""
        found = ROUND_PATH.fullmatch(rest)
        return build_round_path(int(found[1])) if found else ""

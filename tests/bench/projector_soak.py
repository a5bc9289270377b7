"""Whether the projector's page stays true and keeps its size: `uv run python -m tests.bench.projector_soak [MINUTES]`.

The page is left open in Chromium at 1920×1080 while an arena plays a Swiss. After a quarter of the time the whole arena
is ended and started again, after a half the network is cut off for a minute, and after three quarters every worker is
killed. Every half minute the tab's garbage is collected, and its JavaScript heap and its DOM nodes are read; what is
least of both in the first third is compared with the last third. Exits with 1 where the page says something else
than the arena at the end, where it didn't tell of a lost connection or find it again, or where the tab grows.
"""

import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from time import monotonic

import httpx
from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.story.installation import Installation, Up

MINUTES = 60.0
SAMPLE_INTERVAL_S = 30.0
WARM_UP_S = 120.0
START_TIMEOUT_S = 600.0
OFFLINE_S = 60.0
SLUG = "soak"
BOTS, ROUNDS, MATCHES_PER_PAIRING = 24, 20, 10
MAX_HEAP_GROWTH_MB = 4.0
"""The browser keeps up to 250 entries on requests, and what was printed on those that failed."""
MAX_NODE_GROWTH = 1000.0
"""A page with the pairs of a round has some hundreds fewer than one with a board."""
MAX_DELAY_S = 60.0
"""Time within which the page shows what the arena says."""
SETTINGS = {"PENNANT_LADDER_MATCHES_PER_HOUR": "0", "PENNANT_LADDER_NEWCOMER_MATCHES": "0"}
Sample = tuple[float, float, float]
"""Seconds, heap in MB, DOM nodes."""


@contextmanager
def open_page(address: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = chromium.new_page(viewport={"width": 1920, "height": 1080})
        page.goto(address)
        yield page
        chromium.close()


def take_sample(page: Page, session: CDPSession, began: float) -> Sample:
    session.send("HeapProfiler.collectGarbage")
    figures = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    sample = (monotonic() - began, figures["JSHeapUsedSize"] / 1e6, figures["Nodes"])
    view = page.evaluate("document.querySelector('[data-view]').dataset.view")
    loads = page.evaluate("performance.getEntriesByType('resource').length")
    print(f"{sample[0]:6.0f} s  {sample[1]:6.2f} MB  {sample[2]:6.0f} nodes  {view}  {loads} requests kept", flush=True)
    return sample


def is_true(page: Page, home: str) -> bool:
    """Return whether the page names the number of rounds that are over, and the first of the standings."""
    tournament = httpx.get(f"{home}/api/v1/tournaments/{SLUG}/", timeout=30).raise_for_status().json()
    standings = httpx.get(f"{home}/api/v1/tournaments/{SLUG}/standings/", timeout=30).raise_for_status().json()
    first = (standings["results"] if isinstance(standings, dict) else standings)[0]
    name = first["bot"] if isinstance(first["bot"], str) else first["bot"]["name"]
    text = page.locator("body").inner_text()
    shown = re.search(r"after (\d+) round", text)
    over = tournament["rounds_started"] - (tournament["state"] != "finished")
    first_row = page.locator("[data-page=standings] tr").first.inner_text()
    return int(shown[1] if shown else 0) == over and slug_of(name) in slug_of(first_row)


def slug_of(text: str) -> str:
    return re.sub(r"\W+", "-", text.lower())


def becomes_true(page: Page, home: str) -> bool:
    began = monotonic()
    while monotonic() - began < MAX_DELAY_S:
        try:
            if is_true(page, home) and not page.locator("#lost").is_visible():
                return True
        except httpx.HTTPError:
            pass
        page.wait_for_timeout(1000)
    return False


def kill_workers(up: Up) -> None:
    for pid in up.members():
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"celery" in command and b"worker" in command:
            os.kill(pid, signal.SIGKILL)


@dataclass
class Watch:
    """The page, what was measured, and what was wrong."""

    home: str
    page: Page
    samples: list[Sample] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session = self.page.context.new_cdp_session(self.page)
        self.session.send("Performance.enable")
        self.began = monotonic()

    def look_until(self, seconds: float) -> None:
        while (left := seconds - (monotonic() - self.began)) > 0:
            self.samples.append(take_sample(self.page, self.session, self.began))
            self.page.wait_for_timeout(1000 * min(SAMPLE_INTERVAL_S, left))

    def expect_loss(self, seconds: float, moment: str) -> None:
        """Check that the page says so when it had no connection for so long."""
        self.page.wait_for_timeout(1000 * seconds)
        if not self.page.locator("#lost").is_visible():
            self.problems.append(f"{moment}: the page doesn't say that the connection is lost")

    def check(self, moment: str) -> None:
        if not becomes_true(self.page, self.home):
            self.problems.append(f"{moment}: the page says something else than the arena, or that it is lost")
        print(f"{monotonic() - self.began:6.0f} s  {moment}: {len(self.problems)} problems so far", flush=True)


def watch(arena: Installation, minutes: float) -> list[str]:
    """Return what was wrong."""
    home, whole_s = f"http://127.0.0.1:{arena.port}", 60 * minutes
    address = f"{home}/tournaments/{SLUG}/projector/"
    with ExitStack() as stack:
        with arena.up() as first:
            first.wait_for(lambda: "Pennant is at" in first.said(), START_TIMEOUT_S)
            arena.run("tests.bench.projector_cup", SLUG, *map(str, (BOTS, ROUNDS, MATCHES_PER_PAIRING)))
            own = Watch(home, stack.enter_context(open_page(address)))
            own.look_until(whole_s / 4)
            first.process.send_signal(signal.SIGTERM)
            first.end()
            own.expect_loss(30, "while the arena was down")
        with arena.up() as second:
            second.wait_for(lambda: "Pennant is at" in second.said(), START_TIMEOUT_S)
            own.check("after a restart of the arena")
            own.look_until(whole_s / 2)
            own.page.context.set_offline(True)
            own.expect_loss(OFFLINE_S, "without network")
            own.page.context.set_offline(False)
            own.check("after a minute without network")
            own.look_until(3 * whole_s / 4)
            kill_workers(second)
            own.check("after the workers were killed")
            own.look_until(whole_s)
            own.check("at the end")
            own.page.screenshot(path=str(arena.data / "projector.png"))
    return own.problems + judge(own.samples)


def judge(samples: list[Sample]) -> list[str]:
    """Print how the tab grew, and return what was too much.

    While a leg is on the board its turns are kept, so the least of a third of the time is compared.
    """
    calm = [sample for sample in samples if sample[0] >= WARM_UP_S]
    third = len(calm) // 3
    problems = []
    for name, index, most in (("MB of heap", 1, MAX_HEAP_GROWTH_MB), ("nodes", 2, MAX_NODE_GROWTH)):
        values = [sample[index] for sample in calm]
        first, last = min(values[:third]), min(values[-third:])
        print(
            f"{name}: {mean(values):.1f} on average, {max(values):.1f} at most, from {first:.1f} to {last:.1f} at least"
        )
        if last - first > most:
            problems.append(f"the tab grew by {last - first:.1f} {name}")
    return problems


def main(minutes: float) -> int:
    with tempfile.TemporaryDirectory(prefix="pennant-projector-") as folder:
        problems = watch(Installation(Path(folder), newcomer_matches=0, more=SETTINGS), minutes)
        shutil.copy(Path(folder) / "projector.png", tempfile.gettempdir())
    print("\n".join(problems) or "The page is true, and the tab keeps its size.")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES))

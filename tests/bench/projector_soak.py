"""Whether the projector's page stays true and keeps its size: `uv run python -m tests.bench.projector_soak [MINUTES]`.

The page is left open in Chromium at 1920×1080 while an arena plays a Swiss. After a quarter of the time the whole arena
is ended and started again, after a half the network is cut off for a minute, and after three quarters every worker is
killed. Every half minute the tab's garbage is collected, and its JavaScript heap and its DOM nodes are read. After the
first minutes, in which caches fill, a straight line is fitted to both. Exits with 1 where the page says something else
than the arena at the end, where it didn't tell of a lost connection or find it again, or where the tab grows.
"""

import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import linear_regression, mean
from time import monotonic

import httpx
from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.story.installation import Installation, Up

MINUTES = 60.0
SAMPLE_INTERVAL_S = 30.0
WARM_UP_S = 120.0
OFFLINE_S = 60.0
SLUG = "soak"
BOTS, ROUNDS, MATCHES_PER_PAIRING = 24, 9, 10
MAX_HEAP_GROWTH_MB_PER_HOUR = 4.0
MAX_NODE_GROWTH_PER_HOUR = 400.0
"""A page of pairings with a result more or less has some tens of them."""
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
            if is_true(page, home):
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


def watch(arena: Installation, minutes: float) -> list[str]:
    """Return what was wrong."""
    home, whole_s, problems, samples = f"http://127.0.0.1:{arena.port}", 60 * minutes, [], []
    with arena.up() as first:
        first.greets()
        arena.run("tests.bench.projector_cup", SLUG, *map(str, (BOTS, ROUNDS, MATCHES_PER_PAIRING)))
        first.wait_for(lambda: httpx.get(f"{home}/tournaments/{SLUG}/projector/", timeout=30).is_success)
        context = open_page(f"{home}/tournaments/{SLUG}/projector/")
        page = context.__enter__()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        began = monotonic()

        def look_until(seconds: float) -> None:
            while monotonic() - began < seconds:
                samples.append(take_sample(page, session, began))
                page.wait_for_timeout(1000 * min(SAMPLE_INTERVAL_S, max(seconds - (monotonic() - began), 0.1)))

        def check(moment: str) -> None:
            if not becomes_true(page, home):
                problems.append(f"{moment}: the page says something else than the arena")
            if page.locator("#lost").is_visible():
                problems.append(f"{moment}: the connection is still said to be lost")
            print(f"{monotonic() - began:6.0f} s  {moment}: {len(problems)} problems so far", flush=True)

        look_until(whole_s / 4)
        first.process.send_signal(signal.SIGTERM)
        first.end()
        page.wait_for_timeout(30_000)
        if not page.locator("#lost").is_visible():
            problems.append("the arena was down for 30 s, and the page didn't say so")
    with arena.up() as second:
        second.greets()
        check("after a restart of the arena")
        look_until(whole_s / 2)
        page.context.set_offline(True)
        page.wait_for_timeout(1000 * OFFLINE_S)
        if not page.locator("#lost").is_visible():
            problems.append("the network was cut off, and the page didn't say so")
        page.context.set_offline(False)
        check("after a minute without network")
        look_until(3 * whole_s / 4)
        kill_workers(second)
        check("after the workers were killed")
        look_until(whole_s)
        check("at the end")
        page.screenshot(path=str(arena.data / "projector.png"))
        context.__exit__(None, None, None)
    return problems + judge(samples)


def judge(samples: list[Sample]) -> list[str]:
    """Print how the tab grew, and return what was too much."""
    calm = [sample for sample in samples if sample[0] >= WARM_UP_S]
    problems = []
    for name, index, most in (("MB of heap", 1, MAX_HEAP_GROWTH_MB_PER_HOUR), ("nodes", 2, MAX_NODE_GROWTH_PER_HOUR)):
        times, values = [sample[0] / 3600 for sample in calm], [sample[index] for sample in calm]
        slope = linear_regression(times, values).slope
        print(f"{name}: {mean(values):.1f} on average, {max(values):.1f} at most, {slope:+.1f} an hour")
        if slope > most:
            problems.append(f"the tab grows by {slope:.1f} {name} an hour")
    return problems


def main(minutes: float) -> int:
    with tempfile.TemporaryDirectory(prefix="pennant-projector-") as folder:
        problems = watch(Installation(Path(folder), newcomer_matches=0, more=SETTINGS), minutes)
        shutil.copy(Path(folder) / "projector.png", tempfile.gettempdir())
    print("\n".join(problems) or "The page is true, and the tab keeps its size.")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES))

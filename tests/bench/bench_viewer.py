"""How heavy the viewer of a leg is, in Chromium: what it fetches, when something is seen, and the script of each step.

    uv run python -m tests.bench.bench_viewer http://localhost:8000/matches/15/ [--times 5]

Asks for a replay page of a running arena. Sizes are as sent, compressed. A step counts all that the viewer does for it,
when its key is pressed and when the browser draws next, the layout that it asks for included; all steps forward, then
all back; and, for a machine that has other work, what the page's thread worked in the mean. The first drawing counts
from the start of the navigation, with an empty cache, and holds the server's time.
"""

import argparse
from statistics import median

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.browser.visit import find_chromium

ASKED = {"frames": 120.0, "seen": 1000.0, "step": 16.0}
"""KB of frames, milliseconds to the first drawing, milliseconds of script a step."""
WORK = {"script": "Script", "style": "RecalcStyle", "layout": "Layout"}
STEPS = """async () => {
  const last = Number(document.querySelector("#replay").dataset.last);
  const frame = window.requestAnimationFrame.bind(window);
  let worked = 0;
  const timed = (work) => (...given) => {
    const begun = performance.now();
    work(...given);
    worked += performance.now() - begun;
  };
  window.requestAnimationFrame = (work) => frame(timed(work));
  const press = timed((key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})));
  const settle = () => new Promise((done) => frame(() => setTimeout(done, 30)));
  const run = async (key) => {
    const taken = [];
    for (let step = 0; step < last; step++) {
      worked = 0;
      press(key);
      await settle();
      taken.push(worked);
    }
    return taken;
  };
  press("Home");
  await settle();
  return {"forward": await run("ArrowRight"), "back": await run("ArrowLeft")};
}"""
SEEN = """() => ({
  paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
  answer: performance.getEntriesByType("navigation")[0].responseEnd,
  ready: performance.getEntriesByName("frames ready")[0].startTime,
  sizes: Object.fromEntries(performance.getEntriesByType("resource").map((one) => [one.name, one.encodedBodySize])),
})"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("address")
    options.add_argument("--times", type=int, default=5)
    asked = options.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        report(browser, asked.address, asked.times)
        browser.close()


def report(browser: Browser, address: str, times: int) -> None:
    seen = [see(browser, address) for _ in range(times)]
    sizes = {name.split("?")[0].rpartition("/")[2]: size / 1000 for name, size in seen[0]["sizes"].items()}
    frames = next((size for name, size in sizes.items() if name == "frames.json"), 0.0)
    script = sum(size for name, size in sizes.items() if name.startswith("replay") and name.endswith(".js"))
    print(f"frames {frames:.1f} KB (asked {ASKED['frames']:.0f}), viewer script {script:.1f} KB")
    for what, name in (("answer", "page received"), ("paint", "first drawing"), ("ready", "frames ready")):
        taken = [one[what] for one in seen]
        print(f"{name}: median {median(taken):.0f} ms, longest {max(taken):.0f} ms (asked {ASKED['seen']:.0f})")
    page = opened(browser, address)
    steps, worked = step_through(page)
    for name, taken in steps.items():
        taken.sort()
        high = taken[int(0.95 * len(taken))]
        print(
            f"{len(taken)} steps {name}: median {median(taken):.1f} ms, p95 {high:.1f} ms,"
            f" longest {taken[-1]:.1f} ms (asked {ASKED['step']:.0f})"
        )
    print(
        "a step in the mean, by the clock of its thread: "
        + ", ".join(f"{kind} {ms:.1f} ms" for kind, ms in worked.items())
    )


def step_through(page: Page) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Milliseconds of each step there and back; and what the thread of the page worked a step, by kind of work."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = metrics(devtools)
    steps: dict[str, list[float]] = page.evaluate(STEPS)
    count = sum(map(len, steps.values()))
    return steps, {kind: 1000 * (end - before[kind]) / count for kind, end in metrics(devtools).items()}


def metrics(devtools: CDPSession) -> dict[str, float]:
    """Seconds until now."""
    found = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
    return {kind: found[f"{name}Duration"] for kind, name in WORK.items()}


def opened(browser: Browser, address: str) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(address)
    page.locator("#replay[data-ready]").wait_for()
    return page


def see(browser: Browser, address: str) -> dict:
    page = opened(browser, address)
    found = page.evaluate(SEEN)
    page.context.close()
    return found


if __name__ == "__main__":
    main()

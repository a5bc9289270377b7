// Two legs of a match that are stepped through together. A leg that is over stays at its end.

import { ReplayPlayer, fetchFrames } from "./replay_player.js";
import { animateStep, measurePositions, stopAnimations } from "./motion.js";

const TURN_MS = 1400;
const SETTLE_MS = 250;

const root = document.querySelector("#twin");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const last = Number(root?.dataset.last);
const difference = Number(root?.dataset.difference);
const range = document.querySelector("#twin-scrub");
const play = document.querySelector("#twin-play");
let now = Number(root?.dataset.step);
let sides = [];
let timer = 0;
let settling = 0;

function go(step, { isStill = false } = {}) {
  step = Math.min(Math.max(step, 0), last);
  if (step === now) return;
  const isMoving = !isStill && !calm.matches && Math.abs(step - now) === 1;
  stopAnimations();
  for (const side of sides) {
    const to = Math.min(step, side.last);
    if (to === side.player.step) continue;
    const before = isMoving ? measurePositions(side.player.listChanging(to)) : null;
    const pairs = side.player.showStep(to);
    if (before) requestAnimationFrame(() => animateStep(before, pairs, side.player.front));
    side.open.href = side.open.href.replace(/turn=\d+/, `turn=${to}`);
  }
  now = step;
  showProgress();
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLE_MS);
}

function showProgress() {
  range.value = now;
  range.style.setProperty("--at", `${(100 * now) / (last || 1)}%`);
  const playhead = root.querySelector(".playhead");
  for (const name of ["x1", "x2"]) playhead.setAttribute(name, `${((100 * now) / (last || 1)).toFixed(2)}%`);
}

// When no further step follows: keep the step in the address, and say what both captions say.
function settle() {
  history.replaceState(null, "", `${root.dataset.url}${now}`);
  const captions = [...root.querySelectorAll(".caption")].map((one) => one.textContent.replace(/\s+/g, " ").trim());
  if (!timer) document.querySelector("#spoken").textContent = captions.join(" ");
}

function setPlaying(isWanted) {
  clearTimeout(timer);
  timer = 0;
  if (isWanted) {
    if (now === last) go(0, { isStill: true });
    timer = setTimeout(tick, TURN_MS);
  }
  play.setAttribute("aria-pressed", String(isWanted));
  const use = play.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, isWanted ? "#pause" : "#play"));
}

function tick() {
  go(now + 1);
  if (now === last) setPlaying(false);
  else timer = setTimeout(tick, TURN_MS);
}

const ACTS = {
  first: () => go(0),
  previous: () => go(now - 1),
  next: () => go(now + 1),
  last: () => go(last),
  difference: () => difference && go(difference, { isStill: true }),
};
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", d: "difference" };

function act(name) {
  if (timer) setPlaying(false);
  ACTS[name]();
}

async function start() {
  sides = await Promise.all([...root.querySelectorAll("[data-frames]")].map(async (section) => ({
    player: new ReplayPlayer(await fetchFrames(section.dataset), Number(section.dataset.step), section),
    last: Number(section.dataset.last),
    open: section.querySelector("header a"),
  })));
  for (const element of root.querySelectorAll("[data-scripted]")) element.hidden = false;
  root.addEventListener("click", (event) => {
    const link = event.target.closest("[data-go]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act(link.dataset.go);
  });
  play.addEventListener("click", () => setPlaying(!timer));
  range.addEventListener("input", () => {
    if (timer) setPlaying(false);
    go(Number(range.value), { isStill: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    if (event.key === " " && !event.target.closest("a, button, summary")) {
      event.preventDefault();
      setPlaying(!timer);
    } else if (KEYS[event.key]) {
      event.preventDefault();
      act(KEYS[event.key]);
    }
  });
  showProgress();
  root.dataset.ready = "yes";
}

if (root) start().catch(() => { /* Steps remain links. */ });

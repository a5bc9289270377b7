// A match that plays by itself at a pace at which it can be read, and then the next one. It stands still while it is out
// of sight, and where the reader wants less motion each press of the button shows one turn. A match that is still being
// played is shown at the same pace: turns are fetched once those known have been shown.

import { ReplayPlayer, fetchFrames } from "./replay_player.js";
import { animateStep, measurePositions, revealEnd, stopAnimations } from "./motion.js";

const FIRST_TURN_MS = 800;
const TURN_MS = 2400;
const CLAIM_MS = 3600;
const END_MS = 6000;
const RETRY_MS = 20000;
const REPEAT_AFTER_MS = 12 * 3600 * 1000;
const TURNS_TO_BE_SEEN = 3;
const PAUSED_STORAGE_KEY = "pennant-showing-paused";
const SEEN_STORAGE_KEY = "pennant-seen";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
let hero = null;
let player = null;
let now = 0;
let last = 0;
let marks = new Set();
let timer = 0;
let isPaused = calm.matches || read(PAUSED_STORAGE_KEY) === "yes";
let isInView = true;
let isLive = false;
let isFirst = !["match", "recorded"].some((name) => new URLSearchParams(location.search).has(name));
let turnsShown = 0;

const find = (selector) => hero.querySelector(selector);
const addressAt = (step) => find("#hero-open").href.replace(/turn=\d+/, `turn=${step}`);

function read(name) {
  try { return sessionStorage.getItem(name); } catch { return null; }
}

// The matches that this visitor has seen lately: when, by number.
function readSeen() {
  let seen = {};
  try { seen = JSON.parse(localStorage.getItem(SEEN_STORAGE_KEY)) ?? {}; } catch { /* Nothing is known. */ }
  return Object.fromEntries(Object.entries(seen).filter(([, at]) => Date.now() - at < REPEAT_AFTER_MS));
}

function keepSeen() {
  const seen = { ...readSeen(), [hero.dataset.match]: Date.now() };
  try { localStorage.setItem(SEEN_STORAGE_KEY, JSON.stringify(seen)); } catch { /* It may be shown again. */ }
}

// The next match that was not shown to this visitor in the last twelve hours; without one, that of longest ago.
function findNext() {
  const { next, playlist, match, watch } = hero.dataset;
  if (!playlist) return next;
  const order = playlist.split(" ").filter(Boolean);
  const at = order.indexOf(match) + 1;
  const seen = readSeen();
  const others = [...order.slice(at), ...order.slice(0, at)].filter((other) => other !== match);
  const [first] = others.sort((one, other) => (seen[one] ?? 0) - (seen[other] ?? 0));
  return first && `${watch}${first}`;
}

function wait(ms, act) {
  clearTimeout(timer);
  timer = !isPaused && isInView && !document.hidden ? setTimeout(act, ms) : 0;
}

function goOn(ms = TURN_MS) {
  if (now < last) wait(marks.has(now) ? Math.max(ms, CLAIM_MS) : ms, showNextTurn);
  else if (isLive) wait(ms, fetchTurns);
  else if (hero.dataset.end) wait(ms, () => showMatch(hero.dataset.end));
  else if (findNext()) wait(END_MS, () => showMatch(findNext()));
}

// Ask for more turns of a match that is being played, and say who is waited for.
async function fetchTurns() {
  let found;
  try {
    found = await fetchFrames(hero.dataset);
  } catch (error) {
    if (error.status !== 404) return wait(RETRY_MS, fetchTurns);
    found = { frames: [] };
    delete hero.dataset.end;
  }
  if (found.frames.length > now + 1) {
    player = new ReplayPlayer(found, now);
    last = found.frames.length - 1;
  }
  isLive = "waiting" in found;
  find("#hero-waiting").textContent = now < last ? "" : found.waiting ?? "";
  showButton();
  goOn();
}

function showNextTurn() {
  const step = now + 1;
  stopAnimations();
  const before = calm.matches ? null : measurePositions(player.listChanging(step));
  const pairs = player.showStep(step);
  now = step;
  turnsShown += 1;
  if (turnsShown === TURNS_TO_BE_SEEN || now === last) keepSeen();
  showProgress();
  if (before) requestAnimationFrame(() => animateStep(before, pairs, player.front));
  if (before) revealEnd(find("#hero-end:not([hidden])"));
  goOn();
}

function showProgress() {
  showButton();
  const end = find("#hero-end");
  if (!end) return;
  end.hidden = now !== last;
  find(".bar").setAttribute("aria-valuenow", now);
  find(".bar .done").setAttribute("width", `${((100 * now) / (last || 1)).toFixed(2)}%`);
  for (const mark of hero.querySelectorAll("[data-mark]")) {
    if (Number(mark.dataset.mark) <= now) mark.removeAttribute("visibility");
  }
  find("#hero-open").href = addressAt(now);
  showChances();
}

function showChances() {
  const bar = find(".chances");
  if (!bar) return;
  const chance = Number(bar.dataset.chances.split(" ")[now]);
  const [one, other] = bar.querySelectorAll("b");
  one.textContent = chance;
  other.textContent = 100 - chance;
  bar.querySelector(".seat-0").setAttribute("width", `${chance}%`);
}

function showButton() {
  const button = find("#hero-play");
  const isStepping = calm.matches && now < last;
  button.hidden = now === last && !isLive && !findNext();
  button.setAttribute("aria-label", isStepping ? button.dataset.step : isPaused ? button.dataset.play : button.dataset.pause);
  const use = button.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, isStepping ? "#next" : isPaused ? "#play" : "#pause"));
}

async function showMatch(address) {
  let page;
  try {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(String(answer.status));
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return wait(RETRY_MS, () => showMatch(address));
  }
  const fresh = page.querySelector("#showing");
  if (!fresh) return;
  const hadFocus = hero?.contains(document.activeElement);
  document.querySelector("#showing").replaceWith(fresh);
  await start();
  if (hadFocus) find("#hero-play").focus({ preventScroll: true });
}

function press() {
  if (calm.matches) {
    if (now < last) showNextTurn();
    else if (isLive) fetchTurns();
    else showMatch(hero.dataset.end ?? findNext());
    return;
  }
  isPaused = !isPaused;
  try { sessionStorage.setItem(PAUSED_STORAGE_KEY, isPaused ? "yes" : "no"); } catch { /* It lasts as long as the page. */ }
  find(".caption").setAttribute("aria-live", isPaused ? "polite" : "off");
  showButton();
  goOn(FIRST_TURN_MS);
}

const seen = new IntersectionObserver(([entry]) => {
  isInView = entry.isIntersecting;
  if (!player) return;
  goOn(FIRST_TURN_MS);
  hero.dataset.ready = "yes";
}, { threshold: 0.5 });

async function start() {
  seen.disconnect();
  clearTimeout(timer);
  hero = document.querySelector("#hero[data-frames]");
  if (!hero) return;
  const next = isFirst && !hero.dataset.end && hero.dataset.match in readSeen() && findNext();
  isFirst = false;
  if (next) return showMatch(next);
  turnsShown = 0;
  isLive = "end" in hero.dataset;
  now = Number(hero.dataset.step);
  last = Number(hero.dataset.last);
  marks = new Set(hero.dataset.marks.split(" ").filter(Boolean).map(Number));
  player = new ReplayPlayer(await fetchFrames(hero.dataset), now);
  const button = find("#hero-play");
  button.addEventListener("click", press);
  hero.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.closest("a, button")) return;
    event.preventDefault();
    press();
  });
  button.hidden = false;
  showButton();
  seen.observe(hero);
}

// A click on a match that is live, too, swaps it in; with a key held it opens as any link does.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-show]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  showMatch(link.href);
});
document.addEventListener("show-match", (event) => showMatch(event.detail));
document.addEventListener("visibilitychange", () => { if (player) goOn(FIRST_TURN_MS); });
start().catch(() => { /* The picture of the first turn and its link remain. */ });

// A match that plays by itself at a pace at which it can be read, and then the next one. It stands still while it is out
// of sight, and where the reader wants less motion each press of the button shows one turn.

import { ReplayPlayer, fetchFrames } from "./replay_player.js";
import { animateStep, measurePositions, stopAnimations } from "./motion.js";

const FIRST_TURN_MS = 800;
const TURN_MS = 2400;
const CLAIM_MS = 3600;
const END_MS = 6000;
const RETRY_MS = 20000;
const PAUSED_STORAGE_KEY = "pennant-showing-paused";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
let hero = null;
let player = null;
let now = 0;
let last = 0;
let marks = new Set();
let timer = 0;
let isPaused = calm.matches || read(PAUSED_STORAGE_KEY) === "yes";
let isInView = true;

const find = (selector) => hero.querySelector(selector);
const addressAt = (step) => find("#hero-open").href.replace(/turn=\d+/, `turn=${step}`);

function read(name) {
  try { return sessionStorage.getItem(name); } catch { return null; }
}

function wait(ms, act) {
  clearTimeout(timer);
  timer = !isPaused && isInView && !document.hidden ? setTimeout(act, ms) : 0;
}

function goOn(ms = TURN_MS) {
  if (now < last) wait(marks.has(now) ? Math.max(ms, CLAIM_MS) : ms, showNextTurn);
  else if (hero.dataset.next) wait(END_MS, () => showMatch(hero.dataset.next));
}

function showNextTurn() {
  const step = now + 1;
  stopAnimations();
  const before = calm.matches ? null : measurePositions(player.listChanging(step));
  const pairs = player.showStep(step);
  now = step;
  showProgress();
  if (before) requestAnimationFrame(() => animateStep(before, pairs, player.front));
  goOn();
}

function showProgress() {
  find(".bar").setAttribute("aria-valuenow", now);
  find(".bar .done").setAttribute("width", `${((100 * now) / (last || 1)).toFixed(2)}%`);
  for (const mark of hero.querySelectorAll("[data-mark]")) {
    if (Number(mark.dataset.mark) <= now) mark.removeAttribute("visibility");
  }
  find("#hero-open").href = addressAt(now);
  showButton();
}

function showButton() {
  const button = find("#hero-play");
  const isStepping = calm.matches && now < last;
  button.hidden = now === last && !hero.dataset.next;
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
    else showMatch(hero.dataset.next);
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

document.addEventListener("show-match", (event) => showMatch(event.detail));
document.addEventListener("visibilitychange", () => { if (player) goOn(FIRST_TURN_MS); });
start().catch(() => { /* The picture of the first turn and its link remain. */ });

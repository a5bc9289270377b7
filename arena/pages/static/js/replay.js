// The replay of a leg. All steps are fetched once; after that a step replaces the parts that differ, without a request.
// Until then, and without scripts, every step is a page of its own.

import { ReplayPlayer, fetchFrames } from "./replay_player.js";
import { MOMENT_MS, animateStep, measurePositions, revealEnd, stopAnimations } from "./motion.js";

const TURN_MS = 700;
const SETTLE_MS = 250;
const COPIED_MS = 1500;
const SPEEDS = [0.5, 1, 2, 4];
const MIN_SPEED_WITHOUT_MOTION = 2;
const MIN_SPEED_WITHOUT_SPEECH = 1;
const SPEED_STORAGE_KEY = "pennant-speed";
const JUDGED_STORAGE_KEY = "pennant-judged";
const MIN_SWIPE_PX = 40;
const LATE_SHARE = 0.8;
const STEP_SELECTOR = "a[data-step], button[data-step], g[data-step]";

const root = document.querySelector("#replay");
const find = (selector) => root.querySelector(selector);
const all = (selector) => [...root.querySelectorAll(selector)];
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const words = (element) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();

const last = Number(root.dataset.last);
const hasAddress = !root.dataset.framesId || "hasAddresses" in root.dataset;
const spoken = document.querySelector("#spoken");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const moves = find("#moves");
const list = moves ? [...moves.querySelectorAll("[data-step]")] : [];
const range = find("#scrub");
const mistakes = [...new Set(stepsOf("mistake"))];
const playheads = all(".playhead");
const chances = find("[data-percents]");
const percents = JSON.parse(chances?.dataset.percents ?? "[]");
const jumps = all("[data-jump]").map((link) => ({ link, steps: stepsOf(link.dataset.jump) }));

let now = Number(root.dataset.step);
let player = null;
let hasFailed = false;
let wanted = null;
let timer = 0;
let settling = 0;
let speed = storedSpeed();
let drawing = 0;
let touchedAt = null;
let tops = [];

function isStill(step, quick) {
  return quick || calm.matches || Math.abs(step - now) !== 1 || (timer !== 0 && speed >= MIN_SPEED_WITHOUT_MOTION);
}

// ---- Steps

function go(step, { quick = false } = {}) {
  step = clamp(step, 0, last);
  if (!player) {
    if (hasFailed) leaveFor(step);
    else wanted = step;
    return;
  }
  if (step === now) return;
  stopAnimations();
  const before = isStill(step, quick) ? null : measurePositions(player.listChanging(step));
  const pairs = player.showStep(step);
  now = step;
  showProgress();
  // Layout is read last, once, when the browser is about to compute it anyway.
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(() => {
    if (before) animateStep(before, pairs, player.front);
    if (before) revealEnd(find("#end-card:not([hidden])"));
    showMove();
  });
  clearTimeout(settling);
  settling = setTimeout(settle, SETTLE_MS);
}

function leaveFor(step) {
  const link = find(`[data-step="${step}"]`);
  if (link) link.click();
  else if (hasAddress) location.assign(addressOf(step));
}

function addressOf(step, address = location.href) {
  const url = new URL(address, location.href);
  url.searchParams.set("turn", step);
  return url.href;
}

// Update everything beside the table that shows the step.
function showProgress() {
  const at = `${((100 * now) / (last || 1)).toFixed(2)}%`;
  for (const playhead of playheads) playhead.setAttribute("x", at);
  const chance = chances ? chances.dataset.words.replace("{percent}", percents[now]) : "";
  const said = find(".said");
  if (said) {
    said.textContent = chance;
    said.classList.toggle("late", now > LATE_SHARE * last);
  }
  if (range) {
    range.value = now;
    range.style.setProperty("--at", at);
    range.setAttribute("aria-valuetext", `${caption()} ${chance}`.trim());
  }
  linkTo(find("#step-previous"), Math.max(now - 1, 0), now === 0);
  linkTo(find("#step-next"), Math.min(now + 1, last), now === last);
  for (const { link, steps } of jumps) {
    const next = steps.find((step) => step > now);
    linkTo(link, next ?? now, next === undefined);
  }
  moves?.querySelector("[aria-current]")?.removeAttribute("aria-current");
  list[now - 1]?.setAttribute("aria-current", "step");
  const end = find("#end-card");
  if (end) end.hidden = now !== last;
  const number = find("#link .now");
  if (number) number.textContent = numberOf(now);
}

const caption = () => `${words(find(".caption .turn"))}. ${words(find(".caption .says"))}`;

function numberOf(step) {
  const turn = words(list[step - 1]?.querySelector(".turn"));
  return /^\d+$/.test(turn) ? turn : String(step);
}

function linkTo(link, step, isOff = false) {
  if (!link) return;
  link.dataset.step = step;
  if (link.localName === "a") link.href = addressOf(step);
  else link.value = step;
  if (isOff) link.setAttribute("aria-disabled", "true");
  else link.removeAttribute("aria-disabled");
}

function placeMoves() {
  tops = list.map((link) => link.offsetTop);
  showMove();
}

function showMove() {
  const top = now ? tops[now - 1] : 0;
  if (top === undefined) return;
  moves.scrollTop = Math.max(0, top - 120);
}

// When no further step follows: update the address and the links that keep the turn, and announce the step.
function settle() {
  clearTimeout(settling);
  if (hasAddress) {
    const url = new URL(addressOf(now));
    if (root.dataset.view) url.searchParams.set("view", root.dataset.view);
    history.replaceState(null, "", url);
    for (const link of all("[data-keeps-turn]")) link.href = addressOf(now, link.href);
    for (const link of all("[data-turn-in-path]")) link.href = link.href.replace(/\/turn\/\d+/, `/turn/${now}`);
    for (const rerun of all("[data-decisions]")) {
      rerun.querySelector(".until").textContent = JSON.parse(rerun.dataset.decisions)[now];
    }
  }
  if (timer === 0 || speed < MIN_SPEED_WITHOUT_SPEECH) say(caption());
}

function say(text) {
  if (spoken) spoken.textContent = text;
}

function stepsOf(kind) {
  return all(`.marks [data-kind="${CSS.escape(kind)}"]`).map((mark) => Number(mark.dataset.step));
}

function jump(forward, steps = jumps[0]?.steps ?? []) {
  const to = forward ? steps.find((step) => step > now) : steps.findLast((step) => step < now);
  if (to !== undefined) go(to, { quick: true });
}

// Go to the next or previous step in which the same seat acts.
function goToSameSeat(direction) {
  const seatOf = (step) => list[step - 1]?.dataset.seat;
  const seat = seatOf(now) ?? seatOf(direction > 0 ? last : 1);
  let step = now + direction;
  while (step > 0 && step < last && seatOf(step) !== seat) step += direction;
  go(step, { quick: true });
}

// ---- Playing

function setPlaying(isWanted) {
  clearTimeout(timer);
  timer = 0;
  if (isWanted && player) {
    if (now === last) go(0, { quick: true });
    timer = setTimeout(tick, turnMs());
  } else if (player) {
    settle();
  }
  const button = find("#step-play");
  button.setAttribute("aria-pressed", String(timer !== 0));
  const use = button.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, timer ? "#pause" : "#play"));
}

function tick() {
  go(now + 1);
  if (now === last) setPlaying(false);
  else timer = setTimeout(tick, turnMs());
}

// How long a step is shown: longer where a claim or an attack has its moment.
function turnMs() {
  const hasMoment = !calm.matches && speed < MIN_SPEED_WITHOUT_MOTION && jumps[0]?.steps.includes(now);
  return TURN_MS / speed + (hasMoment ? MOMENT_MS : 0);
}

function storedSpeed() {
  const stored = Number(read(SPEED_STORAGE_KEY));
  return SPEEDS.includes(stored) ? stored : 1;
}

function read(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

function setSpeed(value) {
  speed = value;
  try { localStorage.setItem(SPEED_STORAGE_KEY, speed); } catch { /* The choice lasts as long as the page. */ }
  showSpeed();
}

function showSpeed() {
  for (const button of all("[data-speed]")) button.setAttribute("aria-pressed", String(Number(button.dataset.speed) === speed));
}

// Show or hide judgements, marks of mistakes and better choices; the choice is kept.
function setJudged(isShown) {
  root.classList.toggle("unjudged", !isShown);
  try { localStorage.setItem(JUDGED_STORAGE_KEY, isShown ? "on" : "off"); } catch { /* It lasts as long as the page. */ }
}

function changeSpeed(by) {
  setSpeed(SPEEDS[clamp(SPEEDS.indexOf(speed) + by, 0, SPEEDS.length - 1)]);
}

// ---- Keys and pointers

async function copyLink(link) {
  settle();
  const url = new URL(addressOf(now, link.href));
  await navigator.clipboard.writeText(url.href);
  const label = link.querySelector(".label");
  label.hidden = true;
  const done = link.querySelector(".done");
  done.hidden = false;
  say(words(done));
  setTimeout(() => { label.hidden = false; done.hidden = true; }, COPIED_MS);
}

async function copyCommand(button) {
  if (!navigator.clipboard) return;
  settle();
  await navigator.clipboard.writeText(words(button.previousElementSibling));
  const label = button.textContent;
  button.textContent = button.dataset.done;
  setTimeout(() => { button.textContent = label; }, COPIED_MS);
}

const press = (selector) => find(selector)?.click();
const pauseAnd = (act) => () => { if (timer) setPlaying(false); act(); };
const KEYS = {
  ArrowLeft: pauseAnd(() => go((wanted ?? now) - 1)),
  ArrowRight: pauseAnd(() => go((wanted ?? now) + 1)),
  "Shift+ArrowLeft": pauseAnd(() => goToSameSeat(-1)),
  "Shift+ArrowRight": pauseAnd(() => goToSameSeat(1)),
  Home: pauseAnd(() => go(0)),
  End: pauseAnd(() => go(last)),
  " ": () => setPlaying(timer === 0),
  "+": () => changeSpeed(1),
  "=": () => changeSpeed(1),
  "-": () => changeSpeed(-1),
  "−": () => changeSpeed(-1),
  n: pauseAnd(() => jump(true)),
  p: pauseAnd(() => jump(false)),
  e: pauseAnd(() => jump(true, mistakes)),
  "Shift+E": pauseAnd(() => jump(false, mistakes)),
  g: () => setJudged(root.classList.contains("unjudged")),
  a: () => document.querySelector("#analysis")?.scrollIntoView({ block: "start" }),
  l: () => press("#link"),
  t: () => press("#text"),
  s: () => press("#unseen > summary"),
  Escape: () => { if (find("#unseen")?.open) press("#unseen > summary"); },
  "?": () => (find("#keys").open ? find("#keys").close() : find("#keys").showModal()),
};
for (const seat of ["all", 0, 1, 2, 3]) {
  KEYS[seat === "all" ? "0" : String(seat + 1)] = () => press(`[data-eyes="${seat}"]`);
}

function nameOf(event) {
  if (event.key.startsWith("Arrow")) return `${event.shiftKey ? "Shift+" : ""}${event.key}`;
  if (event.key === "E" && event.shiftKey) return "Shift+E";
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

function belongsElsewhere(event) {
  const target = event.target;
  if (event.ctrlKey || event.altKey || event.metaKey || target.closest("dialog") && event.key !== "?") return true;
  if (target.closest("textarea, select, [contenteditable], pre, input:not([type=range])")) return true;
  if (target.matches("[type=range]")) return /^(Arrow|Home|End|Page)/.test(event.key);
  return event.key === " " && target.closest("button, summary");
}

document.addEventListener("keydown", (event) => {
  const act = KEYS[nameOf(event)];
  if (!act || belongsElsewhere(event)) return;
  event.preventDefault();
  act();
});

find("#unseen")?.addEventListener("toggle", ({ target }) => {
  if (target.open) target.scrollIntoView({ block: "nearest" });
});

root.addEventListener("click", (event) => {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const step = target.closest(STEP_SELECTOR);
  const link = target.closest("#link");
  if (step && player) {
    event.preventDefault();
    if (timer) setPlaying(false);
    if (step.getAttribute("aria-disabled") !== "true") go(Number(step.dataset.step));
  } else if (link && player && navigator.clipboard) {
    event.preventDefault();
    copyLink(link);
  } else if (target.closest("[data-copies]")) copyCommand(target.closest("[data-copies]"));
  else if (target.closest("#step-play")) setPlaying(timer === 0);
  else if (target.closest("[data-speed]")) setSpeed(Number(target.closest("[data-speed]").dataset.speed));
  else if (target.closest("[data-hides]")) target.closest("section").hidden = true;
  else if (target.closest("#show-keys")) find("#keys").showModal();
  else if (target.closest("#hide-keys")) find("#keys").close();
  else if (target.closest("[data-keeps-turn]") && player) settle();
});

range?.addEventListener("input", () => {
  if (timer) setPlaying(false);
  go(Number(range.value), { quick: true });
});

// Go to the step at the pressed or dragged position of the timeline.
function seek(event) {
  const plot = event.target.closest(".plot");
  if (!player || !plot || event.target.closest(`${STEP_SELECTOR}, input`) || !(event.buttons & 1)) return;
  if (event.type === "pointerdown") plot.setPointerCapture(event.pointerId);
  if (timer) setPlaying(false);
  const box = plot.getBoundingClientRect();
  go(Math.round(((event.clientX - box.left) / box.width) * last), { quick: true });
}
root.addEventListener("pointerdown", seek);
root.addEventListener("pointermove", seek);

// Fingers that go sideways over the table step.
function swipe(event) {
  const from = touchedAt;
  touchedAt = event.type === "pointerdown" && event.pointerType === "touch" && event.isPrimary ? event : null;
  if (!from || event.type !== "pointerup") return;
  const [x, y] = [event.clientX - from.clientX, event.clientY - from.clientY];
  if (Math.abs(x) > MIN_SWIPE_PX && Math.abs(x) > 2 * Math.abs(y)) pauseAnd(() => go((wanted ?? now) - Math.sign(x)))();
}
for (const type of ["pointerdown", "pointerup", "pointercancel"]) find(".stage").addEventListener(type, swipe);

// ---- Start

async function start() {
  showSpeed();
  root.classList.toggle("unjudged", read(JUDGED_STORAGE_KEY) === "off");
  placeMoves();
  document.fonts?.ready.then(placeMoves);
  if (moves) new ResizeObserver(placeMoves).observe(moves);
  try {
    player = new ReplayPlayer(await fetchFrames(root.dataset), now);
  } catch {
    hasFailed = true;
    if (wanted !== null) leaveFor(wanted);
    return;
  }
  for (const element of all("[data-scripted]")) element.hidden = false;
  showProgress();
  root.dataset.ready = "yes";
  performance.mark("frames ready");
  if (wanted !== null) go(wanted);
  wanted = null;
}

if (root.dataset.frames || root.dataset.framesId) start();

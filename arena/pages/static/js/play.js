// A table at which people play. htmx swaps it after every action; here are keys, dragging, focus, motion and waiting.
//
// The server says what is what: `data-key` is pressed by that key, `data-target` is what the arrows go through while
// something is chosen, `data-rove` what they go through in a hand, `data-cell` what they walk over, `data-focus` where
// the focus goes when it was lost.

import { animateFront, animateMoves, measurePositions, stopAnimations } from "./motion.js";
import { watchDragging } from "./drag.js";
import { chooseAgain, explain, forget, watchChoosing, whatIsChosen } from "./choosing.js";
import { closeTop, makeReachable, noteOpen, watchHelp } from "./help.js";
import { watchLaying } from "./laying.js";
import { hearTable, showSwitch, soundChange } from "./sound.js";
import { walk } from "./walk.js";

const SHOW_AFTER_MS = 600;
const POLL_INTERVALS_MS = [[10000, 250], [60000, 1000], [Infinity, 2500]];
const LATE_S = 5;
const SERVER_TIMEOUT_MS = 20000;
const SWAP = "outerHTML show:none settle:0ms";
const SEND_AGAIN_MS = 2000;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const wide = matchMedia("(min-width: 1180px)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const spoken = document.querySelector("#spoken");
const root = () => document.querySelector("#play");
const all = (selector) => [...root().querySelectorAll(selector)];

let actedAt = -Infinity;
let answeredAt = performance.now();
let waitingSince = performance.now();
let polling = 0;
let lastCell = "";
let before = null;
let submitted = null;
let sendingAgain = 0;

// ---- Waiting for the others

function waitOn() {
  clearTimeout(polling);
  if (!root().dataset.poll) return;
  const now = performance.now();
  const [, interval] = POLL_INTERVALS_MS.find(([limit]) => now - waitingSince < limit);
  polling = setTimeout(poll, Math.max(interval, actedAt + SHOW_AFTER_MS - now));
}

function poll() {
  const { poll: address, tag } = root().dataset;
  htmx.ajax("GET", `${address}${address.includes("?") ? "&" : "?"}known=${tag}`, { target: "#play", swap: SWAP }).then(waitOn, waitOn);
}

setInterval(() => {
  const { late, waited } = root().dataset;
  const seconds = Math.round((performance.now() - waitingSince) / 1000) + Number(waited);
  const silence = root().querySelector("#silence");
  if (silence) silence.hidden = performance.now() - answeredAt < SERVER_TIMEOUT_MS;
  if (late && seconds >= LATE_S) root().querySelector("#says .whole").textContent = late.replace("{s}", seconds);
}, 1000);

// ---- After an answer

function say(text) {
  const caption = root().querySelector("#says .whole");
  if (caption) caption.textContent = text;
  spoken.textContent = text;
}

document.body.addEventListener("htmx:responseError", () => say(root().dataset.refused));

// Without a connection the step is sent again until it arrives: the server takes a step twice as one.
document.body.addEventListener("htmx:sendError", ({ detail }) => {
  if (detail.requestConfig.verb !== "post" || !submitted) return;
  say(root().dataset.unsent);
  clearTimeout(sendingAgain);
  sendingAgain = setTimeout(sendAgain, SEND_AGAIN_MS);
});

addEventListener("online", sendAgain);

function sendAgain() {
  clearTimeout(sendingAgain);
  if (submitted?.isConnected && root().contains(submitted)) submitted.form.requestSubmit(submitted);
}

document.addEventListener("submit", (event) => {
  if (event.submitter && event.target.closest("#play")) submitted = event.submitter;
}, true);

document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.requestConfig.verb !== "post") return;
  actedAt = performance.now();
  showSent();
});

// A card that is played lies in its place at once; the answer shows the same, or a sentence why it can't be.
function showSent() {
  const ghost = submitted?.closest(".ghost:not(.sent)");
  const card = root().querySelector(":is(.held, .half, .own-hand) .chosen .card");
  const goal = root().querySelector(".spot.goal.aimed .slot") ?? submitted?.closest(".spot.goal")?.querySelector(".slot");
  if (goal && card) {
    goal.replaceWith(card.cloneNode(true));
    card.style.visibility = "hidden";
  }
  if (!ghost || !card) return;
  ghost.classList.add("sent");
  submitted.append(card.cloneNode(true));
  card.closest("li").classList.add("gone");
}

document.body.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.xhr.status) answeredAt = performance.now();
});

// What was asked for may be gone when the answer comes: an answer to a step is shown all the same, another one is not.
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const isStep = detail.requestConfig.verb === "post";
  const isGone = ![detail.requestConfig.elt, detail.target].every((one) => one.isConnected);
  if (detail.xhr.status === 304 || isGone && !isStep) detail.shouldSwap = false;
  if (isGone && isStep) detail.target = root();
  if (detail.target === root()) detail.swapOverride = SWAP;
  if (!detail.shouldSwap || detail.target !== root()) return;
  stopAnimations();
  before = {
    positions: measurePositions([root()]),
    front: root().querySelector("[data-front]"),
    opened: all("details[open][id]").map(({ id }) => id),
    tag: root().dataset.tag,
    isPost: isStep,
    heard: hearTable(root()),
    isOver: root().classList.contains("over"),
  };
});

document.body.addEventListener("htmx:afterSwap", () => {
  if (!before) return;
  for (const id of before.opened) document.getElementById(id)?.setAttribute("open", "");
  if (root().dataset.tag !== before.tag) waitingSince = performance.now();
  if (before.isPost || !whatIsChosen()) {
    forget();
    submitted = null;
  } else chooseAgain();
  if (!calm.matches) {
    animateMoves(before.positions, [root()]);
    animateFront(before.front, root().querySelector("[data-front]"));
  }
  // The last move rests a moment before the sheet comes in.
  root().classList.toggle("just-over", !before.isOver && root().classList.contains("over"));
  soundChange(before.heard, hearTable(root()));
  before = null;
  showSwitch(root());
  makeReachable();
  noteOpen();
  focusAgain();
  if (spoken.textContent !== root().dataset.spoken) spoken.textContent = root().dataset.spoken;
  waitOn();
});

function focusAgain() {
  if (document.activeElement?.matches("[data-target][aria-current]")) root().querySelector(".play-bar button.option")?.focus();
  const isLost = !document.activeElement || document.activeElement === document.body;
  const wanted = root().querySelector(".not-yet[aria-current]") ?? root().querySelector("[data-focus]") ?? document.getElementById(lastCell) ?? root().querySelector("[data-target]");
  if (wanted && (isLost || root().classList.contains("over"))) wanted.focus({ preventScroll: true });
}

// ---- Keys

function step(elements, by) {
  const now = elements.indexOf(document.activeElement);
  elements[(now < 0 ? (by > 0 ? 0 : -1) + elements.length : now + by + elements.length) % elements.length]?.focus();
}

function press(key) {
  const pressed = all(`[data-key="${CSS.escape(key)}"]`);
  if (pressed.length > 1) {
    step(pressed, 1);
    if (document.activeElement.matches(".not-yet")) document.activeElement.click();
  } else {
    const menu = pressed[0]?.closest(".menu .panel") && pressed[0].closest(".menu");
    if (menu) menu.open = true;
    pressed[0]?.focus({ preventScroll: true });
    pressed[0]?.click();
  }
  return pressed.length > 0;
}

function go(by) {
  const cards = all("[data-rove]");
  const isHandIdle = cards.every((card) => card.getAttribute("aria-disabled") === "true");
  const isAmongTargets = document.activeElement?.matches("[data-target]");
  const targets = isHandIdle || isAmongTargets || root().classList.contains("choosing") ? all("[data-target]") : [];
  const found = targets.length ? targets : cards;
  step(found, by);
  return found.length > 0;
}

// The list of keys is in the menu: both open and close as one.
function toggleKeys() {
  const menu = root().querySelector(".menu");
  if (!menu) return false;
  const keys = menu.querySelector(".keys");
  const isShown = menu.open && keys.open;
  menu.open = keys.open = !isShown;
  (isShown ? menu : keys).querySelector("summary").focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const isMenuOpen = root().querySelector(".menu[open]") !== null;
  const arrow = ARROWS[event.key];
  let isTaken = false;
  if (event.key === "?") isTaken = toggleKeys();
  else if (event.key === "Escape") isTaken = closeTop() || press("escape");
  else if (isMenuOpen) isTaken = event.key.toLowerCase() === "m" && press("m");
  else if (arrow) isTaken = walk(all("[data-cell][id]"), arrow) || arrow[0] !== 0 && go(arrow[0]);
  else isTaken = event.key.length === 1 && event.key !== " " || event.key === "Delete" ? press(event.key.toLowerCase()) : false;
  if (isTaken) event.preventDefault();
});

document.addEventListener("focusin", (event) => {
  if (event.target.matches("[data-cell]")) lastCell = event.target.id;
  if (!event.target.closest("[data-rove]")) return;
  for (const card of all("[data-rove]")) card.tabIndex = card === event.target ? 0 : -1;
});

// ---- The panel: it stays closed while one plays on; the bar that stands for it opens it again

document.body.classList.add("scripted");

document.addEventListener("click", (event) => {
  const { classList } = document.body;
  const bar = root().querySelector("#more");
  if (event.target.closest(".close-panel")) {
    classList.toggle("panel-closed", wide.matches);
    bar.open = false;
    bar.querySelector("summary").focus();
  } else if (wide.matches && event.target.closest("#more > summary")) {
    event.preventDefault();
    classList.remove("panel-closed");
    root().querySelector(".close-panel").focus();
  }
});

// Only what the reader opens comes into view: what is open from the start leaves the moves in sight.
document.addEventListener("click", ({ target }) => {
  const known = target.closest("#play .known > summary")?.parentElement;
  if (known && !known.open) requestAnimationFrame(() => known.scrollIntoView({ block: "nearest" }));
});

// ---- Buttons that can't be pressed now stay where the focus finds them, and say why

document.addEventListener("click", (event) => {
  const idle = event.target.closest("[aria-disabled='true']");
  if (!idle) return;
  event.preventDefault();
  if (!idle.dataset.idle) return;
  explain(idle.dataset.idle);
  spoken.textContent = idle.dataset.idle;
}, true);

document.addEventListener("click", (event) => {
  if (!event.target.closest("#play-on")) return;
  event.preventDefault();
  for (const one of all(".menu, .menu .resign")) one.open = false;
  root().querySelector(".menu > summary").focus();
});

// A frame around what the page itself puts in focus looks like a choice to a finger.
const hover = matchMedia("(hover: none)");
document.body.classList.toggle("touched", hover.matches);
document.addEventListener("pointerdown", ({ pointerType }) => document.body.classList.toggle("touched", pointerType === "touch"), true);
document.addEventListener("keydown", () => document.body.classList.remove("touched"), true);

if (root().classList.contains("over")) focusAgain();
showSwitch(root());
watchHelp(root);
watchDragging(root);
for (const watch of [watchLaying, watchChoosing]) {
  watch(root, (text) => {
    spoken.textContent = text;
    noteOpen();
  });
}
waitOn();

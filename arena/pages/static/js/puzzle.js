// A puzzle: keys, the grid of unseen cards, the choice of a card and its flag, the streak of guests, and sharing. The
// page works without it; whether an answer is right only the server knows.

import { choose, letGo, watchChoosing } from "./choosing.js";
import { closeTop, watchHelp } from "./help.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const KEPT_DAYS = 400;
const STORE = "pennant-puzzles";
const DAY_MS = 86400000;
const WEEK_MS = 7 * DAY_MS;

const root = document.querySelector("#play");
const find = (selector) => root.querySelector(selector);
const isVisible = (element) => element.checkVisibility();

// ---- Can it claim?

const grid = find("#refute");

function refute() {
  grid.hidden = false;
  for (const one of root.querySelectorAll(".puzzle-legend details")) one.open = false;
  find("#no").classList.add("on");
  (grid.querySelector("input:checked") ?? grid.querySelector("[data-cell]")).focus();
}

find("#no")?.addEventListener("click", (event) => {
  event.preventDefault();
  refute();
});

function showCard() {
  const card = grid.querySelector("input:checked");
  const button = grid.querySelector("[data-answer]");
  button.disabled = !card;
  button.textContent = card ? button.dataset.answer.replace("{card}", card.dataset.name) : button.dataset.none;
}

// To the next card that can be picked in the same row or column; the last one stays chosen.
function walk([dx, dy]) {
  let card = document.activeElement;
  const cell = card.closest("td");
  const { rows } = cell.closest("table");
  let [column, row] = [cell.cellIndex, cell.parentElement.rowIndex];
  let next = null;
  do {
    column += dx;
    row += dy;
    next = rows[row]?.cells[column];
  } while (next && !next.querySelector("input"));
  card = next?.querySelector("input") ?? card;
  card.focus();
  card.click();
}

if (grid) {
  showCard();
  grid.addEventListener("change", showCard);
}

// ---- Best card

const answer = find("#answer");

function pick(action) {
  const name = document.querySelector("#choices").content.querySelector(`[data-action="${CSS.escape(action)}"]`);
  const button = answer.querySelector("[data-answer]");
  answer.elements.action.value = action;
  button.textContent = button.dataset.answer.replace("{choice}", name.textContent);
  button.disabled = false;
  for (const ghost of root.querySelectorAll(".ghost")) {
    ghost.classList.toggle("aimed", ghost.querySelector("button").value === action);
  }
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "nearest" });
}

if (answer) {
  watchChoosing(() => root, () => {});
  root.addEventListener("click", (event) => {
    const button = event.target.closest('button[name="action"]');
    if (!button) return;
    event.preventDefault();
    pick(button.value);
  });
  const asked = new URLSearchParams(location.search).get("chosen");
  if (asked) choose(asked);
}

function step(selector, by) {
  const places = [...root.querySelectorAll(selector)].filter(isVisible);
  const at = places.indexOf(document.activeElement);
  places.at(at < 0 ? (by > 0 ? 0 : -1) : (at + by) % places.length)?.focus({ preventScroll: true });
}

// ---- Keys

document.addEventListener("keydown", (event) => {
  const { key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input:not([type=radio])")) return;
  if (ARROWS[key] && event.target.matches("[data-cell]")) {
    event.preventDefault();
    walk(ARROWS[key]);
  } else if (answer && (key === "ArrowLeft" || key === "ArrowRight")) {
    event.preventDefault();
    step(find(".ghost, .on-flag") ? "[data-target]" : "[data-rove]", key === "ArrowLeft" ? -1 : 1);
  } else if (key === "Escape") {
    if (!closeTop() && answer) letGo();
  } else {
    const pressed = [...root.querySelectorAll(`[data-key="${CSS.escape(key.toLowerCase())}"]`)].find(isVisible);
    if (!pressed) return;
    event.preventDefault();
    pressed.click();
    if (pressed.matches("[data-rove]")) find("[data-target]")?.focus({ preventScroll: true });
  }
});

document.body.classList.add("scripted");
watchHelp(() => root);

// ---- The streak of a guest, which this browser keeps

function readDays() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) ?? {};
  } catch {
    return {};
  }
}

const before = (day) => new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);

const isFarFrom = (day, other) => !other || Date.parse(other) - Date.parse(day) >= WEEK_MS;

// Days in a row up to today or yesterday, as the server counts them for users. A day without an answer is forgiven where
// none of the six days after it was, and the streak goes on before it.
function countStreak(days, today) {
  const forgiven = [];
  let count = 0;
  let pending = "";
  for (let day = days[today] === undefined ? before(today) : today; ; day = before(day)) {
    if (days[day]) {
      count += 1;
      if (pending) forgiven.push(pending);
      pending = "";
    } else if (days[day] === undefined && isFarFrom(day, pending || forgiven.at(-1))) pending = day;
    else return { count, forgiven };
  }
}

const streak = find("[data-streak]");
if (streak) {
  const days = readDays();
  const { day, right } = streak.dataset;
  if (day) {
    days[day] ||= right === "yes";
    const kept = Object.fromEntries(Object.entries(days).sort().slice(-KEPT_DAYS));
    try {
      localStorage.setItem(STORE, JSON.stringify(kept));
    } catch {
      // The browser keeps nothing: the streak ends with this page.
    }
  }
  const items = [...streak.querySelectorAll(".week li")];
  const { count, forgiven } = countStreak(days, items.at(-1).dataset.day);
  for (const item of items) {
    const name = days[item.dataset.day] ? "solved" : forgiven.includes(item.dataset.day) ? "forgiven" : item.className;
    item.className = name;
    item.querySelector(".hidden-text").textContent = `: ${streak.querySelector(".week").dataset[name]}`;
  }
  const text = streak.querySelector(".streak-days");
  const template = text.dataset[count === 0 ? "none" : count === 1 ? "one" : "more"];
  text.querySelector("span").textContent = template.replace("{n}", count);
  if (count) for (const shared of root.querySelectorAll(".share-streak")) shared.textContent = ` · ${template.replace("{n}", count)}`;
  streak.hidden = false;
}

// ---- Sharing

find("[data-share]")?.addEventListener("click", async (event) => {
  const link = event.currentTarget;
  if (!navigator.canShare) return;
  const { href, download } = link;
  event.preventDefault();
  const text = find("#share-plain").textContent;
  try {
    const picture = new File([await (await fetch(href)).blob()], download, { type: "image/png" });
    await navigator.share(navigator.canShare({ files: [picture] }) ? { files: [picture], text } : { text });
  } catch (error) {
    if (error.name !== "AbortError") location.assign(href);
  }
});

// The page for a projector: a clock, keys, word of a lost connection, pages that are shown in turn, and the first board
// once there is one to show.

const LOST_AFTER_MS = 20000;
const CHECK_MS = 1000;
const PAGE_MS = 12000;
const FIRST_STANDINGS_MS = 40000;
const RELOAD_RETRY_MS = 20000;
const body = document.body;
const screen = document.querySelector("#screen");
const lost = document.querySelector("#lost");
const keys = document.querySelector("#keys");
const news = document.querySelector("#news");
const polled = document.querySelector("#now");
const build = document.querySelector("[data-build]").dataset.build;
const shown = { pairings: { page: 0, since: Date.now() }, standings: { page: 0, since: Date.now() } };
let heardAt = Date.now();
let reloadAt = 0;

const formatTime = (date) => date.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hour12: false });

function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

function showClock() {
  setText(document.querySelector("#clock"), formatTime(new Date()));
  for (const left of document.querySelectorAll("[data-until]")) {
    const seconds = Math.max(0, Math.ceil((Date.parse(left.dataset.until) - Date.now()) / 1000));
    const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    setText(left, parts.slice(parts[0] ? 0 : 1).map((part, index) => (index ? String(part).padStart(2, "0") : part)).join(":"));
  }
}

// Show one page of the pairings or of the standings: the polled part has all of them, so that they change without a
// connection, too.
function showPage(kind) {
  const pages = [...document.querySelectorAll(`[data-page="${kind}"]`)];
  const state = shown[kind];
  if (state.page >= pages.length) state.page = 0;
  pages.forEach((page, index) => { page.hidden = index !== state.page; });
  for (const count of document.querySelectorAll(`[data-count="${kind}"]`)) setText(count, `${state.page + 1}/${pages.length}`);
  return pages.length;
}

function stepPage(kind, by) {
  const state = shown[kind];
  const pages = document.querySelectorAll(`[data-page="${kind}"]`).length;
  if (pages) state.page = (state.page + by + pages) % pages;
  state.since = Date.now();
  showPage(kind);
}

function turnPages() {
  for (const [kind, state] of Object.entries(shown)) {
    const time = kind === "standings" && state.page === 0 ? FIRST_STANDINGS_MS : PAGE_MS;
    if (Date.now() - state.since >= time) stepPage(kind, 1);
  }
}

// Tell polls which match is on the board until its end has been shown: its result is held back until then.
function holdResult() {
  const board = document.querySelector("#hero[data-match]");
  const bar = board?.querySelector("[role=progressbar]");
  const isHeld = bar && bar.getAttribute("aria-valuenow") !== bar.getAttribute("aria-valuemax");
  const values = isHeld ? JSON.stringify({ held: board.dataset.match }) : "{}";
  if (polled.getAttribute("data-hx-vals") !== values) polled.setAttribute("data-hx-vals", values);
}

// Scripts and styles of a new release are loaded with the whole page, once it answers: an error of the browser would stay.
async function reloadForRelease() {
  if (document.querySelector("[data-build]")?.dataset.build === build || Date.now() < reloadAt) return;
  reloadAt = Date.now() + RELOAD_RETRY_MS;
  try {
    if ((await fetch(location.href, { cache: "reload" })).ok) location.reload();
  } catch { /* It is tried again. */ }
}

function check() {
  showClock();
  turnPages();
  holdResult();
  const isPolled = polled.matches("[data-hx-get]");
  lost.hidden = !isPolled || Date.now() - heardAt < LOST_AFTER_MS;
  if (!lost.hidden) setText(document.querySelector("#lost-since"), formatTime(new Date(heardAt)));
}

function fillBoard() {
  if (!document.querySelector('[data-view="live"]') || document.querySelector("#hero[data-frames]")) return;
  showMatch(screen.dataset.board);
}

function showMatch(address) {
  if (address) document.dispatchEvent(new CustomEvent("show-match", { detail: address }));
}

function showPairing(number) {
  const pairings = document.querySelectorAll('[data-page="pairings"]:not([hidden]) > li');
  showMatch(pairings[number - 1]?.dataset.board);
}

function act(key) {
  const board = document.querySelector("#hero")?.dataset;
  if (key === " ") document.querySelector("#hero-play")?.click();
  else if (key === "ArrowRight") showMatch(board?.next);
  else if (key === "ArrowLeft") showMatch(board?.previous);
  else if (key === "ArrowDown" || key === "PageDown") for (const kind in shown) stepPage(kind, 1);
  else if (key === "ArrowUp" || key === "PageUp") for (const kind in shown) stepPage(kind, -1);
  else if (key >= "1" && key <= "6") showPairing(Number(key));
  else if (key === "s") body.classList.toggle("standings-alone");
  else if (key === "r") document.querySelector("#reveal .primary")?.click();
  else if (key === "b") body.classList.toggle("blank");
  else if (key === "f") document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  else if (key === "t") {
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const root = document.documentElement;
    root.dataset.theme = (root.dataset.theme ?? (isDark ? "dark" : "light")) === "dark" ? "light" : "dark";
  } else if (key === "?") keys.open ? keys.close() : keys.showModal();
  else return false;
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  if (event.key === " " && event.target.closest("a, button")) return;
  if (act(event.key.length === 1 ? event.key.toLowerCase() : event.key)) event.preventDefault();
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-key]");
  if (button) act(button.dataset.key);
});
body.addEventListener("htmx:afterRequest", (event) => {
  const status = event.detail.xhr.status;
  if (status === 304 || (status >= 200 && status < 300)) heardAt = Date.now();
});
body.addEventListener("htmx:afterSwap", () => {
  showClock();
  for (const kind in shown) showPage(kind);
  fillBoard();
  reloadForRelease();
  const text = document.querySelector(".news [data-spoken], .podium [data-spoken]")?.textContent.trim() ?? "";
  if (text && news.textContent !== text) news.textContent = text;
});
for (const kind in shown) showPage(kind);
check();
setInterval(check, CHECK_MS);

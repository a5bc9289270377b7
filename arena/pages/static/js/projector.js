// The page for a projector: a clock, keys, word of a lost connection, and the first board once there is one to show.

const LOST_AFTER_MS = 20000;
const CHECK_MS = 1000;
const body = document.body;
const screen = document.querySelector("#screen");
const lost = document.querySelector("#lost");
const keys = document.querySelector("#keys");
const news = document.querySelector("#news");
let heardAt = Date.now();

function showClock() {
  const clock = document.querySelector("#clock");
  const text = new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hour12: false });
  if (clock && clock.textContent !== text) clock.textContent = text;
}

function check() {
  showClock();
  const isPolled = document.querySelector("#now[data-hx-get]") !== null;
  lost.hidden = !isPolled || Date.now() - heardAt < LOST_AFTER_MS;
}

function fillBoard() {
  if (!document.querySelector('[data-view="live"]') || document.querySelector("#hero[data-frames]")) return;
  document.dispatchEvent(new CustomEvent("show-match", { detail: screen.dataset.board }));
}

function act(key) {
  if (key === " ") document.querySelector("#hero-play")?.click();
  else if (key === "ArrowRight") {
    const next = document.querySelector("#hero")?.dataset.next;
    if (next) document.dispatchEvent(new CustomEvent("show-match", { detail: next }));
  } else if (key === "s") body.classList.toggle("standings-alone");
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
  fillBoard();
  const text = document.querySelector(".news [data-spoken], .podium [data-spoken]")?.textContent.trim() ?? "";
  if (text && news.textContent !== text) news.textContent = text;
});
check();
setInterval(check, CHECK_MS);

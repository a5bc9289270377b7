// A page that renews itself while a match waits or runs: it stays as it is while nothing changes, says at times what it
// has come to, and owns up to silence.

const PATIENCE = 20000;
const PAUSE = 4000;
const spoken = document.querySelector("#spoken");
const silence = document.querySelector("#silence");
let heard = Date.now();
let spokenAt = 0;
let shown = "";
let scrolled = 0;

const words = (selector) => document.querySelector(selector)?.textContent.replace(/\s+/g, " ").trim() ?? "";

document.body.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) heard = Date.now();
});

document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.serverResponse === shown) event.detail.shouldSwap = false;
  shown = event.detail.serverResponse;
  scrolled = document.querySelector("#moves")?.scrollTop ?? 0;
});

document.body.addEventListener("htmx:afterSwap", () => {
  const moves = document.querySelector("#moves");
  if (moves) moves.scrollTop = scrolled;
});

setInterval(() => {
  silence.hidden = Date.now() - heard < PATIENCE;
  const now = `${words("[data-spoken]")} ${words("#caption")}`.trim();
  if (now === spoken.textContent || Date.now() - spokenAt < PAUSE) return;
  if (spokenAt) spoken.textContent = now;
  spokenAt = Date.now();
}, 1000);

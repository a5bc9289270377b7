// The page of a match that waits or runs, which polls: swap it only when something changed, announce changes from time
// to time, and show when the server doesn't answer.

const SERVER_TIMEOUT_MS = 20000;
const ANNOUNCEMENT_INTERVAL_MS = 4000;
const spoken = document.querySelector("#spoken");
const silence = document.querySelector("#silence");
let lastAnswerAt = Date.now();
let spokenAt = 0;
let shown = "";
let scrolled = 0;

const words = (selector) => document.querySelector(selector)?.textContent.replace(/\s+/g, " ").trim() ?? "";

document.body.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) lastAnswerAt = Date.now();
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
  silence.hidden = Date.now() - lastAnswerAt < SERVER_TIMEOUT_MS;
  const now = `${words("[data-spoken]")} ${words(".caption .says")}`.trim();
  if (now === spoken.textContent || Date.now() - spokenAt < ANNOUNCEMENT_INTERVAL_MS) return;
  if (spokenAt) spoken.textContent = now;
  spokenAt = Date.now();
}, 1000);

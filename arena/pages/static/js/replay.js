// Keys, playing and the spoken caption of the replay page. The page works without this: every step is a link.

const TURN_MS = 700;
const QUIET_MS = 250;

const replay = document.querySelector("#replay");
const spoken = document.querySelector("#spoken");
let timer = 0;
let saying = 0;
let isFetching = false;

const find = (id) => document.getElementById(id);
const isPlaying = () => timer !== 0;

function step(name) {
  find(`step-${name}`)?.click();
}

function setPlaying(wanted) {
  clearInterval(timer);
  timer = 0;
  if (wanted) {
    if (atEnd()) step("first");
    timer = setInterval(() => (atEnd() ? setPlaying(false) : step("next")), TURN_MS);
  }
  showButton();
}

function atEnd() {
  return document.querySelector(".transport")?.dataset.atEnd === "yes";
}

function showButton() {
  const button = find("step-play");
  if (!button) return;
  button.hidden = false;
  button.setAttribute("aria-pressed", String(isPlaying()));
  const use = button.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, isPlaying() ? "#pause" : "#play"));
  find("keys").hidden = false;
}

function showCurrentMove() {
  const moves = find("moves");
  const current = moves?.querySelector("[aria-current]");
  if (!current) return;
  const above = current.offsetTop - moves.clientHeight / 2;
  moves.scrollTop = Math.max(0, above);
}

// One sentence a step; silent while playing, and only the last one of a fast run of steps.
function speak() {
  clearTimeout(saying);
  if (isPlaying()) return;
  saying = setTimeout(() => {
    const turn = document.querySelector(".caption .turn")?.textContent ?? "";
    spoken.textContent = `${turn}. ${find("caption")?.textContent ?? ""}`.replace(/\s+/g, " ");
  }, QUIET_MS);
}

const KEYS = {
  ArrowLeft: () => step("previous"),
  ArrowRight: () => step("next"),
  Home: () => step("first"),
  End: () => step("last"),
  " ": () => setPlaying(!isPlaying()),
};

function belongsElsewhere(event) {
  const target = event.target;
  const writes = target.closest("input, select, textarea, [contenteditable], pre");
  const presses = event.key === " " && target.closest("a, button, summary");
  return writes || presses || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
}

document.addEventListener("keydown", (event) => {
  const act = KEYS[event.key];
  if (!act || belongsElsewhere(event)) return;
  event.preventDefault();
  // A key held down comes faster than turns do; what comes too early is dropped, so address and table agree.
  if (isFetching && event.key !== " ") return;
  if (event.key !== " ") setPlaying(false);
  act();
});

replay.addEventListener("click", (event) => {
  if (event.target.closest("#step-play")) setPlaying(!isPlaying());
  else if (event.isTrusted && event.target.closest("a")) setPlaying(false);
});

document.body.addEventListener("htmx:beforeRequest", () => { isFetching = true; });
document.body.addEventListener("htmx:afterRequest", () => { isFetching = false; });

document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== replay) return;
  showButton();
  showCurrentMove();
  speak();
});

document.body.addEventListener("htmx:sendError", () => setPlaying(false));
document.body.addEventListener("htmx:responseError", () => setPlaying(false));

showButton();
showCurrentMove();

// Drag a card to a place: `data-drag` holds the words of the action so far, `data-drops` the words that may follow, and
// a place has one of them as its `data-drop`. A card with `data-pick` is dragged as if it were pressed and then the place
// with `data-cell` under the pointer: whatever that does is done. A long press puts the card's name where the caption is.

const START_PX = 8;
const LONG_PRESS_MS = 500;
const CLICK_MS = 50;

let root = null;
let held = null;
let awaited = "";

const places = () => [...root().querySelectorAll("[data-drop]")];
const cells = () => [...root().querySelectorAll("[data-cell]")];

function findPlace(x, y) {
  if (held.isPick) return document.elementFromPoint(x, y)?.closest("[data-cell]") ?? null;
  const board = root().querySelector(".play-board").getBoundingClientRect();
  if (y < board.top || y > board.bottom) return null;
  return places().find((place) => {
    const { left, right } = place.getBoundingClientRect();
    return held.drops.includes(place.dataset.drop) && x >= left && x <= right;
  });
}

function start() {
  const card = held.card.querySelector(".card") ?? held.card;
  const { left, top, width, height } = card.getBoundingClientRect();
  held.shown = card.cloneNode(true);
  held.shown.classList.add("dragged");
  Object.assign(held.shown.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  // Sizes of what is in a card come from the hand, which the copy must not leave.
  held.shown.style.setProperty("--band", `${card.querySelector(".band")?.offsetHeight}px`);
  root().querySelector(".play-hand").append(held.shown);
  for (const place of places()) place.classList.toggle("drop", held.drops.includes(place.dataset.drop));
}

function move(event) {
  if (!held) return;
  const [x, y] = [event.clientX - held.x, event.clientY - held.y];
  if (!held.shown && Math.hypot(x, y) > START_PX && (held.drops.length || held.isPick)) start();
  if (!held.shown) return;
  held.shown.style.translate = `${x}px ${y}px`;
  const aim = findPlace(event.clientX, event.clientY);
  for (const place of held.isPick ? cells() : places()) place.classList.toggle("aim", place === aim);
}

function pick(card, place) {
  const id = `cell-${place.dataset.cell.replace(":", "-")}`;
  if (card.hasAttribute("aria-current")) document.getElementById(id)?.click();
  else {
    awaited = id;
    card.click();
    if (document.getElementById(id)?.matches("[data-target]")) pressAwaited();
  }
}

function pressAwaited() {
  const id = awaited;
  awaited = "";
  if (id) document.getElementById(id)?.click();
}

function send(action) {
  const button = document.createElement("button");
  Object.assign(button, { name: "action", value: action, hidden: true });
  root().querySelector("#table").append(button);
  button.click();
}

function release(event) {
  if (!held) return;
  const { card, shown, timer } = held;
  const aim = shown && event.type === "pointerup" ? findPlace(event.clientX, event.clientY) : null;
  clearTimeout(timer);
  shown?.remove();
  for (const place of [...places(), ...cells()]) place.classList.remove("drop", "aim");
  if (shown || held.wasLong) addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }), CLICK_MS);
  held = null;
  if (aim && aim !== card && card.dataset.pick !== undefined) setTimeout(pick, CLICK_MS, card, aim);
  else if (aim?.dataset.drop) setTimeout(send, CLICK_MS, `${card.dataset.drag} ${aim.dataset.drop}`);
}

function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}

export function watchDragging(findRoot) {
  root = findRoot;
  document.addEventListener("pointerdown", (event) => {
    const card = event.target.closest("[data-drag], [data-pick], [data-rove]");
    if (!card || event.button) return;
    const drops = card.dataset.drops?.split(" ").filter(Boolean) ?? [];
    const isPick = card.dataset.pick !== undefined;
    held = { card, drops, isPick, x: event.clientX, y: event.clientY, timer: setTimeout(tell, LONG_PRESS_MS) };
  });
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", release);
  document.addEventListener("pointercancel", release);
  document.body.addEventListener("htmx:afterSettle", pressAwaited);
  document.addEventListener("dragstart", (event) => event.target.closest("[data-drag], [data-pick]") && event.preventDefault());
}

function tell() {
  if (!held || held.shown) return;
  held.wasLong = true;
  root().querySelector("#says .whole").textContent = held.card.getAttribute("aria-label") ?? "";
}

// Help where a question comes up. What has a title says it under the pointer, under the focus and to a long press; a
// tactics card on the board, a court card and an action say what the list of cards says of them. A tag opens its whole rule at its flag. Escape closes
// one thing at a time, the last that was opened first.

const SHOW_MS = 300;
const HIDE_MS = 250;
const LONG_PRESS_MS = 500;
const CLICK_MS = 50;
const WALK_MS = 50;
const GAP_PX = 4;
const EDGE_PX = 8;
const SOURCES = "#play [title], #play [data-tip], #play [data-about], .line-play .suit-tactic[data-card]";

const tip = document.querySelector("#tip");
let root = null;
let shown = null;
let timer = 0;
let walkedAt = -Infinity;
let layers = [];

// ---- One sentence

function sentenceOf(source) {
  if (source.title) {
    source.dataset.tip = source.title;
    source.removeAttribute("title");
  }
  if (source.dataset.tip) return source.dataset.tip;
  const listed = root().querySelector(`[data-help="${CSS.escape(source.dataset.about ?? source.dataset.card)}"]`);
  return listed ? `${listed.querySelector("dt").textContent.trim()}: ${listed.querySelector("dd").firstChild.data.trim()}` : "";
}

function show(source) {
  clearTimeout(timer);
  const text = source.isConnected ? sentenceOf(source) : "";
  if (!text || source.closest("[open] > summary, [aria-current]") || tip.textContent === text && shown === source) return;
  hide();
  shown = source;
  tip.textContent = text;
  tip.hidden = false;
  source.setAttribute("aria-describedby", "tip");
  place(tip, source);
}

function hide() {
  clearTimeout(timer);
  shown?.removeAttribute("aria-describedby");
  shown = null;
  tip.hidden = true;
}

// Over the caption for what is held below it. At a flag on the other side of its row, so that no label is covered.
function place(box, source) {
  Object.assign(box.style, { left: 0, top: 0, maxHeight: "", width: "" });
  const says = source.closest(".play-hand, .half") && root().querySelector("#says")?.getBoundingClientRect();
  const front = source.closest(".front");
  let around = source.getBoundingClientRect();
  let isBelow = false;
  if (says) box.style.width = `${says.width}px`;
  else if (front) {
    const board = source.closest(".play-board").getBoundingClientRect();
    const label = front.querySelector(".formation")?.offsetHeight ?? 0;
    const places = [front.querySelector(".flag"), ...front.querySelectorAll(".terrain li")].map((one) => one.getBoundingClientRect());
    const [top, bottom] = [Math.min(...places.map((one) => one.top)), Math.max(...places.map((one) => one.bottom))];
    around = new DOMRect(around.left, top, around.width, bottom - top);
    isBelow = source.closest(".north") !== null;
    box.style.maxHeight = `${(isBelow ? board.bottom - bottom : top - board.top) - label - 2 * GAP_PX}px`;
  }
  const { left: originX, top: originY, width, height } = box.getBoundingClientRect();
  if (!says && !front) isBelow = around.top - height - GAP_PX < 0;
  const middle = around.left + around.width / 2 - width / 2;
  const left = says ? says.left : Math.min(Math.max(middle, EDGE_PX), innerWidth - width - EDGE_PX);
  const top = says ? says.bottom - height : isBelow ? around.bottom + GAP_PX : around.top - height - GAP_PX;
  Object.assign(box.style, { left: `${left - originX}px`, top: `${top - originY}px` });
}

const findSource = (event) => event.target.closest?.(SOURCES);

document.addEventListener("pointerover", (event) => {
  if (event.pointerType !== "mouse") return;
  const source = findSource(event);
  clearTimeout(timer);
  if (source && source !== shown) {
    sentenceOf(source);
    timer = setTimeout(show, SHOW_MS, source);
  } else if (!source && shown && event.target !== tip && shown !== document.activeElement) timer = setTimeout(hide, HIDE_MS);
});

// Only a focus that walks there by a key: one that the page sets would lie over the caption.
document.addEventListener("keydown", ({ key }) => {
  if (/^(Tab|Arrow)/.test(key)) walkedAt = performance.now();
}, true);

document.addEventListener("focusin", (event) => {
  const source = findSource(event);
  if (source && performance.now() - walkedAt < WALK_MS) show(source);
  else if (source !== shown) hide();
});

document.addEventListener("focusout", (event) => {
  if (event.target === shown) hide();
});

function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}

document.addEventListener("pointerdown", (event) => {
  if (event.target !== tip) hide();
  const open = root().querySelector(".rule[open]");
  if (open && !open.contains(event.target)) open.open = false;
  const source = findSource(event);
  if (!source || event.pointerType === "mouse") return;
  sentenceOf(source);
  timer = setTimeout(() => {
    show(source);
    addEventListener("contextmenu", stop, { capture: true, once: true });
    const release = () => {
      addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", stop, { capture: true }), CLICK_MS);
      removeEventListener("contextmenu", stop, { capture: true });
    };
    addEventListener("pointerup", release, { once: true });
  }, LONG_PRESS_MS);
});

for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, () => { if (tip.hidden) clearTimeout(timer); });
document.addEventListener("click", () => { if (shown) hide(); }, true);
document.body.addEventListener("htmx:beforeSwap", hide);
addEventListener("resize", () => {
  hide();
  for (const rule of root().querySelectorAll(".rule[open]")) place(rule.querySelector(".rule-text"), rule);
});

// ---- Rules at their flags, and what lies over what

document.addEventListener("toggle", ({ target }) => {
  if (target.open && target.matches(".rule")) {
    hide();
    place(target.querySelector(".rule-text"), target);
  }
  noteOpen();
}, true);

// Everything that is open, in the order of opening; a choice or a question why not is let go where it lies among them.
export function noteOpen() {
  const open = [...root().querySelectorAll("details[open][id]:not(#sheet), #let-go")].map(({ id }) => id);
  layers = [...layers.filter((id) => open.includes(id)), ...open.filter((id) => !layers.includes(id))];
}

export function closeTop() {
  if (!tip.hidden) return hide(), true;
  noteOpen();
  const top = document.getElementById(layers.pop());
  if (!top) return false;
  if (top.id === "let-go") return top.click(), true;
  top.open = false;
  top.querySelector("summary").focus({ preventScroll: true });
  return true;
}

// The sentence of a tactics card on the board can be reached with the keyboard.
export function makeReachable() {
  for (const card of root().querySelectorAll(".line-play .side > .suit-tactic[data-card]")) card.tabIndex = 0;
}

export function watchHelp(findRoot) {
  root = findRoot;
  makeReachable();
  noteOpen();
}

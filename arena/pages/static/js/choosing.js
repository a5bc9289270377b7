// Choose in the browser. For each first choice the page holds a template of what it shows then, in the server's words:
// the caption, the options, a ghost for each legal place, the cards that can be picked. Nothing is computed here, and
// nothing is asked of the server before an action is complete. Choices without a template are links as they were.

let root = null;
let chosen = "";
let restore = [];

const slot = (name) => root().querySelector(`[data-slot="${name}"]`);

function change(act, back) {
  act();
  restore.push(back);
}

function setAttribute(element, name, value) {
  const old = element.getAttribute(name);
  const write = (text) => (text === null ? element.removeAttribute(name) : element.setAttribute(name, text));
  change(() => write(value), () => write(old));
}

function fill(element, nodes) {
  const old = [...element.childNodes];
  change(() => element.replaceChildren(...nodes), () => element.replaceChildren(...old));
}

// A ghost takes the first free place; what goes to both sides takes the place of the claim.
function insert(element, node) {
  const free = element.querySelector(":scope > .slot:not([hidden])") ?? element.querySelector(":scope > .taken:not([hidden])");
  const hidden = element.matches("ol") ? [free].filter(Boolean) : [...element.querySelectorAll(":scope > :is(.claim, .not-yet)")];
  for (const one of hidden) setAttribute(one, "hidden", "");
  change(() => (free && element.matches("ol") ? free.before(node) : element.append(node)), () => node.remove());
}

function makePickable(card, item) {
  const shown = document.createElement("span");
  for (const { name, value } of card.attributes) shown.setAttribute(name, value);
  shown.append(...[...card.childNodes].map((node) => node.cloneNode(true)));
  item.firstElementChild.append(shown);
  change(() => card.replaceWith(item), () => item.replaceWith(card));
}

function mark(words) {
  const link = [...root().querySelectorAll("[data-rove]")].find((one) => wordsOf(one) === words);
  if (link) {
    setAttribute(link, "aria-current", "true");
    setAttribute(link, "href", "?");
    const { classList } = link.parentElement;
    change(() => classList.add("chosen"), () => classList.remove("chosen"));
  }
  for (const card of root().querySelectorAll("[data-rove][data-key]")) {
    setAttribute(card, "data-key", null);
    fill(card.parentElement.querySelector("kbd"), []);
  }
}

const wordsOf = (link) => new URLSearchParams(link.getAttribute("href") ?? "").get("chosen") ?? "";

export function letGo() {
  while (restore.length) restore.pop()();
  chosen = "";
  history.replaceState(history.state, "", location.pathname);
}

export function choose(words) {
  const template = root().querySelector(`template[data-chosen="${CSS.escape(words)}"]`);
  if (!template) return false;
  letGo();
  chosen = words;
  mark(words);
  for (const part of [...template.content.cloneNode(true).children]) {
    const { into, pick } = part.dataset;
    if (pick) makePickable(root().querySelector(`.play-board [data-card="${pick}"]`), part.firstElementChild);
    else if (into === "says" || into === "options") fill(slot(into), [...part.childNodes]);
    else insert(slot(into), part.firstElementChild);
  }
  for (const link of root().querySelectorAll(".pickable > a, .bar-options > a")) htmx.process(link);
  const { classList } = root();
  change(() => classList.add("choosing"), () => classList.remove("choosing"));
  history.replaceState(history.state, "", `?chosen=${encodeURIComponent(words)}`);
  return true;
}

// What was chosen stays so when the same decision is shown again, as with a hint.
export function chooseAgain() {
  const words = chosen;
  restore = [];
  chosen = "";
  if (words) choose(words);
}

export const whatIsChosen = () => chosen;

export function forget() {
  restore = [];
  chosen = "";
}

export function watchChoosing(findRoot, tell) {
  root = findRoot;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#play a[href^='?']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const asked = new URLSearchParams(link.getAttribute("href"));
    const words = asked.get("chosen") ?? "";
    if (asked.has("why") || !(words ? choose(words) : chosen)) return;
    if (!words) {
      const card = root().querySelector("[data-rove][aria-current]");
      letGo();
      card?.focus({ preventScroll: true });
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    tell(slot("says").textContent);
  }, true);
}

// Choose in the browser. For each first choice the page holds a template of what it shows then, in the server's words:
// the caption, the options, a ghost for each legal place, the cards that can be picked. A second choice has one more of
// its own, and another player shown in full has one too. Nothing is computed here, and nothing is asked of the server
// before an action is complete. Choices without a template are links as they were.

let root = null;
let chosen = "";
let facing = "";
let restore = [];

const slot = (name) => root().querySelector(`[data-slot="${name}"]`);
const find = (name, value) => root().querySelector(`template[data-${name}="${CSS.escape(value)}"]`);

function change(act, back) {
  act();
  restore.push(back);
}

function setAttribute(element, name, value) {
  const old = element.getAttribute(name);
  const write = (text) => (text === null ? element.removeAttribute(name) : element.setAttribute(name, text));
  change(() => write(value), () => write(old));
}

function addClass(element, name) {
  if (!element.classList.contains(name)) change(() => element.classList.add(name), () => element.classList.remove(name));
}

function fill(element, nodes) {
  const old = [...element.childNodes];
  change(() => element.replaceChildren(...nodes), () => element.replaceChildren(...old));
}

// A ghost takes the first free place; what goes to both sides takes the place of the claim.
function insert(element, node) {
  const free = element.querySelector(":scope > .card.better") ?? element.querySelector(":scope > .slot:not([hidden])") ?? element.querySelector(":scope > .taken:not([hidden])");
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

// A cell becomes a link or a button with what it showed before; what else the item has stands beside it.
function makePlace(item) {
  const { at } = item.dataset;
  const cell = root().querySelector(`.play-board [data-cell="${at}"]`);
  if (!cell) return;
  const [made, ...more] = item.children;
  const shown = [...cell.children].filter((one) => !one.matches(".hidden-text")).map((one) => one.cloneNode(true));
  made.append(...shown);
  Object.assign(made, { id: `cell-${at.replace(":", "-")}`, className: "cell-face" });
  Object.assign(made.dataset, { cell: at, target: "" });
  addClass(cell.parentElement, item.className);
  change(() => cell.replaceWith(made), () => made.replaceWith(cell));
  for (const one of more) change(() => made.after(one), () => one.remove());
}

function press(link, back) {
  setAttribute(link, "aria-current", "true");
  setAttribute(link, "href", back);
  addClass(link.parentElement, link.matches("[data-target]") ? "aimed" : "chosen");
  const help = root().querySelector(`dl [data-help="${link.dataset.about}"]`);
  if (help) addClass(help, "now");
}

function mark(words, back) {
  const link = [...root().querySelectorAll("[data-rove], [data-target], .acts a")].find((one) => wordsOf(one) === words);
  if (link) press(link, back);
  for (const card of root().querySelectorAll("[data-rove][data-key]")) {
    setAttribute(card, "data-key", null);
    fill(card.parentElement.querySelector("kbd"), []);
  }
}

function read(link) {
  const asked = new URLSearchParams(link.getAttribute("href") ?? "");
  const [, seat, words] = (asked.get("chosen") ?? "").match(/^(?:facing=(\d+) ?)?(.*)$/);
  return { seat, words, isOther: asked.has("why") };
}

const wordsOf = (link) => read(link).words;

function putBack() {
  while (restore.length) restore.pop()();
  chosen = "";
}

function writeAddress() {
  const words = [facing && `facing=${facing}`, chosen].filter(Boolean).join(" ");
  history.replaceState(history.state, "", words ? `?chosen=${encodeURIComponent(words)}` : location.pathname);
}

export function letGo() {
  putBack();
  writeAddress();
}

function apply(template) {
  for (const part of [...template.content.cloneNode(true).children]) {
    const { into, pick, at, prospect } = part.dataset;
    const place = into && slot(into);
    if (prospect) apply(find("prospect", prospect));
    else if (pick) makePickable(root().querySelector(`.play-board [data-card="${pick}"]`), part.firstElementChild);
    else if (at) makePlace(part);
    else if (!place) continue;
    else if (into === "field") for (const node of [...part.children]) change(() => place.append(node), () => node.remove());
    else if (part.matches("ol") || into.startsWith("flag-")) insert(place, part.firstElementChild);
    else fill(place, [...part.childNodes]);
  }
}

// Another player in full takes the place of the one who was.
function turnTo(seat) {
  const template = find("facing", seat);
  if (!template) return seat === facing || !seat;
  const was = chosen;
  putBack();
  const kept = document.createElement("template");
  const shown = [...template.content.children].map((part) => [root().querySelector(`.${part.classList[0]}`), part.cloneNode(true)]);
  kept.dataset.facing = facing || root().dataset.facing;
  for (const [old, made] of shown) {
    old.replaceWith(made);
    kept.content.append(old);
  }
  template.replaceWith(kept);
  facing = seat;
  root().querySelector('input[name="chosen"]').value = `facing=${seat}`;
  chosen = was;
  return true;
}

export function choose(words) {
  const template = find("chosen", words);
  const before = words.split(" ").slice(0, -1).join(" ");
  const first = find("chosen", before);
  if (!template) return false;
  const { id } = document.activeElement;
  putBack();
  chosen = words;
  if (first) {
    mark(before, "?");
    apply(first);
  }
  mark(words, first ? `?chosen=${before.replace(/ /g, "+")}` : "?");
  apply(template);
  for (const link of root().querySelectorAll(":is(.pickable, .bar-options, .spot) > a")) htmx.process(link);
  addClass(root(), "choosing");
  writeAddress();
  if (id && document.activeElement?.id !== id) document.getElementById(id)?.focus({ preventScroll: true });
  if (document.activeElement?.matches("[data-target][aria-current]")) slot("options").querySelector("button")?.focus();
  return true;
}

// What was chosen stays so when the same decision is shown again, as with a hint.
export function chooseAgain() {
  const words = chosen;
  forget();
  if (words) choose(words);
}

export const whatIsChosen = () => chosen;

// Why something can't be chosen, in the place of the caption until something else is.
export function explain(text) {
  fill(slot("says"), [text]);
}

export function forget() {
  restore = [];
  chosen = facing = "";
}

export function watchChoosing(findRoot, tell) {
  root = findRoot;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#play a[href^='?']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { seat, words, isOther } = read(link);
    if (isOther) return;
    const isTurned = seat !== undefined && link.id === `face-${seat}`;
    if (isTurned ? !turnTo(seat) : !(words ? choose(words) : chosen)) return;
    if (isTurned && !(chosen && choose(chosen))) letGo();
    else if (!isTurned && !words) {
      const card = root().querySelector("[data-rove][aria-current]");
      letGo();
      card?.focus({ preventScroll: true });
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    tell(slot("says").textContent);
  }, true);
}

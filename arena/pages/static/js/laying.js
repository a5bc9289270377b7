// Lay out a deployment in the browser. The page holds a template of each shape and the words for cells and cards; which
// card lies where is kept here, and the server judges it when it is sent. Other shapes are asked for, and so is all of a
// reforming.

const LETTERS = "abcd";
const GUARD = "g";

let root = null;
let tell = null;

const board = () => root().querySelector("[data-draft][data-guards]");
const slot = (name) => root().querySelector(`[data-slot="${name}"]`);
const find = (name, value) => root().querySelector(`template[data-${name}="${CSS.escape(value)}"]`);
const write = (text, values) => text.replace(/\{(\w+)\}/g, (_all, name) => values[name]);
const clear = (shape) => shape.replace(/=[^,/]*/g, "=");

// A draft is as the server writes it: `deploy 0=A,2=/1=7 guard=5 card=K`; the cells are in its order, the guard's last.
function read(text) {
  const [, rows, ...more] = text.split(" ");
  const values = Object.fromEntries(more.map((word) => word.split("=")));
  const cells = new Map();
  rows.split("/").forEach((row, number) => row.split(",").forEach((cell, column) => {
    cells.set(`${number + 1}${LETTERS[column]}`, cell.split("=")[1] ?? "");
  }));
  cells.set(GUARD, values.guard ?? "");
  return { shape: clear(rows), cells, held: values.card ?? "" };
}

function format({ shape, cells, held }) {
  const laid = [...cells.values()];
  const rows = shape.replace(/=/g, () => `=${laid.shift()}`);
  return `deploy ${rows} guard=${laid[0]}${held ? ` card=${held}` : ""}`;
}

const placeOf = (draft, card) => [...draft.cells].find(([, laid]) => laid === card)?.[0] ?? "";
const listLeft = (draft, order) => order.filter((card) => !placeOf(draft, card));
const listEmpty = (draft) => [...draft.cells].filter(([, card]) => !card).map(([cell]) => cell);
const canGuard = (card) => board().dataset.guards.split(" ").includes(card);

function lay(draft, cell) {
  const [from, other] = [placeOf(draft, draft.held), draft.cells.get(cell)];
  if (from) draft.cells.set(from, other);
  draft.cells.set(cell, draft.held);
  draft.held = "";
}

// The cards keep their order in another shape; those without a cell are taken back.
function reshape(draft, shape) {
  const cards = [...draft.cells].filter(([cell, card]) => cell !== GUARD && card).map(([, card]) => card);
  const next = read(`deploy ${shape} guard=${draft.cells.get(GUARD)}`);
  for (const cell of next.cells.keys()) if (cell !== GUARD) next.cells.set(cell, cards.shift() ?? "");
  return next;
}

function changeShape(shape, change, number) {
  const rows = shape.split("/").map((row) => row.split(",").map((cell) => parseInt(cell, 10)));
  const row = rows[number];
  if (change === "another") rows.unshift([0, 2, 4]);
  else if (change === "longer") row.push(row.at(-1) + 2);
  else if (change === "shorter") row.pop();
  else rows[number] = row.map((x) => x + (change === "left" ? -1 : 1));
  return rows.filter((one) => one.length).map((one) => one.map((x) => `${x}=`).join()).join("/");
}

function fill(draft) {
  const left = listLeft(draft, find("shape", draft.shape).dataset.order.split(" "));
  if (!draft.cells.get(GUARD)) {
    const guard = left.findIndex(canGuard);
    draft.cells.set(GUARD, guard < 0 ? "" : left.splice(guard, 1)[0]);
  }
  for (const cell of listEmpty(draft)) draft.cells.set(cell, left.shift() ?? "");
  draft.held = "";
}

// ---- Show a draft

function show(draft) {
  const section = board();
  const template = find("shape", draft.shape);
  const rest = root().querySelector("template[data-laying]");
  if (rest) rest.replaceWith();
  section.querySelector(".field-frame")?.remove();
  section.querySelector(".templates").after(template.content.cloneNode(true));
  if (rest) section.append(rest.content);
  section.dataset.draft = format({ ...draft, held: "" });
  for (const cell of section.querySelectorAll("[data-cell]")) showCell(draft, cell);
  for (const card of root().querySelectorAll(".to-lay a")) showCard(draft, card);
  showShape(draft, template.dataset);
  showChecks(draft);
  showBar(draft);
  root().classList.add("choosing");
  history.replaceState(history.state, "", `?chosen=${encodeURIComponent(format(draft)).replace(/%20/g, "+")}`);
}

function setCurrent(link, isCurrent) {
  if (isCurrent) link.setAttribute("aria-current", "true");
  else link.removeAttribute("aria-current");
}

const nameOf = (card) => document.getElementById(`hand-${card}`).dataset.name;
const nameCell = (cell) => cell === GUARD ? board().dataset.guard : cell;

function showCell(draft, link) {
  const { cell } = link.dataset;
  const [card, { held }, words] = [draft.cells.get(cell), draft, board().dataset];
  const isHeld = Boolean(card) && card === held;
  const isRefused = cell === GUARD && Boolean(held) && !canGuard(held);
  const isOpen = Boolean(held) && !isHeld && !isRefused;
  const { classList } = link.parentElement;
  for (const [name, is] of [["void", !card], ["open", isOpen], ["chosen", isHeld], ["faded", isRefused]]) classList.toggle(name, is);
  const label = write(card ? words.laid : words.empty, { cell: nameCell(cell), card: card && nameOf(card) });
  link.setAttribute("aria-label", isOpen ? write(words.put, { card: nameOf(held), cell: label }) : label);
  link.toggleAttribute("data-pick", Boolean(card));
  link.toggleAttribute("data-target", isOpen);
  link.toggleAttribute("data-rove", !isOpen);
  setCurrent(link, isHeld);
  const shown = link.querySelector(".slot");
  if (card) shown.replaceWith(document.querySelector(`#hand-${card} .card`).cloneNode(true));
  else shown.textContent = isOpen ? `${held}?` : "";
}

function showCard(draft, link) {
  const card = link.id.slice("hand-".length);
  const [place, words] = [placeOf(draft, card), board().dataset];
  const isHeld = draft.held === card;
  link.parentElement.className = isHeld ? "chosen" : place ? "laid" : "";
  link.querySelector(".at").textContent = place ? nameCell(place) : words.hand;
  link.setAttribute("aria-label", write(place ? words.placed : words.inHand, { card: nameOf(card), place: nameCell(place) }));
  setCurrent(link, isHeld);
}

function showShape(draft, { name, index, left }) {
  const section = board();
  const links = [...section.querySelectorAll(".templates a")];
  const isNamed = links.slice(0, -1).some((link) => link.dataset.reshape === draft.shape);
  for (const link of links) setCurrent(link, link.dataset.reshape === draft.shape || !isNamed && link === links.at(-1));
  const heading = section.querySelector("#valid-heading");
  heading.replaceChildren(`${name} `, heading.querySelector("small"));
  heading.querySelector("small").textContent = index;
  section.querySelector(".left-over").textContent = left;
  section.querySelector("#as-action").value = section.dataset.draft;
  const rows = draft.shape.split("/").map((row) => row.split(",").length);
  for (const row of section.querySelectorAll("[data-row]")) {
    const cells = rows[row.dataset.row] ?? 0;
    for (const link of row.querySelectorAll("a")) {
      const { reshape: change } = link.dataset;
      link.hidden = !cells || change === "longer" && cells === LETTERS.length || change === "shorter" && cells + rows.length <= 2;
    }
  }
  section.querySelector('[data-reshape="another"]').hidden = rows.length === 3;
}

const isGuarded = (draft) => canGuard(draft.cells.get(GUARD));
const listEmptyCells = (draft) => listEmpty(draft).filter((cell) => cell !== GUARD);

function showChecks(draft) {
  const { guardMet, guardOpen, cellsMet, cellsOne, cellsMany } = board().dataset;
  const empty = listEmptyCells(draft);
  const words = { card: draft.cells.get(GUARD), count: empty.length, cells: empty.join(", ") };
  const texts = { guard: isGuarded(draft) ? guardMet : guardOpen, cells: [cellsMet, cellsOne][empty.length] ?? cellsMany };
  const met = { guard: isGuarded(draft), cells: !empty.length };
  for (const item of board().querySelectorAll("[data-check]")) {
    const { check } = item.dataset;
    item.className = met[check] ? "met" : "open";
    item.querySelector(".check-text").textContent = write(texts[check], words);
  }
}

function showBar(draft) {
  const isReady = isGuarded(draft) && !listEmptyCells(draft).length && !board().querySelector(".valid .open");
  const options = root().querySelector("template[data-lays]").content.cloneNode(true);
  const has = { fill: listEmpty(draft).length, back: draft.held && placeOf(draft, draft.held), deploy: isReady };
  for (const option of options.querySelectorAll("[data-lay]")) if (!has[option.dataset.lay]) option.remove();
  if (!draft.held) options.querySelector("#let-go").remove();
  const button = options.querySelector("button");
  if (button) button.value = format({ ...draft, held: "" });
  slot("options").replaceChildren(options);
  slot("says").replaceChildren(find("says", draft.held || (isReady ? "ready" : "")).content.cloneNode(true));
  [...root().querySelectorAll(".turn-parts li")].forEach((part, number) => part.classList.toggle("now", number === 1));
}

// ---- What a click does to it

function act(link, draft) {
  const { reshape: shape, lay: what, cell } = link.dataset;
  const card = cell ? draft.cells.get(cell) : link.closest(".to-lay") ? link.id.slice("hand-".length) : "";
  if (shape) return reshape(draft, shape.includes("=") ? shape : changeShape(draft.shape, shape, link.closest("[data-row]")?.dataset.row));
  if (what === "fill") fill(draft);
  else if (what === "back") draft.cells.set(placeOf(draft, draft.held), "");
  if (what || link.id === "let-go") draft.held = "";
  else if (cell && draft.held && draft.held !== card && (cell !== GUARD || canGuard(draft.held))) lay(draft, cell);
  else if (card) draft.held = draft.held === card ? "" : card;
  return draft;
}

function press(event) {
  const link = event.target.closest("#play a[href^='?']");
  if (!link || !board() || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const held = root().querySelector(".to-lay [aria-current]")?.id.slice("hand-".length) ?? "";
  const first = root().querySelector(".templates li:last-child a").dataset.reshape;
  const { id } = link;
  const draft = act(link, { ...read(board().dataset.draft || `deploy ${first} guard=`), held });
  if (!find("shape", draft.shape)) {
    link.setAttribute("href", `?chosen=${encodeURIComponent(format(draft))}`);
    return;
  }
  show(draft);
  event.preventDefault();
  event.stopImmediatePropagation();
  const focused = id && document.getElementById(id) || link.isConnected && link || slot("options").querySelector("button, a");
  focused?.focus({ preventScroll: true });
  tell(slot("says").textContent);
}

export function watchLaying(findRoot, say) {
  [root, tell] = [findRoot, say];
  document.addEventListener("click", press, true);
}

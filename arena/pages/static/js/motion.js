// Animate a step, one thing at a time: cards move from their old positions; the cards of a proof rise, and a claim has
// its beat; then flags and the front line move, and at last the card that is drawn comes from its deck.

const CARD_MS = 220;
const FRONT_MS = 320;
const BEAT_MS = 600;
const PACE_MS = 80;
export const MOMENT_MS = CARD_MS + BEAT_MS + FRONT_MS;
const RISE_PX = 9;
const EASING = "cubic-bezier(.2,.7,.2,1)";

let running = [];

// A card, a flag, or a place from which cards come that nobody saw there: a deck, a hand of backs.
const keyOf = ({ dataset }) =>
  dataset.card || (dataset.flag && `flag ${dataset.flag}`) || (dataset.place && `place ${dataset.place}`);

function movables(elements) {
  return elements
    .filter((element) => element.closest(".stage, .playing"))
    .flatMap((element) => [element, ...element.querySelectorAll("[data-card], [data-flag], [data-place]")])
    .filter(keyOf);
}

// Of a hand whose cards nobody knows the last one goes; a deck that isn't drawn lies at the edge of the table.
function measure(element) {
  const box = (element.dataset.place && element.querySelector(".card:last-child, .token")) || element;
  const found = box.getBoundingClientRect();
  const table = !found.width && element.closest(".board")?.getBoundingClientRect();
  return table ? new DOMRect(table.right, table.top + table.height / 2, 24, 34) : found;
}

// Where a card lies in a row of cards, which closes up around it: a card that only moves aside is not animated.
function placeOf(element) {
  const row = element.closest(".side, .held, .hand");
  if (!row || !element.dataset.card) return "";
  const flag = row.closest(".front")?.className.match(/front-\d+/)?.[0] ?? row.closest("[data-slot]")?.dataset.slot;
  const place = [...row.querySelectorAll("[data-card]")].indexOf(element);
  return [flag, row.classList[0], row.classList.contains("north"), place].join();
}

export function measurePositions(elements) {
  return new Map(movables(elements).map((element) => [keyOf(element), Object.assign(measure(element), { place: placeOf(element) })]));
}

function animate(element, frames, options) {
  running.push(element.animate(frames, { easing: EASING, ...options }));
}

function sourceOf(element) {
  const source = element.closest("[data-source]")?.dataset.source;
  return `place ${source === "deck" ? `deck-${element.matches(".suit-tactic") ? "tactic" : "troop"}` : source}`;
}

// When something of a step begins to move, where a claim or an attack has its beat after the cards.
function delayOf(element, from, beat) {
  if (element.dataset.flag) return CARD_MS + beat;
  const isDrawn = !from && element.closest('[data-source="deck"]');
  return isDrawn ? CARD_MS + (beat && beat + FRONT_MS) : 0;
}

export function animateMoves(before, elements, beat = 0) {
  const arrived = movables(elements).map((element) => [element, element.getBoundingClientRect()]);
  for (const [element, to] of arrived) {
    if (element.dataset.place) continue;
    const known = before.get(keyOf(element));
    const from = known ?? before.get(sourceOf(element));
    if (!from?.width || !to.width || known?.place && known.place === placeOf(element)) continue;
    const [x, y] = [from.left - to.left, from.top - to.top];
    if (Math.abs(x) + Math.abs(y) < 1) continue;
    const start = `translate(${x}px, ${y}px) scale(${from.width / to.width}, ${from.height / to.height})`;
    const held = { transformOrigin: "0 0", zIndex: 9 };
    const duration = element.dataset.card ? CARD_MS : FRONT_MS;
    const timing = { duration, delay: delayOf(element, known, beat), fill: "backwards" };
    animate(element, [{ transform: start, ...held, opacity: timing.delay && !known ? 0 : 1 }, { transform: "none", ...held, opacity: 1 }], timing);
  }
}

export function animateFront(old, fresh, beat = 0) {
  if (!old || !fresh) return;
  const paths = fresh.querySelectorAll("path");
  old.querySelectorAll("path").forEach((path, number) => {
    const [from, to] = [path.getAttribute("d"), paths[number]?.getAttribute("d")];
    if (!to || from === to) return;
    const d = [`path("${from}")`, `path("${to}")`];
    animate(paths[number], { d }, { duration: FRONT_MS, delay: CARD_MS + beat, fill: "backwards" });
  });
}

// The cards by which a flag was won in this step, and those that met in an attack.
function listProof(pairs) {
  return pairs.flatMap(({ old, fresh }) => {
    const { owner } = fresh.dataset;
    const won = owner && !old.dataset.owner ? `[data-seat="${owner}"] [data-card]` : "[data-rises]";
    return [...fresh.querySelectorAll(won)];
  });
}

// Animate from the positions measured before a step; `pairs` are what `showStep` returned.
export function animateStep(before, pairs, front) {
  const proof = listProof(pairs);
  const beat = proof.length && BEAT_MS;
  animateMoves(before, pairs.map(({ fresh }) => fresh), beat);
  pairs.filter(({ slot }) => slot === front).forEach(({ old, fresh }) => animateFront(old, fresh, beat));
  const risen = { translate: `0 ${-RISE_PX}px`, zIndex: 9 };
  for (const card of proof) animate(card, [{}, { ...risen, offset: 0.3 }, { ...risen, offset: 0.8 }, {}], { duration: BEAT_MS, delay: CARD_MS });
  for (const mark of pairs.flatMap(({ fresh }) => [...fresh.querySelectorAll("[data-pace]")])) {
    const delay = CARD_MS + Math.min(PACE_MS * mark.dataset.pace, BEAT_MS);
    animate(mark, { opacity: [0, 1] }, { duration: PACE_MS, delay, fill: "backwards" });
  }
}

// Let what stands for the end appear when the last step has come to rest.
export function revealEnd(element) {
  if (element) animate(element, { opacity: [0, 1] }, { duration: CARD_MS, delay: MOMENT_MS + CARD_MS, fill: "backwards" });
}

export function stopAnimations() {
  running.forEach((animation) => animation.cancel());
  running = [];
}

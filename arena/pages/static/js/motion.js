// Animate a step: cards move from their old positions, then flags and the front line.

const CARD_MS = 220;
const FRONT_MS = 320;
const EASING = "cubic-bezier(.2,.7,.2,1)";

let running = [];

// A card, a flag, or a place from which cards come that nobody saw there: a deck, a hand of backs.
const keyOf = ({ dataset }) =>
  dataset.card || (dataset.flag && `flag ${dataset.flag}`) || (dataset.place && `place ${dataset.place}`);

function movables(elements) {
  return elements
    .filter((element) => element.closest(".stage, .playing"))
    .flatMap((element) => [...element.querySelectorAll("[data-card], [data-flag], [data-place]")])
    .filter(keyOf);
}

export function measurePositions(elements) {
  return new Map(movables(elements).map((element) => [keyOf(element), element.getBoundingClientRect()]));
}

function animate(element, frames, options) {
  running.push(element.animate(frames, { easing: EASING, ...options }));
}

const sourceOf = (element) => `place ${element.closest("[data-source]")?.dataset.source}`;

export function animateMoves(before, elements) {
  const arrived = movables(elements).map((element) => [element, element.getBoundingClientRect()]);
  for (const [element, to] of arrived) {
    if (element.dataset.place) continue;
    const from = before.get(keyOf(element)) ?? before.get(sourceOf(element));
    if (!from?.width || !to.width) continue;
    const [x, y] = [from.left - to.left, from.top - to.top];
    if (Math.abs(x) + Math.abs(y) < 1) continue;
    const start = `translate(${x}px, ${y}px) scale(${from.width / to.width}, ${from.height / to.height})`;
    const held = { transformOrigin: "0 0", zIndex: 9 };
    const timing = element.dataset.card ? { duration: CARD_MS } : { duration: FRONT_MS, delay: CARD_MS, fill: "backwards" };
    animate(element, [{ transform: start, ...held }, { transform: "none", ...held }], timing);
  }
}

export function animateFront(old, fresh) {
  if (!old || !fresh) return;
  const paths = fresh.querySelectorAll("path");
  old.querySelectorAll("path").forEach((path, number) => {
    const [from, to] = [path.getAttribute("d"), paths[number]?.getAttribute("d")];
    if (!to || from === to) return;
    const d = [`path("${from}")`, `path("${to}")`];
    animate(paths[number], { d }, { duration: FRONT_MS, delay: CARD_MS, fill: "backwards" });
  });
}

// Animate from the positions measured before a step; `pairs` are what `showStep` returned.
export function animateStep(before, pairs, front) {
  animateMoves(before, pairs.map(({ fresh }) => fresh));
  pairs.filter(({ slot }) => slot === front).forEach(({ old, fresh }) => animateFront(old, fresh));
}

export function stopAnimations() {
  running.forEach((animation) => animation.cancel());
  running = [];
}

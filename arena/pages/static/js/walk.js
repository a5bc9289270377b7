// Walk with the arrows over a board whose places lie anywhere: to the nearest one in that direction.

const ACROSS_WEIGHT = 2.5;

function findMiddle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

export function walk(places, [dx, dy]) {
  const from = document.activeElement?.closest("[data-cell]");
  if (!from) return false;
  const [x, y] = findMiddle(from);
  let [nearest, least] = [null, Infinity];
  for (const place of places) {
    const [px, py] = findMiddle(place);
    const along = (px - x) * dx + (py - y) * dy;
    const across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    const distance = along + ACROSS_WEIGHT * across;
    if (place !== from && along > 1 && distance < least) [nearest, least] = [place, distance];
  }
  nearest?.focus();
  return nearest !== null;
}

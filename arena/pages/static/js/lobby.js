// The lobby: arrows walk over the opponents by where they are on the screen, and Enter presses the one in focus. The
// summary of the folded options says what their fields hold.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

document.querySelector(".opponents")?.addEventListener("keydown", (event) => {
  const arrow = ARROWS[event.key];
  const from = event.target.closest("[data-opponent]");
  if (!arrow || !from || event.ctrlKey || event.altKey || event.metaKey) return;
  const place = (element) => {
    const box = element.closest(".opponent").getBoundingClientRect();
    const own = element.closest(".levels") ? element.getBoundingClientRect() : box;
    return [own.left + own.width / 2, box.top + box.height / 2];
  };
  const [x, y] = place(from);
  const distances = [...document.querySelectorAll("[data-opponent]")].filter((other) => other !== from).map((other) => {
    const [dx, dy] = [place(other)[0] - x, place(other)[1] - y];
    const [ahead, aside] = arrow[0] ? [dx * arrow[0], dy] : [dy * arrow[1], dx];
    return { other, ahead, distance: ahead + 3 * Math.abs(aside) };
  });
  const next = distances.filter(({ ahead }) => ahead > 1).sort((one, two) => one.distance - two.distance)[0];
  if (!next) return;
  event.preventDefault();
  next.other.focus();
});

const folded = document.querySelector(".more-options");

function sumUp() {
  for (const part of folded.querySelectorAll("[data-sums]")) {
    const field = folded.querySelector(`[name="${part.dataset.sums}"]`);
    const value = field.type === "checkbox" ? (field.checked ? "on" : "") : field.value;
    part.textContent = part.getAttribute(`data-word-${value}`) ?? part.dataset.wordElse;
  }
}

if (folded) {
  folded.addEventListener("change", sumUp);
  // A browser that goes back keeps what was chosen.
  addEventListener("pageshow", sumUp);
}

// Keep scroll positions and opened details when a part of the page is swapped.

let boxes = [];
let opened = [];

document.body.addEventListener("htmx:beforeSwap", () => {
  boxes = [...document.querySelectorAll("[role=region][id]")].map((box) => [box.id, box.scrollLeft]);
  opened = [...document.querySelectorAll("details[id][open]")].map((details) => details.id);
});
document.body.addEventListener("htmx:afterSwap", () => {
  for (const [id, left] of boxes) document.getElementById(id)?.scrollTo({ left });
  for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
});

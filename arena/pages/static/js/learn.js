// A lesson: keys that lead from step to step, and going on where the visitor stopped. The table's script does the rest.

const KEPT = "pennant-lesson-";
const root = () => document.querySelector("#play");

function keep() {
  const { lesson, step, finished } = root().dataset;
  try {
    if (finished === undefined) localStorage.setItem(KEPT + lesson, step);
    else localStorage.removeItem(KEPT + lesson);
  } catch {
    // Without storage the lesson begins at its first step.
  }
}

// Only the addresses without a step lead on; a link to a step is followed.
function goOn() {
  if (/\d\/$/.test(location.pathname)) return;
  let step = null;
  try {
    step = localStorage.getItem(KEPT + root().dataset.lesson);
  } catch {
    return;
  }
  const link = step > 1 && root().querySelector(`[data-step-link="${CSS.escape(step)}"]`);
  if (link) location.replace(link.href);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const isFree = event.target === document.body || event.target.id === "main";
  const selectors = { PageDown: "[data-next]", PageUp: "[data-back]", Enter: isFree && "#show-me, .done [data-next]" };
  const found = selectors[event.key] && document.querySelector(selectors[event.key]);
  if (!found) return;
  event.preventDefault();
  found.click();
});

goOn();
keep();
document.body.addEventListener("htmx:afterSwap", keep);

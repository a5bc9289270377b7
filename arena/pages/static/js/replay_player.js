// Show any step of a leg. Each step is a list of HTML parts, one for each slot of the page; steps share parts.

const FOCUSABLE = "a[href], button, input, summary, [tabindex]";

export class ReplayPlayer {
  constructor({ slots, parts, frames }, step, root = document) {
    this.parts = parts;
    this.frames = frames;
    this.shown = slots.map((name) => root.querySelector(`[data-slot="${CSS.escape(name)}"]`));
    this.front = slots.indexOf("front");
    this.step = step;
    this.elements = [];
    this.shown.forEach((element, slot) => { this.elements[frames[step][slot]] = element; });
  }

  createElement(part) {
    if (!this.elements[part]) {
      const template = document.createElement("template");
      template.innerHTML = this.parts[part];
      this.elements[part] = document.importNode(template.content.firstElementChild, true);
    }
    return this.elements[part];
  }

  // Put the parts of a step in place. Return the replaced elements, each with its replacement and its slot.
  showStep(step) {
    const pairs = [];
    const [from, to] = [this.frames[this.step], this.frames[step]];
    const focus = document.activeElement;
    this.shown.forEach((old, slot) => {
      if (!old || from[slot] === to[slot]) return;
      const fresh = this.createElement(to[slot]);
      const held = old.contains(focus) ? [...old.querySelectorAll(FOCUSABLE)].indexOf(focus) : -1;
      old.replaceWith(fresh);
      this.shown[slot] = fresh;
      pairs.push({ old, fresh, slot });
      if (held >= 0) keepFocus(fresh, held);
    });
    this.step = step;
    return pairs;
  }

  // Return the elements that the step would replace.
  listChanging(step) {
    const [from, to] = [this.frames[this.step], this.frames[step]];
    return this.shown.filter((element, slot) => element && from[slot] !== to[slot]);
  }
}

function keepFocus(fresh, position) {
  const places = [...fresh.querySelectorAll(FOCUSABLE)];
  const place = places[Math.min(position, places.length - 1)] ?? fresh;
  if (place === fresh) fresh.tabIndex = -1;
  place.focus({ preventScroll: true });
}

export async function fetchFrames({ frames, framesId }) {
  if (framesId) return JSON.parse(document.getElementById(framesId).textContent);
  const answer = await fetch(frames, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw Object.assign(new Error(frames), { status: answer.status });
  return answer.json();
}

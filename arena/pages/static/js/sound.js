// Four short, quiet sounds, made here: a card is played, a flag is claimed, it is your turn, the game is over. They are
// off until they are switched on in the menu of a table, which is kept. They have nothing to do with motion.

const STORAGE_KEY = "pennant-sound";
const VOLUME = 0.07;
const ATTACK_S = 0.012;
const AFTER_S = 0.16;
// Of each note: its pitch in Hz, when it begins, and how long it sounds, in seconds.
const NOTES = {
  card: [[196, 0, 0.07]],
  claim: [[392, 0, 0.14], [523, 0.1, 0.22]],
  turn: [[659, 0, 0.16]],
  end: [[392, 0, 0.16], [494, 0.14, 0.16], [587, 0.28, 0.36]],
};

let context = null;
let isOn = false;
try { isOn = localStorage.getItem(STORAGE_KEY) === "on"; } catch { /* Then it lasts as long as the page. */ }

function play(name, delay = 0) {
  context ??= new AudioContext();
  context.resume();
  for (const [pitch, begin, length] of NOTES[name]) {
    const [tone, level, at] = [context.createOscillator(), context.createGain(), context.currentTime + delay + begin];
    tone.type = "triangle";
    tone.frequency.value = pitch;
    level.gain.setValueAtTime(0, at);
    level.gain.linearRampToValueAtTime(VOLUME, at + ATTACK_S);
    level.gain.exponentialRampToValueAtTime(0.0001, at + length);
    tone.connect(level).connect(context.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}

// What of a table can be heard.
export function hearTable(table) {
  return {
    cards: [...table.querySelectorAll(".play-board [data-card]")].map(({ dataset }) => dataset.card).sort().join(),
    claims: table.querySelectorAll(".play-board :is(.owner-0, .owner-1)").length,
    isWaiting: table.classList.contains("waiting"),
    isOver: table.classList.contains("over"),
  };
}

// Sound what has changed at the table: a card or a claim, and after it the turn; the end alone.
export function soundChange(before, now) {
  if (!isOn) return;
  if (now.isOver) return before.isOver || play("end");
  const what = now.claims > before.claims ? "claim" : now.cards !== before.cards ? "card" : "";
  if (what) play(what);
  if (before.isWaiting && !now.isWaiting) play("turn", what ? AFTER_S : 0);
}

export function showSwitch(table) {
  const button = table.querySelector("[data-sound]");
  if (!button) return;
  button.hidden = false;
  button.setAttribute("aria-pressed", String(isOn));
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-sound]");
  if (!button) return;
  isOn = !isOn;
  try { localStorage.setItem(STORAGE_KEY, isOn ? "on" : "off"); } catch { /* It lasts as long as the page. */ }
  showSwitch(button.closest("#play"));
  if (isOn) play("turn");
});

// A simple bot for Battle Line and Battalion, better than random.
//
// The arena writes one JSON object a line to stdin, and the bot answers with one a line on stdout. Output on stderr, by
// console.error, is the bot's private log.

// `messages.d.ts` has a type for each message: editors that know TypeScript check and complete by it.

/** @typedef {import("./messages").BattleLine.Turn} BattleLineTurn */
/** @typedef {import("./messages").Battalion.Turn} BattalionTurn */

const { createInterface } = require("node:readline");

// Approximate values of Battalion's court cards in an attack. Other cards have the value of their number.
const CARD_WORTH_BY_RANK = { A: 11, K: 1, Q: 10, J: 1 };
const HIDDEN_CARD_VALUE = 6.5;

// Numbers that `pennant tune` can find better values for.
const PARAMETERS = require("./params.json");

// The rest of this turn's plan in Battle Line, and the seed of this leg.
const plan = { seed: 1, turn: null, actions: [] };

// Begin a leg.
function start(hello) {
  Object.assign(plan, { seed: hello.seed ?? 1, turn: null, actions: [] });
}

/**
 * Return the chosen action. All actions in `legal` are allowed.
 * @param {BattleLineTurn | BattalionTurn} message
 */
function choose(message) {
  const decision = message.view.decision;
  if (decision === "play" || decision === "finish") return chooseInBattleLine(/** @type {BattleLineTurn} */ (message));
  if (decision === "turn") return chooseInBattalion(/** @type {BattalionTurn} */ (message));
  return pick(message.legal, message);
}

// Return one of these actions: by chance, but the same whenever this request comes in this leg.
function pick(actions, message) {
  return actions[(plan.seed + message.n) % actions.length];
}

// Return the actions with the highest rating.
function findBest(actions, rate) {
  const highest = Math.max(...actions.map(rate));
  return actions.filter((action) => rate(action) === highest);
}

/**
 * Follow the plan of this turn. A turn is several decisions: claims, a card, more claims, and a draw.
 * @param {BattleLineTurn} message
 */
function chooseInBattleLine(message) {
  const { legal, view } = message;
  if (plan.turn !== view.turn) Object.assign(plan, { turn: view.turn, actions: makePlan(message) });
  // What isn't possible when its time comes is left out.
  const next = plan.actions.findIndex((action) => legal.includes(action));
  return next < 0 ? pick(legal, message) : plan.actions.splice(0, next + 1).at(-1);
}

/**
 * Return the actions of a whole turn: claim what can be claimed, play the card that fits best, claim, and draw.
 * @param {BattleLineTurn} message
 */
function makePlan(message) {
  const { legal, view, seat } = message;
  const actions = legal.filter((action) => action.startsWith("claim "));
  const plays = legal.filter(isTroop);
  if (plays.length) actions.push(pick(findBest(plays, (action) => rateFit(action, view, seat)), message));
  for (const { flag, owner } of view.flags) if (owner === null) actions.push(`claim ${flag}`);
  return [...actions, "draw troop"];
}

// Return whether the action plays a troop: a letter for the colour, then the number, as in `play R7 3`.
function isTroop(action) {
  return /^play [A-Z][0-9]+ /.test(action);
}

// Return how well a troop fits to our cards at its flag, by colour and by number.
function rateFit(action, view, seat) {
  const [, card, flag] = action.split(" ");
  let points = Number(card.slice(1)) / 10;
  for (const other of view.flags[flag - 1].cards[seat]) {
    if (other[0] === card[0]) points += PARAMETERS.same_colour;
    if (other.slice(1) === card.slice(1)) points += PARAMETERS.same_number;
  }
  return points;
}

/**
 * Pick up the wounded, make the best attack, or else reinforce, modify or pass.
 * @param {BattalionTurn} message
 */
function chooseInBattalion(message) {
  const { legal, view, seat } = message;
  const cards = {};
  for (const player of view.seats) {
    for (const { cell, card } of player.rows.flat()) cards[`${player.seat}:${cell}`] = card;
    cards[`${player.seat}:g`] = player.guard?.card;
  }
  const gain = (action) => {
    const [, start, target] = action.split(" ");
    return strength(cards[`${seat}:${start}`]) - strength(cards[target]);
  };
  const attacks = legal.filter((action) => action.startsWith("attack ") && gain(action) > 0);
  if (attacks.length && !legal.includes("pickup")) return pick(findBest(attacks, gain), message);
  for (const prefix of ["pickup", "reinforce ", "modify", "pass"]) {
    const matching = legal.filter((action) => action.startsWith(prefix));
    if (matching.length) return pick(matching, message);
  }
  return pick(legal, message);
}

// Return the value of a card: average for a hidden card (?), 0 for an empty cell (null).
function strength(card) {
  if (!card) return 0;
  return card === "?" ? HIDDEN_CARD_VALUE : CARD_WORTH_BY_RANK[card] ?? Number(card);
}

function main() {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      start(message);
      console.log(JSON.stringify({ type: "ready" }));
      console.error("I play", message.game, "on seat", message.seat);
    } else if (message.type === "turn") {
      console.log(JSON.stringify({ action: choose(message) }));
    }
  });
}

module.exports = { start, choose, rateFit, strength };
if (require.main === module) main();

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

/**
 * Return the chosen action. All actions in `legal` are allowed.
 * @param {BattleLineTurn | BattalionTurn} message
 */
function choose(message) {
  const decision = message.view.decision;
  if (decision === "deploy") return chooseRandom(message.legal);
  if (decision === "turn") return chooseInBattalion(/** @type {BattalionTurn} */ (message));
  return chooseInBattleLine(/** @type {BattleLineTurn} */ (message));
}

function chooseRandom(actions) {
  return actions[Math.floor(Math.random() * actions.length)];
}

function chooseBest(actions, rate) {
  return actions.reduce((best, one) => (rate(one) > rate(best) ? one : best));
}

/**
 * Claim a flag if possible, else play the card that fits best to the cards at its flag.
 * @param {BattleLineTurn} message
 */
function chooseInBattleLine({ legal, view, seat }) {
  for (const prefix of ["claim ", "draw troop"]) {
    const matching = legal.find((action) => action.startsWith(prefix));
    if (matching) return matching;
  }
  // A troop is a letter for the colour, then the number.
  const plays = legal.filter((action) => /^play [A-Z][0-9]+ /.test(action));
  return plays.length ? chooseBest(plays, (action) => rateFit(action, view, seat)) : chooseRandom(legal);
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
function chooseInBattalion({ legal, view, seat }) {
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
  if (attacks.length && !legal.includes("pickup")) return chooseBest(attacks, gain);
  for (const prefix of ["pickup", "reinforce ", "modify", "pass"]) {
    const matching = legal.filter((action) => action.startsWith(prefix));
    if (matching.length) return chooseRandom(matching);
  }
  return chooseRandom(legal);
}

// Return the value of a card: average for a hidden card (?), 0 for an empty cell (null).
function strength(card) {
  if (!card) return 0;
  return card === "?" ? HIDDEN_CARD_VALUE : CARD_WORTH_BY_RANK[card] ?? Number(card);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    console.log(JSON.stringify({ type: "ready" }));
    console.error("I play", message.game, "on seat", message.seat);
  } else if (message.type === "turn") {
    console.log(JSON.stringify({ action: choose(message) }));
  }
});

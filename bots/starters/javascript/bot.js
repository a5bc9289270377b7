// A first bot. It plays both games of the arena: better than by chance, and much worse than you can.
//
// The arena writes one JSON object a line to our stdin, and we answer with one a line on stdout. What we print to
// stderr, by console.error, is our private log.

const { createInterface } = require("node:readline");

// What Battalion's court cards are worth in an attack, more or less; the others are worth their number.
const STRENGTH = { A: 11, K: 1, Q: 10, J: 1 };
const UNSEEN = 6.5;

// The action we take. `legal` lists all there are, so whatever we pick from it is no fault.
function choose(message) {
  const decision = message.view.decision;
  if (decision === "deploy") return anyOf(message.legal);
  if (decision === "turn") return chooseInBattalion(message);
  return chooseInBattleLine(message);
}

function anyOf(actions) {
  return actions[Math.floor(Math.random() * actions.length)];
}

function bestOf(actions, points) {
  return actions.reduce((best, one) => (points(one) > points(best) ? one : best));
}

// Claim what we can prove; else play the card that fits best to what already lies at its flag.
function chooseInBattleLine({ legal, view, seat }) {
  for (const wish of ["claim ", "draw troop"]) {
    const wished = legal.find((action) => action.startsWith(wish));
    if (wished) return wished;
  }
  // A troop is a letter for the colour, then the number.
  const plays = legal.filter((action) => /^play [A-Z][0-9]+ /.test(action));
  return plays.length ? bestOf(plays, (action) => fit(action, view, seat)) : anyOf(legal);
}

// How well a troop fits to ours at its flag: by colour, or by number, and the higher the better.
function fit(action, view, seat) {
  const [, card, flag] = action.split(" ");
  let points = Number(card.slice(1)) / 10;
  for (const other of view.flags[flag - 1].cards[seat]) {
    if (other[0] === card[0]) points += 2;
    if (other.slice(1) === card.slice(1)) points += 2;
  }
  return points;
}

// Take up the wounded; attack where that should win by most; else bring in a card, or wait.
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
  if (attacks.length && !legal.includes("pickup")) return bestOf(attacks, gain);
  for (const wish of ["pickup", "reinforce ", "modify", "pass"]) {
    const wished = legal.filter((action) => action.startsWith(wish));
    if (wished.length) return anyOf(wished);
  }
  return anyOf(legal);
}

// A card that we can't see (?) is taken for a middling one; an empty cell (null) falls to anybody.
function strength(card) {
  if (!card) return 0;
  return card === "?" ? UNSEEN : STRENGTH[card] ?? Number(card);
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

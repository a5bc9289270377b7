// Plays any legal action of any game: the smallest bot in JavaScript.

const { createInterface } = require("node:readline");

let seed = 0;

// A number from 0 to below `most` for the leg's seed and the number of the decision: the same question has the same
// answer, which Math.random() can't give.
function draw(n, most) {
  let mixed = (seed % 4294967296 ^ Math.imul(n + 1, 0x9e3779b9)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % most;
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    seed = message.seed;
    console.log(JSON.stringify({ type: "ready" }));
  } else if (message.type === "turn") {
    console.log(JSON.stringify({ action: message.legal[draw(message.n, message.legal.length)] }));
  }
});

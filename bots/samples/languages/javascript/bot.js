// Plays any legal action of any game: the smallest bot in JavaScript.

const { createInterface } = require("node:readline");

function choose(message) {
  return message.legal[Math.floor(Math.random() * message.legal.length)];
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    console.log(JSON.stringify({ type: "ready" }));
  } else if (message.type === "turn") {
    console.log(JSON.stringify({ action: choose(message) }));
  }
});

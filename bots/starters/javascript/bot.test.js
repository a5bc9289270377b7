// Tests of the bot: `node --test` in its folder runs them.

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");

const bot = require("./bot.js");

// A turn of each game as the arena sends it, and in `answer` what the bot says before you change it.
const MESSAGES = readFileSync(join(__dirname, "turns.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));

test("a whole turn", () => {
  for (const message of MESSAGES) {
    if (message.type === "hello") {
      bot.start(message);
      continue;
    }
    const answer = bot.choose(message);
    assert.ok(message.legal.includes(answer), `${answer} is illegal`);
    assert.equal(answer, message.answer);
  }
});

test("cards that go together fit", () => {
  const { view, seat } = MESSAGES.find((message) => message.type === "turn");
  const [colour, number, other] = ["B10", "Y3", "R1"].map((card) => bot.rateFit(`play ${card} 4`, view, seat));
  assert.ok(colour > number && number > other);
});

test("the strength of cards", () => {
  assert.deepEqual(["A", "J", "10", "?", null].map(bot.strength), [11, 1, 10, 6.5, 0]);
});

// Tests of the bot: `node --test` in its folder runs them.

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");

const bot = require("./bot.js");
const PARAMETERS = require("./params.json");

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
  assert.equal(bot.rateFit("play B10 4", view, seat), 1 + 2 * PARAMETERS.same_colour);
  assert.equal(bot.rateFit("play Y3 4", view, seat), 0.3 + PARAMETERS.same_number);
});

test("the strength of cards", () => {
  assert.deepEqual(["A", "J", "10", "?", null].map(bot.strength), [11, 1, 10, 6.5, 0]);
});

// What the hostile bots in JavaScript share: they play along, try something at their first turn, and tell what came
// of it.
const lines = require("readline").createInterface({ input: process.stdin });

exports.say = (note) => {
    const shown = note.replace(/[^ !#-[\]-~]/g, "?").slice(0, 190);
    process.stdout.write(JSON.stringify({ action: "say 1", note: shown }) + "\n");
};

// An attack returns, or promises, what it got, or throws where it is refused.
exports.run = (attack) => {
    let aim;
    let note;
    lines.on("line", async (line) => {
        const message = JSON.parse(line);
        if (message.type === "hello") {
            aim = { ...message.options.aim, seat: message.seat, ...message.limits };
            process.stdout.write('{"type":"ready"}\n');
        } else if (message.type === "turn") {
            note ??= await outcome(() => attack(aim));
            exports.say(note);
        } else {
            process.exit(0);
        }
    });
};

const outcome = async (attack) => {
    try {
        const got = await attack();
        return got ? `LEAK ${got}` : "nothing";
    } catch (error) {
        return `refused: ${error.code ?? error.message}`;
    }
};

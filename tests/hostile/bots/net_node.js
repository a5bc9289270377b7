// attack: connects to this machine with what Node brings: TCP, HTTP, datagrams, names
// expect: ok or crash
// see: nothing reached the tcp or the udp socket
// bare: leaks
const settled = (start) =>
    new Promise((resolve) => {
        const end = (said) => resolve(said);
        setTimeout(() => end(""), 150).unref();
        start(end);
    });

require("./trick.js").run(async (aim) => {
    const got = [
        await settled((end) => {
            const socket = require("net").connect(aim.port, "127.0.0.1", () => end("a connection"));
            socket.on("error", () => end(""));
        }),
        await settled((end) => {
            const socket = require("dgram").createSocket("udp4");
            socket.on("error", () => end(""));
            socket.send("secrets", aim.udp, "127.0.0.1", (error) => end(error ? "" : "a datagram"));
        }),
    ];
    return got.filter(Boolean).join(", ");
});

// A page with a polled part: announce each change once, as the part itself is no live region, and show when the server
// doesn't answer.

const SERVER_TIMEOUT_MS = 20000;
const spoken = document.querySelector("#spoken");
const silence = document.querySelector("#silence");
let lastAnswerAt = Date.now();

document.body.addEventListener("htmx:afterRequest", (event) => {
  const { status } = event.detail.xhr;
  if (status === 304 || event.detail.successful) lastAnswerAt = Date.now();
});

document.body.addEventListener("htmx:afterSwap", () => {
  const text = document.querySelector("[data-spoken]")?.textContent.replace(/\s+/g, " ").trim() ?? "";
  if (text !== spoken.textContent) spoken.textContent = text;
});

setInterval(() => {
  const isPolled = document.querySelector("[data-hx-get][data-hx-trigger]") !== null;
  silence.hidden = !isPolled || Date.now() - lastAnswerAt < SERVER_TIMEOUT_MS;
}, 1000);

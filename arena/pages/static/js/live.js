// Announce each change of a polled page once. The polled part itself is no live region.

const spoken = document.querySelector("#spoken");

document.body.addEventListener("htmx:afterSwap", () => {
  const text = document.querySelector("[data-spoken]")?.textContent.replace(/\s+/g, " ").trim() ?? "";
  if (text !== spoken.textContent) spoken.textContent = text;
});

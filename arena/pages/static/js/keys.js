// Buttons that ask for a passkey or security key: usable once allauth's script listens to them, and a sentence on the
// page where a key could not be used, which allauth's script would tell only the console.

document.addEventListener("DOMContentLoaded", () => {
  // allauth's script, which was loaded before this one, listens to its buttons by now.
  for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
});

const sentence = document.getElementById("key_error");
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  sentence.hidden = false;
});
document.addEventListener("click", (event) => {
  if (event.target.closest("button")) sentence.hidden = true;
});

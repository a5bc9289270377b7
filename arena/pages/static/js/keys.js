// Say on the page that a passkey or security key could not be used; allauth's own script would tell only the console.

const sentence = document.getElementById("key_error");
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  sentence.hidden = false;
});
document.addEventListener("click", (event) => {
  if (event.target.closest("button")) sentence.hidden = true;
});

// Show the buttons that copy the program text beside them, where the browser allows it.

const SHOWN_MS = 1500;

for (const button of document.querySelectorAll(".copyable button")) {
  const text = button.previousElementSibling;
  const label = [...button.childNodes];
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = button.dataset.done;
    } catch {
      // The text is selected, so that it can be copied by hand; what isn't shown can't be.
      getSelection().selectAllChildren(text);
      if (button.dataset.refused) button.textContent = button.dataset.refused;
    }
    setTimeout(() => button.replaceChildren(...label), SHOWN_MS);
  });
}

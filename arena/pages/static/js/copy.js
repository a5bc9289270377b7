// Show the buttons that copy the program text beside them, where the browser allows it.

const SHOWN_MS = 1500;

for (const button of document.querySelectorAll(".copyable button")) {
  const text = button.previousElementSibling;
  const label = button.textContent;
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, SHOWN_MS);
  });
}

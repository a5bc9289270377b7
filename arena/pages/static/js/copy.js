// Buttons that copy the program text beside them. Without script, or where the browser forbids it, there are none.

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

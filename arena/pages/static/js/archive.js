// The theme of pages on disk, kept by the browser where it lets such pages keep anything.

const THEME_STORAGE_KEY = "pennant-theme";
const themes = document.querySelector("[data-themes]");

function readTheme() {
  try { return localStorage.getItem(THEME_STORAGE_KEY) ?? "system"; } catch { return "system"; }
}

function showTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const button of themes.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
  }
}

themes.hidden = false;
showTheme(readTheme());
themes.addEventListener("click", (event) => {
  const theme = event.target.closest("button")?.dataset.themeChoice;
  if (!theme) return;
  showTheme(theme);
  try { localStorage.setItem(THEME_STORAGE_KEY, theme); } catch { /* The choice lasts as long as the page. */ }
});

// Show deadlines in the browser's time zone, with its name; the arena's stays as the title. Where the reader chose a zone
// in the settings, the page has them in it already.

function showLocal() {
  if (document.documentElement.dataset.timeZone) return;
  const form = { dateStyle: "medium", timeStyle: "short" };
  const zone = { hour: "numeric", timeZoneName: "short" };
  for (const one of document.querySelectorAll("time.local:not([title])")) {
    const at = new Date(one.dateTime);
    const { lang } = document.documentElement;
    const name = new Intl.DateTimeFormat(lang, zone).formatToParts(at).find(({ type }) => type === "timeZoneName");
    one.title = one.textContent;
    one.textContent = `${new Intl.DateTimeFormat(lang, form).format(at)} ${name.value}`;
  }
}

showLocal();
document.body.addEventListener("htmx:afterSwap", showLocal);

// Write moments in the reader's time zone: the server knows its own alone, and names it.

const options = { year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" };
const format = new Intl.DateTimeFormat(document.documentElement.lang, options);

function showLocalTimes() {
  for (const time of document.querySelectorAll("time[data-local]")) {
    const text = format.format(new Date(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
}

document.body.addEventListener("htmx:afterSwap", showLocalTimes);
showLocalTimes();

// Times of the studies' admin pages in the reader's own time zone and language.

const format = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

function localise(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    element.textContent = format.format(date);
    element.title = date.toLocaleString();
  }
}

document.addEventListener("DOMContentLoaded", () => localise(document));
document.addEventListener("htmx:afterSwap", () => localise(document));

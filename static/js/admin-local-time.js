// Times of the studies' admin pages in the reader's own time zone and language; the year where it is
// not this one.

const shown = {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
};
const format = new Intl.DateTimeFormat(undefined, shown);
const withYear = new Intl.DateTimeFormat(undefined, { ...shown, year: "numeric" });

function localise(root) {
  const thisYear = new Date().getFullYear();
  for (const element of root.querySelectorAll("time[datetime]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const words = date.getFullYear() === thisYear ? format : withYear;
    element.textContent = words.format(date);
    element.title = date.toLocaleString();
  }
}

document.addEventListener("DOMContentLoaded", () => localise(document));
document.addEventListener("htmx:afterSwap", () => localise(document));

// Show times as the reader's own: <time datetime="..." data-local>. Without it they read in UTC.
const language = document.documentElement.lang || undefined;

for (const element of document.querySelectorAll("time[data-local]")) {
  const at = new Date(element.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  const now = new Date();
  const options = { hour: "numeric", minute: "2-digit" };
  if (at.toDateString() !== now.toDateString()) {
    Object.assign(options, { weekday: "short", day: "numeric", month: "short" });
    if (at.getFullYear() !== now.getFullYear()) options.year = "numeric";
  }
  element.title = element.textContent.trim();
  const day = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(0, "day");
  // "3:48" and its "PM" stay on one line.
  const words = new Intl.DateTimeFormat(language, options)
    .format(at)
    .replace(/(?<=\d)\s(?=\S+$)/u, "\u00a0");
  element.textContent = at.toDateString() === now.toDateString() ? `${day}, ${words}` : words;
}

// Times in the reader's own time zone and language.

export function clockTime(iso) {
  return new Date(iso).toLocaleTimeString(document.documentElement.lang || undefined, {
    hour: "2-digit",
    minute: "2-digit",
  });
}

export function localiseTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-clock]")) {
    element.textContent = clockTime(element.dateTime);
  }
}

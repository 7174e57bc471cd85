// Times in the reader's own time zone.

export function clockTime(iso) {
  return new Date(iso).toLocaleTimeString(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

export function localiseTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-clock]")) {
    element.textContent = clockTime(element.dateTime);
  }
}

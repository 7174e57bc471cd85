// Times in the reader's own time zone and notation.

export function clockTime(iso) {
  return new Date(iso).toLocaleTimeString(undefined, {
    hour: "numeric",
    minute: "2-digit",
  });
}

export function localiseTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-clock]")) {
    element.textContent = clockTime(element.dateTime);
  }
}

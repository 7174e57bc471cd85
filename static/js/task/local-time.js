// Times in the reader's own time zone and notation, never broken over two lines.

export function clockTime(iso) {
  const time = new Date(iso).toLocaleTimeString(undefined, {
    hour: "numeric",
    minute: "2-digit",
  });
  return time.replaceAll(" ", "\u00a0");
}

export function localiseTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-clock]")) {
    element.textContent = clockTime(element.dateTime);
  }
}

// Count down to data-deadline, by the server's clock (data-now is when it wrote the page).
// Words: data-left ("{time} left") and data-over. Tells "fabula:left" with the seconds left.
const timers = [...document.querySelectorAll("[data-deadline]")].map((element) => ({
  element,
  deadline: Date.parse(element.dataset.deadline),
  ahead: Date.parse(element.dataset.now) - Date.now(),
  left: Infinity,
}));

function words(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function show(timer) {
  const left = Math.max(0, Math.ceil((timer.deadline - Date.now() - timer.ahead) / 1000));
  if (left === timer.left) return;
  const { element } = timer;
  timer.left = left;
  element.textContent = left
    ? element.dataset.left.replace("{time}", words(left))
    : element.dataset.over;
  element.classList.toggle("is-short", left <= 300 && left > 60);
  element.classList.toggle("is-ending", left <= 60);
  element.dispatchEvent(new CustomEvent("fabula:left", { detail: left, bubbles: true }));
}

function tick() {
  for (const timer of timers) show(timer);
}

// After the other modules of the page have begun to listen.
setTimeout(tick);
setInterval(tick, 250);

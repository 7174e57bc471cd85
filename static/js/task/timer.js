// The time left. The server's clock counts: its difference to this machine's is taken at the start.
// Where the worker site around the frame counts too (frame.js), it is the one to warn.

const WARN_AT_SECONDS = [300, 60];

export function remainingText(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(left / 3600);
  const minutes = Math.floor((left % 3600) / 60);
  const clock = `${hours ? two(minutes) : minutes}:${two(left % 60)}`;
  return hours ? `${hours}:${clock}` : clock;
}

const isShownAround = () => document.body.dataset.strip?.includes("time") ?? false;

export function startTimer(element, announcer, notice) {
  const ahead = Date.parse(element.dataset.now) - Date.now();
  const deadline = Date.parse(element.dataset.deadline);
  let before = Infinity;
  const tick = () => {
    const left = (deadline - Date.now() - ahead) / 1000;
    element.textContent =
      left > 0
        ? element.dataset.left.replace("{time}", remainingText(left))
        : element.dataset.over;
    element.dataset.urgency = left <= 60 ? "high" : left <= 300 ? "some" : "none";
    const warning = WARN_AT_SECONDS.find((seconds) => before > seconds && left <= seconds);
    if (warning && left > 0 && before !== Infinity && !isShownAround()) {
      announcer.textContent = element.dataset[`warn${warning}`];
    }
    before = left;
    if (left > 0) return;
    clearInterval(timer);
    notice.hidden = false;
  };
  const timer = setInterval(tick, 1000);
  tick();
  return function stop() {
    clearInterval(timer);
    element.hidden = true;
    notice.hidden = true;
  };
}

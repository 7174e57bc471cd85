// The keys that the page shows: each element with data-key answers to its own.

const PLAIN = /^[a-z0-9]$/i;

/** Whichever of the step's reasons are open, else the choice between grades and steps. */
const layer = () =>
  document.querySelector("[data-reasons]:not([hidden])") ??
  document.querySelector("[data-choice]:not([hidden])");

export function openReasons(step) {
  for (const reasons of document.querySelectorAll("[data-reasons]")) {
    reasons.hidden = reasons.dataset.reasons !== step;
  }
  document.querySelector("[data-choice]").hidden = step !== "";
  (layer().matches("[data-reasons]") ? layer() : document.querySelector("main")).focus({
    preventScroll: true,
  });
  if (step) layer().scrollIntoView({ block: "nearest" });
}

export function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
  const writing = event.target.matches("input:not([type=hidden]), textarea");
  if (writing && event.key !== "Escape") return;
  if (answer(nameOf(event))) event.preventDefault();
}

// Where a key gives no Latin letter or digit, what stands at its place on other keyboards counts.
function nameOf(event) {
  if (PLAIN.test(event.key)) return event.key.toUpperCase();
  if (["?", "Escape"].includes(event.key)) return event.key;
  return event.code.replace(/^(Key|Digit|Numpad)/, "");
}

function answer(name) {
  const guide = document.querySelector(".review-guide");
  if (name === "?" || (name === "Escape" && guide?.open)) {
    guide?.toggleAttribute("open");
    return true;
  }
  const target = layer()?.querySelector(`[data-key="${CSS.escape(name)}"]`);
  if (!target) return false;
  if (target.matches("input")) target.focus();
  else target.click();
  return true;
}

// Boxes that grow with their text, and Enter, which goes on to the next box instead of breaking a
// line (every box here holds one sentence) or submitting from a tick.

const TICKED = new Set(["checkbox", "radio"]);
const GROWS_BY_ITSELF = CSS.supports("field-sizing", "content");

function grow(box) {
  box.style.blockSize = "auto";
  box.style.blockSize = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
}

function goOn(form, box) {
  const controls = [...form.elements].filter((control) => !control.closest("[hidden]"));
  const ofStep = (number) => controls.filter(({ dataset }) => Number(dataset.step) === number);
  const step = Number(box.dataset.step);
  const here = ofStep(step);
  const after = TICKED.has(box.type) ? [] : here.slice(here.indexOf(box) + 1);
  const later = controls.map(({ dataset }) => Number(dataset.step)).filter((n) => n > step);
  const next = ofStep(Math.min(...later));
  const target = after[0] ?? next.find((control) => control.checked) ?? next[0];
  if (target?.type === "checkbox") form.dispatchEvent(new Event("task:story"));
  (target ?? form.querySelector("button[type=submit]")).focus();
}

export function wireWriting(form) {
  const boxes = [...form.querySelectorAll("textarea[data-draft]")];
  if (!GROWS_BY_ITSELF) {
    for (const box of boxes) {
      box.addEventListener("input", () => grow(box));
      new ResizeObserver(() => grow(box)).observe(box.parentElement);
    }
  }
  form.addEventListener("keydown", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
    if (event.key !== "Enter" || !plain || !event.target.matches("[data-draft]")) return;
    event.preventDefault();
    if (!event.shiftKey) goOn(form, event.target);
  });
}

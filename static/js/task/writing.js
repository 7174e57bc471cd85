// Boxes that grow with their text, and Enter, which goes on to the next box instead of breaking
// a line: every box here holds one sentence.

const GROWS_BY_ITSELF = CSS.supports("field-sizing", "content");

function grow(box) {
  box.style.blockSize = "auto";
  box.style.blockSize = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
}

function nextField(form, box) {
  const fields = [...form.querySelectorAll("textarea[data-draft], button[type=submit]")];
  return fields.slice(fields.indexOf(box) + 1).find((field) => field.checkVisibility());
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
    if (event.key !== "Enter" || !plain || !event.target.matches("textarea[data-draft]")) return;
    event.preventDefault();
    if (!event.shiftKey) nextField(form, event.target)?.focus();
  });
}

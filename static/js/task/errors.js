// Errors beside their fields and in the summary above the form.

const holderOf = (name) => document.getElementById(`error-${name}`);

function controlsOf(form, name) {
  const found = form.elements.namedItem(name);
  if (!found) return [];
  return found instanceof RadioNodeList ? [...found] : [found];
}

export function showError(form, name, message) {
  const holder = holderOf(name);
  if (!holder) return;
  if (holder.textContent !== message) holder.textContent = message;
  holder.hidden = message === "";
  for (const control of controlsOf(form, name)) {
    if (message) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }
  if (!message) strikeFromSummary(name);
}

/** The summary names only what is still to be mended. */
function strikeFromSummary(name) {
  const summary = document.getElementById("error-summary");
  for (const item of summary.querySelectorAll("li")) {
    if (item.dataset.field === name) item.remove();
  }
  if (!summary.querySelector("li")) summary.hidden = true;
}

export function hasError(name) {
  return holderOf(name)?.hidden === false;
}

/** Fills the summary with links to the fields and moves the focus to it. */
export function showSummary(summary, errors) {
  const list = summary.querySelector("ul");
  list.replaceChildren(
    ...errors.map(({ field, target, message }) => {
      const item = document.createElement("li");
      item.dataset.field = field;
      const link = document.createElement("a");
      link.href = `#${target}`;
      link.textContent = message;
      item.append(link);
      return item;
    }),
  );
  summary.hidden = errors.length === 0;
  if (errors.length) summary.focus();
}

/** A link of the summary puts the focus into its field, also when the field is in a sheet. */
export function wireSummary(summary) {
  summary.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    const target = document.getElementById(link.hash.slice(1));
    if (!target) return;
    event.preventDefault();
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  });
}

// The state annotation page: ticks, boxes and checks, on top of js/task/main.js.

import { hasError, showError } from "../task/errors.js";
import { fillIn, findErrors } from "./checks.js";
import { wireLeft } from "./left.js";
import { wireRevision } from "./revision.js";
import { wireTicks } from "./ticks.js";

const form = document.getElementById("task-form");
const messages = JSON.parse(document.getElementById("state-annotation-messages").textContent);
const boxes = [...form.querySelectorAll("textarea[data-original]")];
// Shown while typing, and on leaving an edited field; the rest waits for the submit.
const AT_ONCE = new Set(["too_long"]);
const AFTER_A_CHANGE = new Set(["too_long", "changed_same", "sentence_empty"]);
const TARGETS = { revision: "step-4" };

function currentErrors() {
  const { elements } = form;
  const values = {
    assertion: elements.assertion.value,
    justification: [...form.querySelectorAll("[name=justification]:checked")].map((b) => b.value),
    changed_assertion: elements.changed_assertion.value,
    originals: boxes.map((box) => box.dataset.original),
    revision: boxes.map((box) => box.value),
  };
  return findErrors(values, messages.limit).map((error) => ({
    ...error,
    target: TARGETS[error.field] ?? `id_${error.field}`,
    message: fillIn(messages[error.code], error),
  }));
}

// An edit in `field` can settle the error of `name`.
const settles = (field, name) =>
  field === name ||
  (field === "assertion" && name === "changed_assertion") ||
  (field.startsWith("revision_") && name === "revision");

/** Takes back errors that an edit in `field` has settled, and shows its own that need not wait. */
function review(field, shownNow) {
  const errors = currentErrors();
  const names = ["assertion", "justification", "changed_assertion", "revision"];
  for (const name of [...names, ...boxes.map((box) => box.name)]) {
    const error = errors.find((found) => found.field === name);
    if (error && (hasError(name) || (name === field && shownNow.has(error.code)))) {
      showError(form, name, error.message);
    } else if (!error && settles(field, name)) {
      showError(form, name, "");
    }
  }
}

form.addEventListener("task:check", ({ detail }) => detail.errors.push(...currentErrors()));
form.addEventListener("input", ({ target }) => review(target.name, AT_ONCE));
form.addEventListener("change", ({ target }) => review(target.name, AFTER_A_CHANGE));

wireTicks(form);
wireRevision(form);
wireLeft(form, messages.limit);

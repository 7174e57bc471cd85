// The task was returned in another tab: its text stays to be read and copied, and nothing goes on.
// The worker site around the frame is told, which has the way back to the list.

function freeze(control) {
  if (control.matches("textarea, input:not([type=checkbox], [type=radio])")) {
    control.readOnly = true;
  } else if (control.matches("input, button")) {
    control.disabled = true;
  }
}

function tellAround() {
  const { submitOrigin } = document.body.dataset;
  if (window.parent === window || !submitOrigin) return;
  window.parent.postMessage({ type: "fabula:returned" }, submitOrigin);
}

export function endWhenReturned({ form, draft, button, status, stopTimer }) {
  draft.addEventListener("state", ({ detail }) => {
    if (!detail.returned || "returned" in form.dataset) return;
    form.dataset.returned = "";
    for (const control of form.elements) freeze(control);
    stopTimer();
    button.setAttribute("aria-describedby", status.id);
    status.textContent = status.dataset.returned;
    status.hidden = false;
    tellAround();
  });
}

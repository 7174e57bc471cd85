// Submits once: checks first, then saves the draft (which shows whether the server can be reached, so
// that no error page of the browser replaces the text), then lets the browser post the form. A draft
// that the server refuses goes on all the same: its answer to the form says why.

import { showError, showSummary } from "./errors.js";

export function wireSubmit({ form, draft, summary, button, status }) {
  const label = button.textContent;
  // The fragment shows the remarks where no script moves the focus to them; here it would take it.
  form.action = form.action.split("#")[0];
  let sending = false;

  const setSending = (on) => {
    sending = on;
    button.setAttribute("aria-disabled", String(on));
    button.textContent = on ? button.dataset.sending : label;
  };

  const findErrors = () => {
    const check = new CustomEvent("task:check", { detail: { errors: [] } });
    form.dispatchEvent(check);
    return check.detail.errors;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending || button.disabled) return;
    status.hidden = true;
    const errors = findErrors();
    for (const { field, message } of errors) showError(form, field, message);
    form.dispatchEvent(new Event("task:checked"));
    showSummary(summary, errors);
    if (errors.length) return;
    setSending(true);
    const outcome = await draft.flush();
    if (outcome === "saved" || outcome === "refused") {
      draft.stop();
      form.submit();
      return;
    }
    setSending(false);
    status.textContent = status.dataset[outcome];
    status.hidden = false;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    form.requestSubmit();
  });

  // The back button may bring the page back as it was left.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    setSending(false);
    draft.resume();
  });
}

// Shows the draft's state in the header; all words come from the element's data attributes.

export function showSavedState(draft, element, notice) {
  let problem = false;
  draft.addEventListener("state", ({ detail }) => {
    const { state } = detail;
    if (state === "waiting") return;
    if (state === "saving" && problem) return; // keep the problem in sight while we try again
    problem = state === "failed" || state === "refused";
    element.dataset.state = state;
    element.textContent = words(element, detail);
    const lasting = state === "refused";
    notice.hidden = !lasting;
    if (lasting) notice.querySelector("[data-message]").textContent = words(element, detail);
  });
}

function words(element, { state, time, reason, message }) {
  if (state === "saving") return element.dataset.saving;
  if (state === "saved") return element.dataset.saved.replace("{time}", time);
  if (state === "refused") return message || element.dataset.trouble;
  return reason === "offline" ? element.dataset.offline : element.dataset.trouble;
}

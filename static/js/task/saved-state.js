// Shows the draft's state in the header; all words come from the element's data attributes. Only a
// problem, and its end, are announced to screen readers: "Saved" every few seconds would be noise.

export function showSavedState(draft, element, announcer) {
  let problem = false;
  draft.addEventListener("state", ({ detail }) => {
    const { state } = detail;
    const underWay = state === "waiting" || state === "saving";
    if (underWay && problem) return; // keep the problem in sight while we try again
    const before = problem;
    problem = state === "failed" || state === "refused";
    const text = words(element, detail);
    // The same words once more would be read once more, with each try.
    if ((problem || before) && announcer.textContent !== text) announcer.textContent = text;
    element.dataset.state = underWay ? "saving" : state;
    if (element.textContent !== text) element.textContent = text;
  });
}

/** Says for good that another page of this task saves too, once a save has replaced its text. */
export function showOtherTab(draft, element) {
  draft.addEventListener("state", ({ detail }) => {
    if (detail.overAnother) element.textContent = element.dataset.words;
  });
}

function words(element, { state, time, reason, message }) {
  if (state === "waiting" || state === "saving") return element.dataset.saving;
  if (state === "saved") return element.dataset.saved.replace("{time}", time);
  return message ?? element.dataset[reason ?? "trouble"];
}

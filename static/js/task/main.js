// Puts the behaviours of a task page together. The task type's own module listens to the form's
// events: "task:check" collects errors, "task:story" asks for the story on narrow pages.

import { Draft } from "./draft.js";
import { wireSummary } from "./errors.js";
import { Evidence } from "./evidence.js";
import { wireInstructions } from "./instructions.js";
import { localiseTimes } from "./local-time.js";
import { endWhenReturned } from "./returned.js";
import { showOtherTab, showSavedState } from "./saved-state.js";
import { Steps } from "./steps.js";
import { wireStoryBar } from "./story-bar.js";
import { wireSubmit } from "./submit.js";
import { startTimer } from "./timer.js";
import { keepUnsavedCopy } from "./unsaved-copy.js";
import { wireWriting } from "./writing.js";

const byId = (id) => document.getElementById(id);
const form = byId("task-form");
const preview = "preview" in form.dataset;

localiseTimes();
const storyBar = wireStoryBar(byId("story-link"));
form.addEventListener("task:story", () => storyBar.open());
const summary = byId("error-summary");
wireSummary(summary);

if (preview) {
  wireInstructions(byId("instructions"), byId("instructions-link"), { firstVisit: false });
} else {
  const draft = new Draft(form);
  showSavedState(draft, byId("saved-state"), byId("announcer"));
  showOtherTab(draft, byId("other-tab"));
  keepUnsavedCopy(draft, form, byId("unsaved-copy"));
  new Steps(form, byId("step-counter"));
  if ("recordsProcess" in form.dataset) {
    const evidence = new Evidence(form);
    draft.companion = () => ({ evidence: evidence.totals() });
  }
  wireWriting(form);
  wireSubmit({
    form,
    draft,
    summary,
    button: byId("submit-button"),
    status: byId("submit-problem"),
  });
  wireInstructions(byId("instructions"), byId("instructions-link"), {
    firstVisit: "firstVisit" in form.dataset,
    onFirstClose: () => draft.touch({ instructions_seen: true }),
  });
  const timer = byId("timer");
  const stopTimer = timer ? startTimer(timer, byId("announcer"), byId("time-over")) : () => {};
  endWhenReturned({
    form,
    draft,
    button: byId("submit-button"),
    status: byId("submit-problem"),
    stopTimer,
  });
  const shown = summary.hidden ? byId("caution-summary") : summary;
  shown?.focus();
}
document.documentElement.dataset.taskReady = "";

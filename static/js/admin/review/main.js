import { isBusy, leave, lookAhead, resume, send, takeUnsent, undoOnceSaved } from "./deck.js";
import { onKey, openReasons } from "./keys.js";

document.addEventListener("keydown", onKey);

document.addEventListener("click", (event) => {
  if (isBusy() && event.target.closest(".review-dock a")) return event.preventDefault();
  const link = event.target.closest("a[data-step], a[data-back]");
  if (!link) return;
  event.preventDefault();
  openReasons(link.dataset.step ?? "");
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (isBusy()) {
    event.preventDefault();
    if (form.matches("[data-undo]")) undoOnceSaved();
  } else if (form.matches("[data-verdict]")) {
    event.preventDefault();
    send(form, event.submitter);
  } else {
    leave();
  }
});

addEventListener("pageshow", (event) => event.persisted && resume());

if (document.querySelector("#review")) lookAhead();
if (document.querySelector("#review [data-verdict]")) {
  const { step, remark } = takeUnsent() ?? {};
  const written = remark && document.querySelector(`#review-remark-${CSS.escape(step)}`);
  if (written) {
    openReasons(step);
    written.value = remark;
    written.focus();
  }
}

import { lookAhead, send } from "./deck.js";
import { onKey, openReasons } from "./keys.js";

document.addEventListener("keydown", onKey);

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step], a[data-back]");
  if (!link) return;
  event.preventDefault();
  openReasons(link.dataset.step ?? "");
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-verdict]")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});

if (document.querySelector("#review")) lookAhead();

// Characters left, shown near the limit.

import { characters } from "./checks.js";

const SHOWN_FROM = 60;

export function wireLeft(form, limit) {
  for (const element of form.querySelectorAll("[data-left]")) {
    const field = form.elements.namedItem(element.id.replace("left-", ""));
    const show = () => {
      const left = limit - characters(field.value);
      element.hidden = left > SHOWN_FROM || left < 0;
      element.textContent = left < 0 ? "" : element.dataset.left.replace("{count}", left);
    };
    field.addEventListener("input", show);
    show();
  }
}

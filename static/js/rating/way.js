// Where a page has several texts: what was answered about each, one click away.

import { isAnswered, wordsOf } from "./questions.js";

export function wireWay(form, questions) {
  const links = [...form.querySelectorAll("[data-way-to]")];
  const ofItem = (number) =>
    questions.filter((one) => !one.hidden && one.closest("[data-item]").dataset.item === number);

  const show = () => {
    for (const link of links) {
      const asked = ofItem(link.dataset.wayTo);
      const answers = asked.filter(isAnswered).map(wordsOf).join(" · ");
      const place = link.querySelector("[data-answers]");
      if (place.textContent !== answers) place.textContent = answers;
      link.toggleAttribute("data-done", asked.every(isAnswered));
    }
  };
  form.addEventListener("input", show);
  form.addEventListener("focusin", ({ target }) => {
    const here = target.closest("[data-item]")?.dataset.item;
    for (const link of here ? links : []) {
      if (link.dataset.wayTo === here) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  });
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const asked = ofItem(link.dataset.wayTo);
      const question = asked.find((one) => !isAnswered(one)) ?? asked[0];
      question.focus({ preventScroll: true });
      question.closest("[data-item]").scrollIntoView({ block: "start" });
    });
  }
  show();
}

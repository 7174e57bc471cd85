// The rating page: keys, questions that depend on others, checks, on top of js/task/main.js.

import { hasError, showError } from "../task/errors.js";
import { wireKeys } from "./keys.js";
import { answerOf, isAnswered } from "./questions.js";
import { wireWay } from "./way.js";

const form = document.getElementById("task-form");
const questions = [...form.querySelectorAll("[data-field]")];

/** Shows the questions that what was answered so far leads to; a preview shows all. */
function ask() {
  for (const question of "preview" in form.dataset ? [] : questions) {
    const { askedIf, askedCodes } = question.dataset;
    if (!askedIf) continue;
    const earlier = questions.find(({ dataset }) => dataset.field === askedIf);
    const answer = earlier.hidden ? null : answerOf(earlier);
    question.hidden = !JSON.parse(askedCodes).includes(answer);
  }
  for (const question of questions.filter(({ hidden }) => !hidden)) {
    const place = question.querySelector(".rating-number");
    place.hidden = false;
    place.textContent = numberOf(question);
  }
}

/** Its place among the questions of its text that are shown. */
function numberOf(question) {
  const item = question.closest("[data-item]");
  const shown = questions.filter((one) => !one.hidden && one.closest("[data-item]") === item);
  return shown.indexOf(question) + 1;
}

form.addEventListener("input", ({ target }) => {
  ask();
  const question = target.closest("[data-field]");
  if (question && hasError(question.dataset.field) && isAnswered(question)) {
    showError(form, question.dataset.field, "");
  }
});

form.addEventListener("task:check", ({ detail }) => {
  const open = questions.filter((question) => !question.hidden && !isAnswered(question));
  for (const question of open) {
    const { field, unanswered } = question.dataset;
    const message = unanswered.replace("{number}", numberOf(question));
    detail.errors.push({ field, target: question.id, message });
  }
});

ask();
wireKeys(form, questions);
wireWay(form, questions);

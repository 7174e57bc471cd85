// The rating page: keys, questions that depend on others, checks, on top of js/task/main.js.

import { hasError, showError } from "../task/errors.js";
import { wireKeys } from "./keys.js";
import { answerOf, isAnswered } from "./questions.js";
import { wireWay } from "./way.js";

const form = document.getElementById("task-form");
const questions = [...form.querySelectorAll("[data-field]")];

/** Shows the questions that what was answered so far leads to; a preview shows all. */
function ask() {
  if ("preview" in form.dataset) return;
  for (const question of questions) {
    const { askedIf, askedCodes } = question.dataset;
    if (!askedIf) continue;
    const earlier = questions.find(({ dataset }) => dataset.field === askedIf);
    const answer = earlier.hidden ? null : answerOf(earlier);
    question.hidden = !askedCodes.split(" ").includes(answer);
  }
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
  for (const { id, dataset } of open) {
    detail.errors.push({ field: dataset.field, target: id, message: dataset.unanswered });
  }
});

ask();
wireKeys(form, questions);
wireWay(form, questions);

// What a question of the page holds.

export const controlsOf = (question) => [...question.querySelectorAll("[data-draft]")];

export const chosenOf = (question) => question.querySelector("input:checked");

/** The code that was chosen, or what was written; null while there is neither. */
export function answerOf(question) {
  const box = question.querySelector("textarea");
  if (box) return box.value.trim() || null;
  return chosenOf(question)?.value ?? null;
}

export const isAnswered = (question) => answerOf(question) !== null;

/** In words. */
export function wordsOf(question) {
  const chosen = chosenOf(question);
  return chosen ? chosen.labels[0].querySelector("span").textContent : (answerOf(question) ?? "");
}

// A key answers the question in the frame and goes on to the next one that has no answer yet.

import { chosenOf, controlsOf, isAnswered } from "./questions.js";

const isWriting = (element) => element.matches("textarea, select, input:not([type=radio])");

export function wireKeys(form, questions) {
  const shown = () => questions.filter((question) => !question.hidden);
  const current = () => questions.find((question) => "current" in question.dataset);

  const enter = (question, from) => {
    const item = question.closest("[data-item]");
    const control = chosenOf(question) ?? controlsOf(question)[0];
    control.focus({ preventScroll: true });
    // Another item is read from its beginning.
    if (item !== from?.closest("[data-item]")) item.scrollIntoView({ block: "start" });
    else question.scrollIntoView({ block: "nearest" });
  };

  const goOn = (question) => {
    const all = shown();
    const at = all.indexOf(question);
    const open = [...all.slice(at + 1), ...all.slice(0, at)].find((one) => !isAnswered(one));
    if (open) enter(open, question);
    else form.querySelector("button[type=submit]")?.focus();
  };

  const choose = (question, key) => {
    const choices = controlsOf(question).filter(({ type }) => type === "radio");
    const choice = choices.find(({ dataset }) => dataset.keys.toLowerCase().split(" ").includes(key));
    if (!choice) return false;
    choice.checked = true;
    choice.dispatchEvent(new Event("input", { bubbles: true }));
    goOn(question);
    return true;
  };

  const goBack = (question) => {
    const all = shown();
    const before = all[all.indexOf(question) - 1];
    if (before) enter(before, question);
    return Boolean(before);
  };

  const toggleHelp = (question) => {
    const help = question.querySelector("details");
    if (help) help.open = !help.open;
    return Boolean(help);
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isWriting(event.target) || document.querySelector("dialog[open]")) return;
    const question = current();
    if (!question || question.closest("fieldset:disabled")) return;
    const key = event.key.toLowerCase();
    const atSubmit = event.target.matches("button[type=submit]");
    const done =
      key === "backspace"
        ? atSubmit ? !enter(shown().at(-1), question) : goBack(question)
        : key === question.querySelector("summary kbd")?.textContent.toLowerCase()
          ? toggleHelp(question)
          : !event.repeat && !atSubmit && choose(question, key);
    if (done) event.preventDefault();
  });
}

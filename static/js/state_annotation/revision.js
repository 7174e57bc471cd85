// Step 4: under each box the word difference to the original sentence; Reset, which can be undone.

import { wordDiff } from "../task/worddiff.js";
import { isChanged } from "./checks.js";

const TAGS = { insert: "ins", delete: "del" };

function hidden(text) {
  const element = document.createElement("span");
  element.className = "visually-hidden";
  element.dir = "auto"; // so that the direction around it is that of the story's words
  element.textContent = text;
  return element;
}

/** The parts of a word difference as nodes, with words for those who do not see the marks. */
export function differenceNodes(parts, words) {
  return parts.map(({ kind, text }) => {
    if (kind === "same") return document.createTextNode(text);
    const element = document.createElement(TAGS[kind]);
    const word = kind === "insert" ? words.inserted : words.deleted;
    element.append(hidden(`[${word}: `), text, hidden("]"));
    return element;
  });
}

function wireRow(row) {
  const box = row.querySelector("textarea");
  const difference = row.querySelector("[data-difference]");
  const reset = row.querySelector("[data-reset]");
  const label = reset.querySelector("[data-label]");
  const resetWord = label.textContent;
  const { original } = box.dataset;
  let undone = null; // what Reset took away

  const show = () => {
    const changed = isChanged(original, box.value);
    row.toggleAttribute("data-changed", changed);
    difference.hidden = !changed;
    if (changed) {
      const parts = wordDiff(original, box.value);
      difference.replaceChildren(...differenceNodes(parts, difference.dataset));
    }
    reset.hidden = !changed && undone === null;
    label.textContent = undone === null ? resetWord : reset.dataset.undo;
  };
  const set = (text) => {
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };
  box.addEventListener("input", (event) => {
    if (event.isTrusted) undone = null;
    show();
  });
  reset.addEventListener("click", () => {
    const before = box.value;
    const back = undone;
    undone = back === null ? before : null;
    set(back ?? original);
  });
  show();
}

export function wireRevision(form) {
  for (const row of form.querySelectorAll("[data-revision]")) wireRow(row);
}

// A copy of what the server has not got yet, for a reload without a connection. Browsers may refuse
// storage to a page in a frame; then there is no copy, and nothing else changes.

import { readFields } from "./draft.js";
import { clockTime } from "./local-time.js";

function storage() {
  try {
    return window.sessionStorage;
  } catch {
    return null; // SecurityError: third-party storage is blocked
  }
}

function write(store, key, fields) {
  try {
    store.setItem(key, JSON.stringify({ at: new Date().toISOString(), fields }));
  } catch {
    store.removeItem(key); // full: an old copy would be worse than none
  }
}

export function keepUnsavedCopy(draft, form, offer) {
  const store = storage();
  if (!store) return;
  const key = `fabula:unsaved:${form.dataset.copyKey}`;
  const copy = JSON.parse(store.getItem(key) ?? "null");
  let offering = copy !== null && differs(copy.fields, readFields(form));
  draft.addEventListener("state", ({ detail }) => {
    if (offering) return;
    if (detail.state === "waiting") write(store, key, detail.fields);
    if (detail.state === "saved") store.removeItem(key);
  });
  if (!offering) {
    store.removeItem(key);
    return;
  }
  const words = offer.querySelector("[data-message]");
  words.textContent = words.dataset.message.replace("{time}", clockTime(copy.at));
  offer.hidden = false;
  // Not back to where the page was scrolled to: there nobody would see the offer.
  history.scrollRestoration = "manual";
  offer.scrollIntoView({ block: "center" });
  const settle = () => {
    offering = false;
    offer.hidden = true;
    history.scrollRestoration = "auto";
    store.removeItem(key);
  };
  offer.querySelector("[data-use]").addEventListener("click", () => {
    settle();
    fill(form, copy.fields);
  });
  offer.querySelector("[data-discard]").addEventListener("click", settle);
}

function differs(copied, current) {
  return Object.keys(current).some(
    (name) => name in copied && JSON.stringify(copied[name]) !== JSON.stringify(current[name]),
  );
}

function fill(form, fields) {
  for (const control of form.elements) {
    if (!("draft" in control.dataset) || !(control.name in fields)) continue;
    const value = fields[control.name];
    if (control.type === "checkbox") control.checked = value.includes(control.value);
    else if (control.type === "radio") control.checked = control.value === value;
    else control.value = value;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

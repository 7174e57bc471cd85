// A copy of what is being written, in this tab: who is signed out meanwhile finds it here again.
const form = document.querySelector("form[data-copy-key]");
const field = form.elements.text;
const key = `fabula:answer:${form.dataset.copyKey}`;

function storage() {
  try {
    return window.sessionStorage;
  } catch {
    return null; // SecurityError: this browser stores nothing for the site
  }
}

function write(store) {
  try {
    store.setItem(key, field.value);
  } catch {
    store.removeItem(key); // full: an old copy would be worse than none
  }
}

const store = storage();
if (store) {
  field.value ||= store.getItem(key) ?? "";
  field.addEventListener("input", () => write(store));
}

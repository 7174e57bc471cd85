// The instructions slide in from the side; the page and its scroll position stay as they were.
// <dialog> keeps the focus inside, closes on Esc and gives the focus back.

export function wireInstructions(dialog, opener, { firstVisit, onFirstClose }) {
  const open = () => {
    if (!dialog.open) dialog.showModal();
  };
  opener.addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    const asked = event.key === "F1" || (event.key === "?" && !isWriting(event.target));
    if (!asked || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
  if (!firstVisit) return;
  dialog.addEventListener("close", onFirstClose, { once: true });
  open();
}

function isWriting(element) {
  return element.matches("textarea, select, input:not([type=checkbox], [type=radio])");
}

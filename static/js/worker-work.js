// The page around a HIT: returning, warnings about time, and going on once it is submitted.
const { assignment } = document.body.dataset;
const frame = document.getElementById("frame");
const timer = document.getElementById("timer");
const warning = document.getElementById("time-warning");
const preference = document.getElementById("next-at-once");
const notKept = document.getElementById("not-kept");
const dialog = document.getElementById("return-dialog");
const toReturn = document.getElementById("return");
const timeOver = document.getElementById("time-over");
let isReturned = false;

toReturn.addEventListener("click", (event) => {
  event.preventDefault();
  dialog.showModal();
});
document.getElementById("keep").addEventListener("click", () => dialog.close());

// Crossing five minutes and one minute is said once each; a page opened later starts with that.
let said = Infinity;
timer.addEventListener("fabula:left", ({ detail: left }) => {
  if (isReturned) return;
  if (left <= 60 && left > 0 && said > 60) say(60, warning.dataset.one);
  else if (left <= 300 && left > 60 && said > 300) say(300, warning.dataset.five);
  if (left === 0) timeOver.hidden = false;
});

function say(limit, words) {
  said = limit;
  warning.textContent = words;
}

preference.hidden = false;
const { accepts_next: box } = preference.elements;
let kept = box.checked;
preference.addEventListener("change", async () => {
  const wished = box.checked;
  if (await isKept(new FormData(preference))) kept = wished;
  else box.checked = kept;
  notKept.hidden = box.checked === wished;
});

async function isKept(wish) {
  try {
    const answer = await fetch(preference.action, { method: "POST", body: wish });
    // Who is signed out is led to another page, which answers well, too.
    return answer.status === 204;
  } catch {
    return false;
  }
}

// The server tells what is next; a mark says that this page saw the submit, so that going on by
// itself happens then only, never when an old address is opened.
frame?.addEventListener("fabula:submitted", (event) => {
  if (event.detail !== assignment) return;
  try {
    sessionStorage.setItem("fabula:submitted", assignment);
  } catch {
    // The browser keeps nothing more: the next task waits for a press of the button.
  }
  window.location.reload();
});

// Ended in another tab: the page in the frame says so, and only the server is believed.
async function stateByNow() {
  const answer = await fetch(window.location.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector("[data-state]")?.dataset.state;
}

frame?.addEventListener("fabula:done", async () => {
  if (await stateByNow()) window.location.reload();
});
frame?.addEventListener("fabula:returned", async () => {
  if ((await stateByNow()) !== "Returned") return;
  isReturned = true;
  dialog.close();
  for (const element of [timer, timeOver, preference, notKept, toReturn]) element.hidden = true;
  // Its label says that the task stays the worker's.
  document.querySelector(".work-home").removeAttribute("aria-label");
  document.getElementById("returned").hidden = false;
});

// Sends verdicts, and turns to the next response, which is here before it is asked for.

const LEAVING_MS = 10_000;
const UNSENT = "review-unsent";
let upcoming = null;
let busy = false;
let undoWished = false;
let shownSince = performance.now();

const review = () => document.querySelector("#review");
const asScript = { "HX-Request": "true" };

/** Fetches the page that follows this one. Call it when a page is shown. */
export function lookAhead() {
  shownSince = performance.now();
  const address = review().dataset.upcoming;
  upcoming = address ? fetchPage(address) : null;
}

async function fetchPage(address) {
  try {
    const answer = await fetch(address, { headers: asScript });
    return answer.status === 200 && !answer.redirected ? parse(await answer.text()) : null;
  } catch {
    return null; // It is loaded when it is needed.
  }
}

/** Posts a form of the dock; shows the next response once the server has the verdict. */
export async function send(form, submitter) {
  const body = new FormData(form, submitter);
  body.set("seconds", ((performance.now() - shownSince) / 1000).toFixed(1));
  wait(true);
  undoWished = false;
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: asScript });
    if (await follow(answer, body)) wait(false);
    else leave();
  } catch {
    wait(false);
    say(review().dataset.noAnswer);
  }
}

export const isBusy = () => busy;

/** Another page is being opened: this one takes nothing more, unless it is still here later. */
export function leave() {
  wait(true);
  setTimeout(resume, LEAVING_MS);
}

/** Back from another page, which the browser had kept this one for. */
export function resume() {
  wait(false);
}

/** The verdict that is being sent is taken back once the server has it. */
export function undoOnceSaved() {
  undoWished = true;
}

function wait(on) {
  busy = on;
  review().toggleAttribute("aria-busy", on);
  if (on) review().setAttribute("aria-busy", "true");
}

/** Whether the tab stays on the page that it shows now. */
async function follow(answer, body) {
  const next = answer.headers.get("HX-Redirect");
  if (next) return turnTo(next);
  const page = parse(await answer.text());
  // Signed out meanwhile: the sign-in leads back here.
  if (answer.redirected || !page.querySelector("#review")) {
    keep(body);
    location.reload();
    return false;
  }
  if (answer.status < 500) show(page);
  else say(review().dataset.noAnswer);
  return true;
}

function keep(body) {
  const [step, remark] = [body.get("step"), body.get("remark")];
  const { address } = review().dataset;
  sessionStorage.setItem(UNSENT, JSON.stringify({ address, step, remark }));
}

/** The step and the words of a verdict that was not taken, once, where its response is again. */
export function takeUnsent() {
  const kept = JSON.parse(sessionStorage.getItem(UNSENT));
  sessionStorage.removeItem(UNSENT);
  if (kept?.address !== review().dataset.address) return null;
  say(review().dataset.notSaved);
  return kept;
}

async function turnTo(address) {
  const page = await upcoming;
  const known = page?.querySelector("#review")?.dataset.address;
  if (known !== address) {
    location.assign(address);
    return false;
  }
  const saved = review().dataset.saved;
  show(page);
  history.replaceState(null, "", address);
  document.querySelector("#announcer").textContent = saved;
  if (!undoWished) return true;
  review().querySelector("[data-undo]")?.submit();
  return false;
}

function show(page) {
  document.title = page.title;
  review().replaceWith(document.adoptNode(page.querySelector("#review")));
  scrollTo(0, 0);
  const open = review().querySelector("[data-reasons]:not([hidden]) [aria-invalid]");
  (open ?? review().querySelector("main")).focus({ preventScroll: true });
  lookAhead();
}

function say(words) {
  const notice = document.createElement("p");
  notice.className = "notice notice-blocked";
  notice.setAttribute("role", "alert");
  notice.textContent = words;
  review().querySelector("main > [role=alert]")?.remove();
  review().querySelector("main").prepend(notice);
}

const parse = (text) => new DOMParser().parseFromString(text, "text/html");

// Sends verdicts, and turns to the next response, which is here before it is asked for.

let upcoming = null;
let busy = false;
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
  if (busy) return;
  const body = new FormData(form, submitter);
  body.set("seconds", ((performance.now() - shownSince) / 1000).toFixed(1));
  wait(true);
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: asScript });
    await follow(answer);
  } catch {
    say(review().dataset.noAnswer);
  } finally {
    wait(false);
  }
}

function wait(on) {
  busy = on;
  review().toggleAttribute("aria-busy", on);
  if (on) review().setAttribute("aria-busy", "true");
}

async function follow(answer) {
  const next = answer.headers.get("HX-Redirect");
  if (next) return turnTo(next);
  const page = parse(await answer.text());
  // Signed out meanwhile: the sign-in leads back here.
  if (answer.redirected || !page.querySelector("#review")) location.reload();
  else if (answer.status < 500) show(page);
  else say(review().dataset.noAnswer);
}

async function turnTo(address) {
  const page = await upcoming;
  const known = page?.querySelector("#review")?.dataset.address;
  if (known !== address) {
    location.assign(address);
    return;
  }
  const saved = review().dataset.saved;
  show(page);
  history.replaceState(null, "", address);
  document.querySelector("#announcer").textContent = saved;
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

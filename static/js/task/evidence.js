// With the worker's consent: counts how the text of each step comes to be. Times, key presses that
// changed text, sizes of what was pasted or dropped, absences; never a character, and never the
// clipboard, which is not even read. The server adds up the totals of the page loads.

const IDLE_MS = 30_000; // a longer pause counts as so much
const MOST_SIZES = 100; // of each kind, for each step
const KEY_PRESS = /^(?:insert(?:Text|CompositionText|ReplacementText|LineBreak|Paragraph)$|delete(?!ByDrag))/u;
const PASTE = /^insertFrom(?:Paste|Yank)/u;
const SIGNS_OF_LIFE = ["pointerdown", "pointermove", "wheel", "keydown", "input", "focusin"];

const newStep = () => ({
  active_ms: 0,
  keys: 0,
  pastes: [],
  drops: [],
  away: 0,
  away_ms: 0,
  undos: 0,
  resets: 0,
});

const characters = (text) => [...text].length;

function newPage() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Evidence {
  #form;
  #page = newPage();
  #steps = {};
  #current;
  #away = false;
  #counted = performance.now(); // time up to here is in a counter
  #alive = performance.now(); // the last sign of life
  #before = 0; // characters in the box before a change, and those it replaces
  #selected = 0;

  constructor(form) {
    this.#form = form;
    this.#current = this.#openStep();
    form.addEventListener("beforeinput", (event) => this.#remember(event));
    form.addEventListener("input", (event) => this.#count(event));
    form.addEventListener("click", (event) => {
      if (event.target.closest("[data-reset]")) this.#step(stepOf(event.target)).resets += 1;
    });
    for (const name of SIGNS_OF_LIFE) {
      addEventListener(name, (event) => this.#live(event), { passive: true });
    }
    addEventListener("blur", () => this.#leave());
    addEventListener("focus", () => this.#return());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#leave();
      else if (document.hasFocus()) this.#return();
    });
  }

  /** All of this page load, as the draft carries it. */
  totals() {
    this.#tick();
    const steps = Object.entries(this.#steps).map(([number, step]) => [
      number,
      { ...step, active_ms: Math.round(step.active_ms), away_ms: Math.round(step.away_ms) },
    ]);
    const note = this.#form.elements.process_note?.value ?? "";
    return { page: this.#page, steps: Object.fromEntries(steps), note };
  }

  #step(number) {
    this.#steps[number] ??= newStep();
    return this.#steps[number];
  }

  #openStep() {
    return this.#form.querySelector("[data-step-card][data-current]")?.dataset.stepCard ?? "0";
  }

  // Time goes to the step that was open until now.
  #tick() {
    const now = performance.now();
    if (this.#away) {
      this.#step(this.#current).away_ms += now - this.#counted;
    } else {
      const until = Math.min(now, this.#alive + IDLE_MS);
      this.#step(this.#current).active_ms += Math.max(0, until - this.#counted);
    }
    this.#counted = now;
    this.#current = this.#openStep();
  }

  #live({ type }) {
    // A mouse that crosses the page on its way elsewhere brings nobody back.
    if (this.#away && type !== "pointerdown" && type !== "keydown") return;
    this.#tick();
    this.#away = false;
    this.#alive = performance.now();
  }

  #leave() {
    if (this.#away) return;
    this.#tick();
    this.#away = true;
    this.#step(this.#current).away += 1;
  }

  #return() {
    if (this.#away) this.#live({ type: "pointerdown" });
  }

  #remember({ target }) {
    if (!isWriting(target)) return;
    const { value, selectionStart, selectionEnd } = target;
    this.#before = characters(value);
    this.#selected = characters(value.slice(selectionStart, selectionEnd));
  }

  #count({ target, inputType, isTrusted }) {
    if (!isTrusted || !isWriting(target)) return;
    const step = this.#step(stepOf(target));
    const size = characters(target.value) - this.#before;
    if (PASTE.test(inputType)) add(step.pastes, size + this.#selected);
    else if (inputType === "insertFromDrop") add(step.drops, size);
    else if (inputType.startsWith("history")) step.undos += 1;
    else if (KEY_PRESS.test(inputType)) step.keys += 1;
  }
}

const isWriting = (element) =>
  element.matches("textarea[data-step], input[data-step]:not([type=checkbox], [type=radio])");

const stepOf = (element) =>
  element.dataset.step ?? element.closest("[data-step-card]")?.dataset.stepCard ?? "0";

function add(sizes, size) {
  if (sizes.length < MOST_SIZES) sizes.push(Math.max(0, size));
}

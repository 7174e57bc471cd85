// Saves the draft on the server while the worker types, and says truthfully whether it could.

import { clockTime } from "./local-time.js";

const QUIET_MS = 700; // after the last keystroke
const LONGEST_WAIT_MS = 4000; // while typing goes on
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
const ANSWER_WITHIN_MS = 15_000;
const RETRIED_STATUSES = new Set([408, 429]);

/** The form's answers as the draft holds them: a list for checkboxes, else a string. */
export function readFields(form) {
  const fields = {};
  for (const control of form.elements) {
    if (!("draft" in control.dataset)) continue;
    if (control.type === "checkbox") {
      fields[control.name] ??= [];
      if (control.checked) fields[control.name].push(control.value);
    } else if (control.type !== "radio" || control.checked) {
      fields[control.name] = control.value;
    }
  }
  return fields;
}

/** Whether somebody wrote or ticked before this module had arrived. */
function isTypedIn(form) {
  return [...form.elements].some(
    (control) =>
      "draft" in control.dataset &&
      (control.type === "checkbox" || control.type === "radio"
        ? control.checked !== control.defaultChecked
        : control.value !== control.defaultValue),
  );
}

export class Draft extends EventTarget {
  /** What else goes along with every save, asked for anew each time. */
  companion = () => ({});
  #form;
  #revision = 0;
  #changed = 0; // counts changes
  #saved = 0; // the change that the server holds
  #sending = null;
  #timer = 0;
  #waitingSince = 0;
  #retryMs = FIRST_RETRY_MS;
  #extra = {};
  #stopped = false;
  #leaving = false;
  #knownAt; // when the newest draft that this page knows of was saved

  constructor(form) {
    super();
    this.#form = form;
    this.#knownAt = form.dataset.savedAt ?? "";
    form.addEventListener("input", () => this.touch());
    form.addEventListener("change", () => this.touch());
    addEventListener("online", () => this.#isDirty && this.#schedule(0));
    addEventListener("pagehide", () => {
      this.#leaving = true;
      this.#leave();
    });
    addEventListener("pageshow", () => {
      this.#leaving = false;
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.#leave();
      else if (this.#isDirty) this.#schedule(0);
    });
    if ("unsaved" in form.dataset || isTypedIn(form)) this.touch();
  }

  get #isDirty() {
    return this.#changed > this.#saved;
  }

  /** Something changed; `extra` goes along with the next save. */
  touch(extra = {}) {
    if (this.#stopped) return;
    Object.assign(this.#extra, extra);
    this.#changed += 1;
    this.#waitingSince ||= Date.now();
    this.#tell("waiting", { fields: readFields(this.#form) });
    const longest = this.#waitingSince + LONGEST_WAIT_MS - Date.now();
    this.#schedule(Math.max(0, Math.min(QUIET_MS, longest)));
  }

  /** Saves now. Tells what came of it: "saved", "refused", "returned", "offline" or "trouble". */
  async flush() {
    clearTimeout(this.#timer);
    await this.#sending;
    this.#changed += 1;
    return this.#send();
  }

  /** No more saves from here: the form itself is on its way. */
  stop() {
    clearTimeout(this.#timer);
    this.#stopped = true;
  }

  resume() {
    this.#stopped = false;
  }

  #schedule(delay) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), delay);
  }

  #body() {
    this.#revision = Math.max(this.#revision + 1, Date.now());
    return JSON.stringify({
      token: this.#form.elements.token.value,
      fields: readFields(this.#form),
      revision: this.#revision,
      known_at: this.#knownAt,
      leaving: this.#leaving,
      ...this.companion(),
      ...this.#extra,
    });
  }

  #send() {
    // At most one request at a time; #deliver schedules the next one when more has changed.
    this.#sending ??= this.#deliver().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #deliver() {
    const change = this.#changed;
    const extra = Object.keys(this.#extra);
    this.#waitingSince = 0;
    this.#tell("saving");
    let response;
    let answer;
    try {
      response = await fetch(this.#form.dataset.draftUrl, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: this.#body(),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      answer = await response.json();
    } catch {
      // No connection, no answer in time, or an answer that is not ours: all are tried again.
      return this.#tryAgain(response ? "trouble" : "offline");
    }
    if (response.ok) {
      for (const name of extra) delete this.#extra[name];
      return this.#accepted(change, answer);
    }
    if (response.status >= 500 || RETRIED_STATUSES.has(response.status)) {
      return this.#tryAgain("trouble");
    }
    if (answer.returned) return this.#returned(change, answer);
    this.#tell("refused", { message: answer.error });
    return "refused";
  }

  // The text is kept all the same, so what was typed meanwhile is sent, too.
  #returned(change, answer) {
    this.#saved = change;
    if (this.#isDirty) this.#schedule(0);
    this.#tell("refused", { message: answer.error, returned: true });
    return "returned";
  }

  #accepted(change, answer) {
    this.#saved = change;
    this.#knownAt = answer.saved_at;
    this.#retryMs = FIRST_RETRY_MS;
    this.#tell(this.#isDirty ? "waiting" : "saved", {
      time: clockTime(answer.saved_at),
      fields: readFields(this.#form),
      overAnother: answer.over_another,
    });
    if (this.#isDirty && !this.#stopped) this.#schedule(QUIET_MS);
    return "saved";
  }

  #tryAgain(reason) {
    this.#tell("failed", { reason });
    if (!this.#stopped) this.#schedule(this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    return reason;
  }

  #leave() {
    if (!this.#isDirty || this.#stopped) return;
    const body = new Blob([this.#body()], { type: "application/json" });
    // Whether it arrived is unknown, so the change still counts as unsaved if the page comes back.
    navigator.sendBeacon(this.#form.dataset.draftUrl, body);
  }

  #tell(state, detail = {}) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, ...detail } }));
  }
}

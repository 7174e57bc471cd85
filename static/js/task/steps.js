// The numbered cards: one is the current one, later ones open when the one before is filled.
// A card that has been open stays open; one that is hidden does not count. What belongs to a card
// carries data-step on the control.

export function isFilled(controls) {
  const boxes = controls.filter(({ type }) => type === "checkbox" || type === "radio");
  if (boxes.length) return boxes.some((box) => box.checked);
  const edited = controls.filter((control) => "original" in control.dataset);
  if (edited.length) return edited.some((control) => control.value !== control.dataset.original);
  return controls.length > 0 && controls.every((control) => control.value.trim() !== "");
}

export class Steps {
  #form;
  #cards;
  #counter;
  #current = 1;

  constructor(form, counter) {
    this.#form = form;
    this.#cards = [...form.querySelectorAll("[data-step-card]")];
    this.#counter = counter;
    form.addEventListener("input", () => this.update());
    form.addEventListener("change", () => this.update());
    form.addEventListener("focusin", (event) => this.#enter(event.target));
    // An error may be about any card, so none stays closed.
    form.addEventListener("task:checked", () => this.#openAll());
    this.#cards.filter((card) => "closed" in card.dataset).forEach((card) => this.#lock(card));
    if (form.querySelector("[aria-invalid=true]")) this.#openAll();
    this.update();
    this.#setCurrent(this.#firstUnfilled());
  }

  #controls(number) {
    return [...this.#form.elements].filter((control) => control.dataset.step === String(number));
  }

  #shown() {
    return this.#cards.filter((card) => !card.hidden);
  }

  #filled(number) {
    return isFilled(this.#controls(number));
  }

  #firstUnfilled() {
    const numbers = this.#shown().map(({ dataset }) => Number(dataset.stepCard));
    return numbers.find((number) => !this.#filled(number)) ?? numbers.at(-1);
  }

  #enter(target) {
    const number = target.dataset.step ?? target.closest("[data-step-card]")?.dataset.stepCard;
    if (number) this.#setCurrent(Number(number));
  }

  #setCurrent(number) {
    this.#current = number;
    this.update();
  }

  update() {
    let open = true;
    this.#cards.forEach((card, index) => {
      const number = index + 1;
      const filled = this.#filled(number);
      open &&= number === 1 || this.#filled(number - 1);
      if (open || filled) this.#open(card, number);
      const wrong = card.querySelector(".field-error:not([hidden])") !== null;
      const done = filled && !wrong && number !== this.#current;
      card.dataset.state = wrong ? "attention" : done ? "done" : "open";
      card.toggleAttribute("data-current", number === this.#current);
      card.querySelector("[data-done-words]").hidden = !done;
    });
    this.#showProgress();
  }

  // Boxes to tick stand outside the card; they wait too.
  #lock(card) {
    for (const control of this.#controls(card.dataset.stepCard)) {
      control.disabled = control.type === "checkbox";
    }
  }

  #openAll() {
    this.#cards.forEach((card, index) => this.#open(card, index + 1));
    this.update();
  }

  #open(card, number) {
    if ("returned" in this.#form.dataset) return;
    delete card.dataset.closed;
    for (const control of this.#controls(number)) control.disabled = false;
    this.#form.toggleAttribute(`data-step-${number}-open`, true);
  }

  #showProgress() {
    const { words } = this.#counter.dataset;
    const shown = this.#shown();
    const place = shown.findIndex(({ dataset }) => dataset.stepCard === String(this.#current)) + 1;
    const text = words.replace("{step}", place).replace("{steps}", shown.length);
    const label = this.#counter.querySelector("[data-step-words]");
    if (label.textContent !== text) label.textContent = text;
    this.#counter.querySelectorAll("[data-step-mark]").forEach((mark, index) => {
      const { state } = this.#cards[index].dataset;
      mark.hidden = this.#cards[index].hidden;
      mark.dataset.state =
        index + 1 === this.#current ? "current" : state === "done" ? "done" : "";
    });
  }
}

// The table in step 2 follows the ticks in the story, and the keyboard finds the way between them.

export function wireTicks(form) {
  const boxes = [...form.querySelectorAll("input[name=justification]")];
  const rows = [...form.querySelectorAll("[data-ticked]")];
  const none = form.querySelector("[data-none-ticked]");
  const update = () => {
    boxes.forEach((box, index) => {
      rows[index].hidden = !box.checked;
    });
    none.hidden = boxes.some((box) => box.checked);
  };
  form.addEventListener("input", (event) => boxes.includes(event.target) && update());
  update();

  form.querySelector("[data-go-to-story]").addEventListener("click", (event) => {
    event.preventDefault();
    form.dispatchEvent(new Event("task:story"));
    (boxes.find((box) => box.checked) ?? boxes[0]).focus();
  });
  // Marking words with the mouse is not a tick.
  form.querySelector(".sentences").addEventListener("click", (event) => {
    if (event.target.closest("label") && !getSelection().isCollapsed && event.detail > 0) {
      event.preventDefault();
    }
  });
}

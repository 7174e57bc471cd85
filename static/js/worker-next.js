// After a submit, with "accept the next one at once" ticked: count three seconds, then press the
// button. Stop (or Escape) ends it.
const SECONDS = 3;
const { assignment } = document.querySelector("[data-assignment]").dataset;
const form = document.querySelector("form.accept");
const notice = document.getElementById("next-soon");
const [words, stop] = notice.children;
const seen = sessionStorage.getItem("fabula:submitted") === assignment;
sessionStorage.removeItem("fabula:submitted");

if (seen && form.elements.accepts_next.checked) {
  let left = SECONDS;
  const show = () => {
    words.textContent = notice.dataset.words.replace("{seconds}", left);
  };
  const counting = setInterval(() => {
    left -= 1;
    if (left > 0) {
      show();
      return;
    }
    clearInterval(counting);
    form.requestSubmit();
  }, 1000);
  const end = () => {
    clearInterval(counting);
    notice.hidden = true;
    document.getElementById("next-said").textContent = "";
    form.querySelector("button").focus();
  };
  show();
  notice.hidden = false;
  // To who listens, once: each second's words would be read after the last.
  document.getElementById("next-said").textContent = words.textContent;
  stop.addEventListener("click", end);
  form.elements.accepts_next.addEventListener("change", end);
  form.addEventListener("submit", () => clearInterval(counting));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") end();
  });
}

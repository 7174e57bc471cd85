/* Draws a run's curves, and again with what the page has been told since; and saves
   them for a paper. */

import { PAPER_WIDTH, savePlot } from "./save-plot.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const place = document.getElementById("run-curve");
const nothing = document.getElementById("run-no-curve");
const spec = read("curve-spec");
const themes = read("curve-themes");
const save = document.querySelector("[data-save]");
let view = null;
let drawn = "";

const isDark = () => document.documentElement.classList.contains("dark");

function viewOf(rows, config, width) {
  const fitted = {
    ...spec,
    datasets: { points: rows },
    width,
    autosize: { type: "fit", contains: "padding" },
  };
  const compiled = vegaLite.compile(fitted, { config }).spec;
  return new vega.View(vega.parse(compiled), { renderer: "svg" });
}

async function draw() {
  view?.finalize();
  const rows = read("curve-rows");
  nothing.hidden = rows.length > 0;
  place.hidden = save.hidden = rows.length === 0;
  if (!rows.length) return;
  view = viewOf(rows, isDark() ? themes.dark : themes.light, place.clientWidth);
  view.description(place.dataset.label);
  await view.initialize(place).runAsync();
}

function drawWhatIsNew() {
  const told = document.getElementById("curve-rows").textContent;
  if (told === drawn) return;
  drawn = told;
  draw();
}

let waiting;
function drawSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(draw, 100);
}

// Vega measures words before it places them: the letters have to be there.
await document.fonts.load('12px "Inter Variable"');
drawWhatIsNew();
document.body.addEventListener("htmx:afterSettle", drawWhatIsNew);
new MutationObserver(drawSoon).observe(document.documentElement, { attributeFilter: ["class"] });
window.addEventListener("resize", drawSoon);
save.addEventListener("click", () =>
  savePlot(viewOf(read("curve-rows"), themes.light, PAPER_WIDTH), save.dataset.save),
);

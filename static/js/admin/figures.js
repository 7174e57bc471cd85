/* Draws the study's plots, again when the page turns dark or light, and saves one for a paper. */

import { PAPER_WIDTH, savePlot } from "./save-plot.js";

const specs = JSON.parse(document.getElementById("figure-specs").textContent);
const themes = JSON.parse(document.getElementById("figure-themes").textContent);
const views = new Map();

const isDark = () => document.documentElement.classList.contains("dark");

function viewOf(slug, theme, width) {
  const spec = { ...specs[slug], width, autosize: { type: "fit", contains: "padding" } };
  const compiled = vegaLite.compile(spec, { config: theme }).spec;
  return new vega.View(vega.parse(compiled), { renderer: "svg" });
}

async function draw(place) {
  const slug = place.dataset.figure;
  views.get(slug)?.finalize();
  const view = viewOf(slug, isDark() ? themes.dark : themes.light, place.clientWidth);
  views.set(slug, view);
  view.description(place.dataset.label);
  await view.initialize(place).runAsync();
}

function save({ dataset }) {
  return savePlot(viewOf(dataset.save, themes.light, PAPER_WIDTH), `${dataset.study}-${dataset.save}`);
}

const places = [...document.querySelectorAll("[data-figure]")];
const drawAll = () => Promise.all(places.map(draw));

let waiting;
function drawSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 100);
}

// Vega measures words before it places them: the letters have to be there.
await document.fonts.load('12px "Inter Variable"');
await drawAll();
new MutationObserver(drawSoon).observe(document.documentElement, { attributeFilter: ["class"] });
window.addEventListener("resize", drawSoon);
for (const button of document.querySelectorAll("[data-save]")) {
  button.hidden = false;
  button.addEventListener("click", () => save(button));
}

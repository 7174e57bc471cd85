// Tells the page around the frame how much room this page wants (see docs in templates/task/base.html).
// A worker site that shows reward or time left itself answers with what it shows: it is hidden here,
// and what there is to say about it is left to the worker site.

const body = document.body;

function measure() {
  return Math.ceil(document.documentElement.getBoundingClientRect().height);
}

function tell() {
  const message = { type: "fabula:height", height: measure() };
  if (body.dataset.frame === "fill") message.fill = true;
  window.parent.postMessage(message, body.dataset.submitOrigin);
}

function hideWhatTheStripShows({ source, origin, data }) {
  if (source !== window.parent || origin !== body.dataset.submitOrigin) return;
  if (data?.type !== "fabula:strip" || !Array.isArray(data.shows)) return;
  body.dataset.strip = ["reward", "time"].filter((item) => data.shows.includes(item)).join(" ");
}

if (window.parent !== window && body.dataset.submitOrigin) {
  addEventListener("message", hideWhatTheStripShows);
  new ResizeObserver(tell).observe(document.documentElement);
  tell();
}

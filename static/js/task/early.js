// Runs before the first paint: marks that scripts work, so that later steps start closed.
// If the modules do not arrive, the mark is taken back and the page is a plain form again.
document.documentElement.classList.add("js");
addEventListener("load", () => {
  if (!("taskReady" in document.documentElement.dataset)) {
    document.documentElement.classList.remove("js");
  }
});

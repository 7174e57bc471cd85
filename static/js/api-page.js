// Draws the API's document; what is tried goes out with the session of whoever looks.
const place = document.getElementById("api");
const dark = matchMedia("(prefers-color-scheme: dark)");

const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", dress);
dress();

// The choice of an example has a heading beside it, and no name.
new MutationObserver(() => {
  for (const choice of place.querySelectorAll("select:not([aria-label])")) {
    choice.setAttribute("aria-label", place.dataset.choice);
  }
}).observe(place, { childList: true, subtree: true });

window.SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  syntaxHighlight: { activated: false },
  validatorUrl: null,
  requestInterceptor: (request) => {
    request.headers["X-CSRFToken"] = place.dataset.token;
    return request;
  },
});

// Light or dark as the admin's switch says, before anything is drawn.
try {
  const chosen = JSON.parse(localStorage.getItem("adminTheme"));
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.style.colorScheme = chosen;
  }
} catch {
  // Without storage the reader's system decides.
}

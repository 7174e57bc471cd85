// On narrow pages the story scrolls away; the bar brings it back as a sheet over the steps, so that
// the place on the page is kept. Without scripts the bar is a link to the story.

export function wireStoryBar(link, story) {
  const isOpen = () => story.hasAttribute("data-sheet");
  const set = (open) => {
    story.toggleAttribute("data-sheet", open);
    link.setAttribute("aria-expanded", String(open));
  };
  link.setAttribute("role", "button");
  set(false);
  new IntersectionObserver(([entry]) => {
    if (!isOpen()) link.toggleAttribute("data-needed", !entry.isIntersecting);
  }).observe(document.getElementById("story-place"));

  const toggle = (event) => {
    event.preventDefault();
    set(!isOpen());
    if (isOpen()) story.focus({ preventScroll: true });
  };
  link.addEventListener("click", toggle);
  link.addEventListener("keydown", (event) => {
    if (event.key === " ") toggle(event);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen() || document.querySelector("dialog[open]")) return;
    set(false);
    link.focus({ preventScroll: true });
  });
  story.querySelector("[data-back-to-steps]").addEventListener("click", (event) => {
    event.preventDefault();
    set(false);
    link.focus({ preventScroll: true });
  });
  document.addEventListener("click", (event) => {
    if (isOpen() && !story.contains(event.target) && !link.contains(event.target)) set(false);
  });
  return { open: () => link.hasAttribute("data-needed") && set(true) };
}

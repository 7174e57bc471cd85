// On narrow pages the story scrolls away; the bar brings it back as a sheet over the steps, so that
// the place on the page is kept. Of several, it is the one that the steps in view are about. Without
// scripts the bar is a link to the first.

/** Keeps in --bar how high the part of the header is that stays in sight. */
function measureBar(header) {
  const root = document.documentElement;
  const measure = () => {
    const scrollsAway = header.firstElementChild.offsetHeight;
    root.style.setProperty("--bar", `${header.offsetHeight - scrollsAway}px`);
  };
  new ResizeObserver(measure).observe(header);
}

export function wireStoryBar(link) {
  measureBar(link.closest(".task-header"));
  const places = [...document.querySelectorAll(".story-place")];
  const inView = new Set();
  let open = null;

  const set = (story) => {
    open?.removeAttribute("data-sheet");
    open = story;
    open?.setAttribute("data-sheet", "");
    link.setAttribute("aria-expanded", String(open !== null));
  };
  const current = () => {
    const begun = (place) => place.parentElement.getBoundingClientRect().top < innerHeight / 2;
    return (places.findLast(begun) ?? places[0]).querySelector(".story");
  };
  link.setAttribute("role", "button");
  set(null);
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inView.add(target);
      else inView.delete(target);
    }
    if (!open) link.toggleAttribute("data-needed", inView.size === 0);
  });
  for (const place of places) observer.observe(place);

  const toggle = (event) => {
    event.preventDefault();
    set(open ? null : current());
    open?.focus({ preventScroll: true });
  };
  link.addEventListener("click", toggle);
  link.addEventListener("keydown", (event) => {
    if (event.key === " ") toggle(event);
  });
  const goBack = () => {
    set(null);
    link.focus({ preventScroll: true });
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && open && !document.querySelector("dialog[open]")) goBack();
  });
  for (const back of document.querySelectorAll("[data-back-to-steps]")) {
    back.addEventListener("click", (event) => {
      event.preventDefault();
      goBack();
    });
  }
  const leave = ({ target }) => {
    if (open && !open.contains(target) && !link.contains(target)) set(null);
  };
  // Before the page's own handlers, one of which may bring the story back by this very click.
  document.addEventListener("click", leave, { capture: true });
  document.addEventListener("focusin", (event) => {
    if (!event.target.closest("dialog")) leave(event);
  });
  return { open: () => link.hasAttribute("data-needed") && set(current()) };
}

// Give the frame the room that its page asks for. Loaded before the frame, so that no message is
// missed. Only the page in the frame is heard, from the requester's origin or from ours (the
// answer to a submit is ours).
//   fabula:height {height, fill}  fill: the visible height, the page scrolls inside; else grow
//   fabula:submitted              only from us: the answers are in; see worker-work.js
//   fabula:returned               the page has heard that the task was returned; see worker-work.js
//   fabula:done                   the page says that it was submitted before; see worker-work.js
// The answer to fabula:height is
//   fabula:strip {shows}          what this page shows at present ("reward", "time"): the page in the
//                                 frame need not repeat it
{
  const TALLEST = 30000;

  const resize = (frame, height, fill) => {
    frame.classList.toggle("frame-fill", fill);
    frame.classList.toggle("frame-grow", !fill);
    document.body.classList.toggle("has-filling-frame", fill);
    if (fill) frame.style.blockSize = "";
    else if (Number.isFinite(height) && height > 0) {
      frame.style.blockSize = `${Math.min(Math.ceil(height), TALLEST)}px`;
    }
  };

  const shown = () =>
    [...document.querySelectorAll("[data-strip]")]
      .filter((element) => element.getClientRects().length)
      .map((element) => element.dataset.strip);

  // Until a page has come into the frame, the words behind it say that it is loading. Who hears
  // pages is told when they may begin to wonder, what to do if it does not come, and that it came.
  const root = document.documentElement;
  const say = (words) => {
    document.getElementById("frame-news").textContent = words;
  };
  const waiting = [["now", 2], ["long", 12]].map(([what, seconds]) =>
    setTimeout(() => {
      const words = document.querySelector(`.frame-wait-${what}`);
      if (words) say(words.textContent);
    }, 1000 * seconds),
  );
  const came = () => {
    if (root.classList.contains("frame-came")) return;
    root.classList.replace("frame-waits", "frame-came");
    waiting.forEach(clearTimeout);
    const { textContent, dataset } = document.getElementById("frame-news");
    if (textContent) say(dataset.came);
  };
  root.classList.add("frame-waits");

  // The next page in the frame is read from its beginning, and has the keys, unless somebody is at
  // something around it.
  const onLoad = ({ target }) => {
    if (target.id !== "frame") return;
    came();
    if (!document.body.classList.contains("work")) return;
    window.scrollTo(0, 0);
    if (document.activeElement === document.body) target.focus({ preventScroll: true });
  };
  document.addEventListener("load", onLoad, { capture: true });

  window.addEventListener("message", (event) => {
    const frame = document.getElementById("frame");
    if (!frame || event.source !== frame.contentWindow) return;
    const { origin, submitOrigin } = frame.dataset;
    const ours = event.origin === submitOrigin || event.origin === window.location.origin;
    if (!ours && event.origin !== origin) return;
    came();
    const { type, height, fill, assignmentId } = event.data ?? {};
    if (type === "fabula:height") {
      resize(frame, height, fill === true);
      event.source.postMessage({ type: "fabula:strip", shows: shown() }, event.origin);
    }
    if (type === "fabula:returned" || type === "fabula:done") {
      frame.dispatchEvent(new CustomEvent(type));
    }
    if (type === "fabula:submitted" && ours) {
      frame.dispatchEvent(new CustomEvent("fabula:submitted", { detail: assignmentId }));
    }
  });
}

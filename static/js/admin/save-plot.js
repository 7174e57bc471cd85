/* A plot as a file for a paper: always of this width; in which colours, the view says. */

export const PAPER_WIDTH = 560;

export async function savePlot(view, name) {
  const svg = await view.runAsync().then(() => view.toSVG());
  view.finalize();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  link.download = `${name}.svg`;
  link.click();
  URL.revokeObjectURL(link.href);
}

// Streamlit's bar over a chart saves it as PNG; a button beside that one saves it as SVG.

const FRAME = "[data-testid=stFullScreenFrame]"; // what a chart and its bar stand in
const PNG = 'button[aria-label^="Download as PNG"]';
const LONGEST = 80; // letters of a file's name

// A bar is there once its chart is drawn: it is looked for when somebody comes to the chart.
function offer(event) {
  const frame = event.target.closest?.(FRAME);
  const png = frame?.querySelector(PNG)?.closest("[data-testid=stElementToolbarButton]");
  if (!png || frame.querySelector("[data-save-svg]")) return;
  const beside = png.cloneNode(true);
  const button = beside.querySelector("button");
  button.dataset.saveSvg = "";
  button.ariaLabel = button.ariaLabel.replace("PNG", "SVG");
  button.title = "Download as SVG";
  button.textContent = "SVG";
  Object.assign(button.style, { font: "600 0.7rem/1 inherit", width: "auto", padding: "0 0.3rem" });
  button.addEventListener("click", () => save(frame.querySelector("svg.marks")));
  png.after(beside);
}

function save(drawn) {
  if (!drawn) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([standalone(drawn)], { type: "image/svg+xml" }));
  link.download = `${nameOf(drawn.parentElement.ariaLabel)}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// The drawing on its own: what the page lies behind it as a colour is a shape of it.
function standalone(drawn) {
  const copy = drawn.cloneNode(true);
  const ground = document.createElementNS(copy.namespaceURI, "rect");
  const colour = getComputedStyle(drawn).backgroundColor;
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: colour })) {
    ground.setAttribute(name, value);
  }
  copy.prepend(ground);
  copy.removeAttribute("style");
  return new XMLSerializer().serializeToString(copy);
}

const nameOf = (words) =>
  (words ?? "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, LONGEST) || "chart";

export function offerSvg() {
  for (const kind of ["pointerover", "focusin"]) addEventListener(kind, offer);
}

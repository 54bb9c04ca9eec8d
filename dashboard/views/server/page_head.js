// Links of ours inside a screen lead on within the app, without loading the page again.
addEventListener("click", (event) => {
  const link = event.target.closest?.(".stHtml a[href]");
  const other = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (link && !other && !link.target && link.origin === location.origin) {
    event.preventDefault();
    history.pushState({}, "", link.href);
    dispatchEvent(new PopStateEvent("popstate"));
  }
});

// A click anywhere in a row of these tables is moved to the row's box, which opens it.
const ROWS = ':is([class*="st-key-queries-by-"], [class*="st-key-slices-"])';
const HEAD = 33, BOX = 36; // pixels: height of the head, width of the boxes
const toTheBox = (event) => {
  if (!event.isTrusted || event.button || !event.target.closest?.(".dvn-scroller")) return;
  const cells = event.target.closest(ROWS)?.querySelector('[data-testid="data-grid-canvas"]');
  if (!cells) return;
  const { left, top, bottom } = cells.getBoundingClientRect();
  const { clientX, clientY } = event;
  if (clientY < top + HEAD || clientY > bottom || clientX < left + BOX) return;
  event.stopImmediatePropagation();
  const moved = { bubbles: true, cancelable: true, pointerType: "mouse", view: window };
  const Kind = event.constructor;
  const place = { clientX: left + BOX / 2, clientY, buttons: event.buttons };
  cells.dispatchEvent(new Kind(event.type, { ...moved, ...place }));
};
for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
  addEventListener(kind, toTheBox, true);

// A button with data-copy copies that text and says so in its own words for a moment.
addEventListener("click", async (event) => {
  const button = event.target.closest?.("button[data-copy]");
  if (!button) return;
  const { copy, done } = button.dataset;
  const text = copy.startsWith("?") ? location.href.split("?")[0] + copy : copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    window.prompt("Copy this:", text); // no clipboard without https
    return;
  }
  button.dataset.title ??= button.textContent;
  button.textContent = done;
  clearTimeout(button.later);
  button.later = setTimeout(() => (button.textContent = button.dataset.title), 2500);
});

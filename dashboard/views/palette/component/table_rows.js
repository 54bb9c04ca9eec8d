// A click anywhere in a row of these tables is moved to the row's box, which opens it.
const ROWS = ':is([class*="st-key-queries-by-"], [class*="st-key-slices-"])';
const HEAD = 33, BOX = 36; // pixels: height of the head, width of the boxes
function moveToTheBox(event) {
  if (!event.isTrusted || event.button || !event.target.closest?.(".dvn-scroller")) return;
  const cells = event.target.closest(ROWS)?.querySelector('[data-testid="data-grid-canvas"]');
  if (!cells) return;
  const { left, top, bottom } = cells.getBoundingClientRect();
  const { clientX, clientY } = event;
  if (clientY < top + HEAD || clientY > bottom || clientX < left + BOX) return;
  event.stopImmediatePropagation();
  const moved = { bubbles: true, cancelable: true, pointerType: "mouse", view: event.view };
  const Kind = event.constructor;
  const place = { clientX: left + BOX / 2, clientY, buttons: event.buttons };
  cells.dispatchEvent(new Kind(event.type, { ...moved, ...place }));
}

export function openRowsByClicks() {
  ["pointerdown", "mousedown", "pointerup", "mouseup", "click"].forEach((kind) =>
    addEventListener(kind, moveToTheBox, true),
  );
}

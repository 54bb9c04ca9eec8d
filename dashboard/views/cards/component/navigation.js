// Pointer and keys: what lights up, plays, opens, and where the arrow keys lead.

import { noteFocus } from "./focus.js";
import { hideMore, showMore } from "./grid.js";
import { actionOf } from "./keys.js";

const LOOK = 350; // milliseconds over a compact card until the rest of it shows

export function listen(rows, state) {
  const cardOf = (event) => event.target.closest?.(".card");
  const light = (card) => {
    rows.querySelectorAll(".card").forEach((other) => {
      const twin = Boolean(card) && other !== card && other.item.id === card.item.id;
      other.classList.toggle("twin", twin);
    });
  };
  const enter = (card, at = LOOK) => {
    light(card);
    if (at || !rows.parentElement.classList.contains("reviewing")) showMore(state, card, at);
    state.preview.start(card.querySelector(".picture"), card.item);
  };
  const leave = () => {
    light(null);
    hideMore(state);
    state.preview.stop();
  };
  let under = null; // the card under the pointer
  rows.addEventListener("pointerover", (event) => {
    const card = cardOf(event);
    if (event.pointerType === "touch" || card === under) return;
    under = card;
    if (card) enter(card);
    else leave();
  });
  rows.addEventListener("pointerleave", () => {
    under = null;
    leave();
  });
  rows.addEventListener("focusin", (event) => {
    const card = cardOf(event);
    if (!card) return;
    if (event.target.matches(".open")) noteFocus(event.target);
    const buttons = card.parentElement.querySelectorAll(".open");
    buttons.forEach((button) => (button.tabIndex = button === event.target ? 0 : -1));
    if (event.target.matches(":focus-visible")) enter(card, 0);
  });
  rows.addEventListener("focusout", () => under || leave());
  rows.addEventListener("click", (event) => {
    const card = cardOf(event);
    if (event.target.closest(".beside")) {
      mark(rows, state, card);
      return;
    }
    const reading = String(getSelection()) && !event.target.closest(".open");
    if (!card || reading) return;
    leave();
    const row = card.row.results.map(({ item }) => state.data.items[item].id);
    const { rank } = card.result;
    state.player.show(card.item.id, row, { tell: true, rank, marked: state.marked });
  });
  rows.addEventListener("keydown", (event) => {
    const action = actionOf(event, "cards");
    if (action === "mark" && event.target.matches(".open")) {
      event.stopPropagation(); // Streamlit has a use for this letter
      mark(rows, state, cardOf(event));
      return;
    }
    const to = neighbour(event.target.closest(".open"), action);
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    to.focus();
  });
  arrowsFromThePage(rows);
}

// Where nothing has the focus that could use an arrow key itself, it leads to the first card in
// sight; where none is in sight, up and down scroll the page as ever.
const UNUSED = "html, body, main, section, [data-testid=stButton] button, .steps button";

function arrowsFromThePage(rows) {
  const pressed = (event) => {
    if (!rows.isConnected) {
      document.removeEventListener("keydown", pressed);
      return;
    }
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (event.defaultPrevented || ctrlKey || metaKey || altKey || shiftKey) return;
    if (!/^Arrow/.test(key) || !event.composedPath()[0].matches?.(UNUSED)) return;
    if (rows.parentElement.querySelector("dialog[open]")) return;
    const all = [...rows.querySelectorAll(".open")];
    const along = key === "ArrowLeft" || key === "ArrowRight";
    const to = all.find(inSight) ?? (along ? all[0] : undefined);
    if (!to) return;
    event.preventDefault();
    to.focus();
  };
  document.addEventListener("keydown", pressed);
}

function inSight(button) {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const [across, down] = [(left + right) / 2, (top + bottom) / 2];
  return across > 0 && across < innerWidth && down > 0 && down < innerHeight;
}

// Marks the card whose clip the next opened one plays beside; a second time takes the mark away.
function mark(rows, state, card) {
  state.marked = state.marked === card.item.id ? "" : card.item.id;
  rows.querySelectorAll(".card").forEach((other) => {
    const marked = other.item.id === state.marked;
    other.classList.toggle("marked", marked);
    other.querySelector(".beside").ariaPressed = String(marked);
  });
}

// The card button that a key leads to: left and right along the row, up and down by what is seen.
function neighbour(from, action) {
  if (!from) return null;
  const inRow = [...from.closest(".line").querySelectorAll(".open")];
  const at = inRow.indexOf(from);
  const along = { left: at - 1, right: at + 1, first: 0, last: inRow.length - 1 };
  if (action in along) return inRow[along[action]] ?? null;
  const down = { up: -1, down: 1 }[action];
  if (!down) return null;
  const here = from.getBoundingClientRect();
  const away = (button) => {
    const there = button.getBoundingClientRect();
    const high = (there.top - here.top) * down;
    return high < here.height / 2 ? Infinity : high * 100 + Math.abs(there.left - here.left);
  };
  const all = [...from.closest(".rows").querySelectorAll(".open")];
  const nearest = all.reduce((best, one) => (away(one) < away(best) ? one : best), from);
  return nearest === from ? null : nearest;
}

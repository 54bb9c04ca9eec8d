// Pointer and keys: what lights up, plays, opens, and where the arrow keys lead.

import { hideMore, showMore } from "./grid.js";
import { make } from "./parts.js";

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
    showMore(state, card, at);
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
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    if (key === "c" && event.target.matches(".open")) {
      event.stopPropagation(); // Streamlit has a use for this letter
      mark(rows, state, cardOf(event));
      return;
    }
    const to = neighbour(event.target.closest(".open"), key);
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
function neighbour(from, key) {
  if (!from) return null;
  const inRow = [...from.closest(".line").querySelectorAll(".open")];
  const at = inRow.indexOf(from);
  const along = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: inRow.length - 1 };
  if (key in along) return inRow[along[key]] ?? null;
  const down = { ArrowUp: -1, ArrowDown: 1 }[key];
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

// The list of keys, shown by its button and by the key ?.

// only where there are buttons that step, there are keys for it
const steps = (root) => root.querySelector(".steps:not([hidden])") || document.querySelector(".st-key-steps");
const worse = (root) => root.querySelector(".steps:not([hidden])");
const KEYS = [
  [["j", "k"], "next and previous query", steps],
  [["n", "N"], "next and previous worse query", worse],
  [["←", "→", "↑", "↓"], "from card to card"],
  [["Home", "End"], "from a card to the first and last of its row"],
  [["Enter"], "open the card in the player"],
  [["c"], "mark the card to compare it with the next one that you open; again: unmark"],
  [["←", "→"], "in the player: previous and next result; on the clip itself: seek"],
  [["+", "−", "0"], "in the player: zoom in, zoom out, fit"],
  [["Space"], "in the player: play or pause; on a button: press it"],
  [["Esc"], "close the player or this list"],
  [["?"], "this list"],
];

export function listOfKeys(dialog, button) {
  const list = dialog.querySelector("dl");
  const fill = () => {
    const here = KEYS.filter(([, , where]) => !where || where(dialog.getRootNode()));
    const entry = ([keys, words]) => [
      make("dt", "", "", keys.map((key) => make("kbd", "", key))),
      make("dd", "", words),
    ];
    list.replaceChildren(...here.flatMap(entry));
  };
  const open = () => {
    fill();
    dialog.showModal();
  };
  const toggle = () => (dialog.open ? dialog.close() : open());
  button.addEventListener("click", toggle);
  dialog.querySelector(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  const pressed = (event) => {
    if (!dialog.isConnected) {
      document.removeEventListener("keydown", pressed, true);
      return;
    }
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.composedPath()[0])) return;
    event.preventDefault();
    toggle();
  };
  document.addEventListener("keydown", pressed, true);
}

const TEXTUAL = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea";
export const typing = (node) =>
  node instanceof Element && (node.matches(TEXTUAL) || Boolean(node.closest("[contenteditable]")));

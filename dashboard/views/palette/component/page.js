// The keys that work on every page: the palette, the list of keys, and g with the letter of a screen.

import { SCREENS } from "./address.js";
import { toggleKeys } from "./key_list.js";
import { actionOf, typing } from "./keys.js";
import { togglePalette } from "./palette.js";
import { addressOfScreen, goTo, pathHere } from "./places.js";

const PATIENCE = 1500; // milliseconds from g to the letter
let until = 0; // when a letter no longer belongs to g

function letterAfterG(event) {
  const waits = Date.now() < until;
  until = 0;
  if (!waits || event.ctrlKey || event.metaKey || event.altKey) return false;
  const screen = SCREENS.find(([letter]) => letter === event.key);
  if (screen && screen[1] !== pathHere()) goTo(addressOfScreen(screen[1]));
  return Boolean(screen);
}

const ACTIONS = {
  palette: togglePalette,
  keys: toggleKeys,
  go: () => (until = Date.now() + PATIENCE),
};

// First of all that listens: Streamlit has a use for some letters.
addEventListener(
  "keydown",
  (event) => {
    if (event.repeat || (event.key === "Shift" && until)) return;
    const taken = !typing(event.composedPath()[0]) && letterAfterG(event);
    const act = taken ? () => {} : ACTIONS[actionOf(event, "page")];
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  },
  true,
);

addEventListener("click", (event) => event.target.closest?.("[data-palette]") && togglePalette());

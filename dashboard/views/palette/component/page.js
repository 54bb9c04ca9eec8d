// What works on every page: the keys of the palette, of the list of keys, and g with the letter of a
// screen; links and buttons of ours; what has arrived; and the first steps.

import { SCREENS } from "./address.js";
import { askForArrivals } from "./arrivals.js";
import { copy } from "./copying.js";
import { holdEarlyClicks } from "./early_clicks.js";
import { welcome } from "./first_steps.js";
import { toggleKeys } from "./key_list.js";
import { actionOf, typing } from "./keys.js";
import { loadAnewWhereScriptsAreLost } from "./lost_scripts.js";
import { togglePalette } from "./palette.js";
import { addressOfScreen, goTo, pathHere } from "./places.js";
import { offerSvg } from "./save_svg.js";
import { openRowsByClicks } from "./table_rows.js";

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

addEventListener("click", (event) => {
  const target = event.composedPath()[0];
  const button = target.closest?.("button:is([data-palette], [data-copy])");
  if (button) return "copy" in button.dataset ? copy(button) : togglePalette();
  const link = target.closest?.(".stHtml a[href]");
  const other = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (link && !other && !link.target && link.origin === location.origin) {
    event.preventDefault(); // it leads on within the app, without loading the page again
    goTo(link.href);
  }
});

loadAnewWhereScriptsAreLost();
holdEarlyClicks();
openRowsByClicks();
offerSvg();
askForArrivals();
welcome();

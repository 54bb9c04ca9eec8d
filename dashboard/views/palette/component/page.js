// The keys that work on every page: the palette, the list of keys, and g with the letter of a screen.

import { SCREENS } from "./address.js";
import { toggleKeys } from "./key_list.js";
import { actionOf, typing } from "./keys.js";

const PATIENCE = 1500; // milliseconds from g to the letter
let until = 0; // when a letter no longer belongs to g

// Goes to an address of the app as its own links do, without loading the page.
export function goTo(address) {
  document.querySelectorAll(".sq-page").forEach((host) => host.close());
  history.pushState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

// The address of a screen with the choices of this page. Every screen stands right below the app.
export const addressOfScreen = (path) => new URL(path || ".", location.href).pathname + location.search;

// The path of this screen.
export const pathHere = () => location.pathname.split("/").at(-1);

function letterAfterG(event) {
  const waits = Date.now() < until;
  until = 0;
  if (!waits || event.ctrlKey || event.metaKey || event.altKey) return false;
  const screen = SCREENS.find(([letter]) => letter === event.key);
  if (screen && screen[1] !== pathHere()) goTo(addressOfScreen(screen[1]));
  return Boolean(screen);
}

const ACTIONS = {
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

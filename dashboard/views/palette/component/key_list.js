// The list of all keys that work on the page, shown by the key ? and by the cards' button.

import { SCREENS } from "./address.js";
import { KEYS, labelOf, PLACES, STEPS } from "./keys.js";
import { make } from "./parts.js";
import { dialogOf } from "./top_layer.js";

const cardsHere = () =>
  [...document.querySelectorAll("*")].map((node) => node.shadowRoot).find((root) => root?.querySelector(".cards .card"));
const stepsHere = () =>
  cardsHere()?.querySelector(".steps:not([hidden])") ?? document.querySelector(".st-key-steps");
const reviewHere = () => cardsHere()?.querySelector(".judging:not([hidden])");
// Where each place of keys is on this page; the others are on every page.
const HERE = { queries: stepsHere, cards: cardsHere, review: reviewHere, player: cardsHere };

export function toggleKeys() {
  const dialog = dialogOf("keys", "Keys", begin);
  if (dialog.open) {
    dialog.close();
    return;
  }
  const places = Object.entries(PLACES).filter(([place]) => !HERE[place] || HERE[place]());
  dialog.querySelector(".list").replaceChildren(...places.map(section));
  dialog.showModal();
}

function begin(dialog) {
  const close = make("button", "round close", "✕");
  Object.assign(close, { type: "button", ariaLabel: "Close", title: "Close (Esc)" });
  close.addEventListener("click", () => dialog.close());
  dialog.append(make("div", "heading", "", [make("h2", "", "Keys"), close]), make("div", "list"));
}

const entry = ([labels, words]) => [
  make("dt", "", "", labels.map((label) => make("kbd", "", label))),
  make("dd", "", words),
];

const few = (labels) => (labels.length > 5 ? [labels[0], "…", labels.at(-1)] : labels);

// Where nothing steps there are no keys for it, neither in the player.
const works = ([, , keys]) => !Object.values(keys).some((action) => STEPS.has(action)) || stepsHere();

function section([place, title]) {
  const lines = KEYS.filter((line) => line[0] === place && works(line)).flatMap(([, words, keys]) =>
    "g" in keys
      ? SCREENS.map(([letter, , screen]) => [["g", letter], screen])
      : [[few(Object.keys(keys).map(labelOf)), words]],
  );
  return make("section", "", "", [make("h3", "", title), make("dl", "", "", lines.flatMap(entry))]);
}

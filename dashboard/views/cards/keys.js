// The list of keys, shown by its button and by the key ?.

const STEPS = ".st-key-steps"; // only where there are buttons that step, there are keys for it
const KEYS = [
  [["j", "k"], "next and previous query", STEPS],
  [["n", "N"], "next and previous query that became worse", STEPS],
  [["←", "→", "↑", "↓"], "to the first card in sight, then from card to card"],
  [["Home", "End"], "from a card to the first and last of its row"],
  [["Enter"], "open the card and play it large"],
  [["c"], "mark the card: the next one that is opened stands beside it; again: take the mark away"],
  [["←", "→"], "in the player: previous and next result; on the clip itself: seek"],
  [["+", "−", "0"], "in the player: a picture larger, smaller, all of it"],
  [["Space"], "in the player: play or pause; on a button: press it"],
  [["Esc"], "close the player or this list"],
  [["?"], "this list"],
];

function listOfKeys(dialog, button) {
  const list = dialog.querySelector("dl");
  const fill = () => {
    const here = KEYS.filter(([, , where]) => !where || document.querySelector(where));
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
const typing = (node) =>
  node instanceof Element && (node.matches(TEXTUAL) || Boolean(node.closest("[contenteditable]")));

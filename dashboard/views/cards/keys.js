// The list of keys, shown by its button and by the key ?.

const KEYS = [
  [["j", "k"], "next and previous query"],
  [["n", "N"], "next and previous query that became worse"],
  [["←", "→", "↑", "↓"], "from card to card; Home and End: first and last of a row"],
  [["Enter"], "open the card and play it large"],
  [["c"], "mark the card: the next one that is opened plays beside it"],
  [["←", "→"], "in the player: previous and next result"],
  [["Space"], "in the player: play or pause"],
  [["Esc"], "close"],
  [["?"], "this list"],
];

function listOfKeys(dialog, button) {
  const list = dialog.querySelector("dl");
  for (const [keys, words] of KEYS) {
    list.append(make("dt", "", "", keys.map((key) => make("kbd", "", key))), make("dd", "", words));
  }
  const toggle = () => (dialog.open ? dialog.close() : dialog.showModal());
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

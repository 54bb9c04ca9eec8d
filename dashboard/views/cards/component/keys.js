// Every key that does something of ours, in one table: read by what listens and by the list of keys.

const TEXTUAL = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea";
export const typing = (node) =>
  node instanceof Element && (node.matches(TEXTUAL) || Boolean(node.closest("[contenteditable]")));

const MAC = /^(Mac|iP)/.test(navigator.platform);

// Where a key works, in words, in the order of the list.
export const PLACES = { page: "Everywhere", queries: "Queries", cards: "Cards", review: "Review mode", player: "Player" };

// Place, words, and the keys as events name them with what each does there.
export const KEYS = [
  ["page", "find a screen, query, version, metric or collection", { "Ctrl k": "palette", "/": "palette" }],
  ["page", "this list", { "?": "keys" }],
  ["page", "go to a screen: its letter after g", { g: "go" }],
  ["page", "close what is open", { Escape: "close" }],
  ["queries", "next and previous query", { j: "next", k: "previous" }],
  ["queries", "next and previous worse query", { n: "after", N: "before" }],
  ["cards", "from card to card", { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" }],
  ["cards", "from a card to the first and last of its row", { Home: "first", End: "last" }],
  ["cards", "open the card in the player", { Enter: "open" }],
  ["cards", "mark the card to compare it with the next one that you open; again: unmark", { c: "mark" }],
  ["cards", "review mode: keys judge the result in front; again: leave it", { v: "mode" }],
  ["review", "relevant, not relevant, unsure; the next result comes", { y: "relevant", x: "not", s: "unsure" }],
  ["review", "the grade, where judgements have grades; else, from 1 to 5, how good the list of the result in front is", grades()],
  ["review", "cause: model, label, keyword mapping, look-alike, duplicate", { m: "model", l: "label", p: "mapping", a: "look-alike", d: "duplicate" }],
  ["review", "write a note, take back the last judgement", { e: "note", u: "undo" }],
  ["review", "the candidate is much better, better, the same, worse, much worse; cannot judge", { "⇧5": "much better", "⇧4": "better", "⇧3": "same", "⇧2": "worse", "⇧1": "much worse", "⇧0": "cannot judge" }],
  ["review", "next query without a judgement of yours", { o: "unjudged" }],
  ["review", "what to judge next: what a sample drew, what can still turn the comparison, or a label that may be wrong", { w: "ahead" }],
  ["player", "previous and next result; on the clip itself: seek", { ArrowLeft: "left", ArrowRight: "right" }],
  ["player", "next and previous query, and the result at the same place of it", { j: "next", k: "previous" }],
  ["player", "next and previous worse query, likewise", { n: "after", N: "before" }],
  ["player", "fit, zoom in, zoom out", { 0: "fit", "+": "larger", "-": "smaller" }],
  ["player", "play or pause; on a button: press it", { " ": "play" }],
];

// What leads from query to query.
export const STEPS = new Set(["next", "previous", "after", "before"]);

function grades() {
  return Object.fromEntries([..."0123456789"].map((digit) => [digit, `grade ${digit}`]));
}

const covered = () => [...document.querySelectorAll(".sq-page")].some((host) => host.opened());

// A digit by its key, as some keyboards need Shift for what stands on it.
export const digitOf = ({ code, key, shiftKey }) => {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
  return digit === undefined ? key : `${shiftKey ? "⇧" : ""}${digit}`;
};

// What a pressed key does at a place; undefined where somebody types, another key is held, or a
// dialog of the page covers it.
export function actionOf(event, place, name = event.key) {
  if (place !== "page" && covered()) return undefined;
  const held = MAC ? event.metaKey : event.ctrlKey;
  if (event.altKey || (MAC ? event.ctrlKey : event.metaKey)) return undefined;
  if (!held && typing(event.composedPath()[0])) return undefined;
  const key = `${held ? "Ctrl " : ""}${name}`;
  return KEYS.find(([at, , keys]) => at === place && key in keys)?.[2][key];
}

const LABELS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", " ": "Space", "-": "−" };
export const labelOf = (key) => LABELS[key] ?? key.replace("Ctrl k", MAC ? "⌘ K" : "Ctrl K");

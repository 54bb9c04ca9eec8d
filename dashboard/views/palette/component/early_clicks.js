// A server that was started again knows no control of an open page before it has drawn that once, and
// drops what is clicked until then. Such a click waits here: the last one is done when the page stands.

const APP = "[data-testid=stApp]";
const STATES = ["data-test-connection-state", "data-test-script-state"];
const LONGEST = 30_000; // milliseconds after which clicks wait no more
const PATIENCE = 5000; // milliseconds in which a server begins to draw
const POINTED = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];

let stage = "new"; // then: first (drawn first), drawn, away (no connection), back, drawing (again)
let since = 0; // when it was connected again
let held = null; // the node that was clicked meanwhile

const NEXT = {
  new: (connected, running) => (connected && running ? "first" : "new"),
  first: (connected, running) => (connected ? (running ? "first" : "drawn") : "away"),
  drawn: (connected) => (connected ? "drawn" : "away"),
  away: (connected) => (connected ? "back" : "away"),
  back: (connected, running, ran) => (connected ? (running ? "drawing" : ran ? "drawn" : "back") : "away"),
  drawing: (connected, running) => (connected ? (running ? "drawing" : "drawn") : "away"),
};

function follow(records) {
  const app = document.querySelector(APP);
  if (!app) return;
  const [connection, script] = STATES.map((name) => app.getAttribute(name));
  const before = stage;
  const ran = records.some(({ oldValue }) => oldValue === "running"); // in less than a turn
  stage = NEXT[stage](connection === "CONNECTED", script === "running", ran);
  if (stage === "back" && before === "away") since = Date.now();
  if (stage === "drawn" && held) release();
}

// In the next turn: what was drawn last has its listeners then.
function release() {
  const node = held;
  held = null;
  document.documentElement.style.removeProperty("cursor");
  setTimeout(() => node.isConnected && node.click());
}

function hold(event) {
  const waits = stage === "back" || stage === "drawing";
  if (!waits || !event.isTrusted || Date.now() - since > LONGEST) return;
  const [node] = event.composedPath();
  if (!(node instanceof Element) || !event.target.closest?.(APP)) return;
  event.stopImmediatePropagation();
  event.preventDefault();
  if (event.type !== "click") return;
  held = node;
  document.documentElement.style.cursor = "progress";
  setTimeout(() => stage === "back" && held && release(), PATIENCE);
}

export function holdEarlyClicks() {
  POINTED.forEach((type) => addEventListener(type, hold, true));
  const watched = { subtree: true, attributes: true, attributeOldValue: true, attributeFilter: STATES };
  new MutationObserver(follow).observe(document.documentElement, watched);
}

// A server that was started again knows no control of an open page before it has drawn that once, and
// drops what is clicked until then. Such a click waits here: the last one is done when the page stands.

const APP = "[data-testid=stApp]";
const STATES = ["data-test-connection-state", "data-test-script-state"];
const LONGEST = 30_000; // milliseconds after which clicks wait no more
const PATIENCE = 5000; // milliseconds in which a server begins to draw
const POINTED = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];

let stage = "drawn"; // or away (no connection), back (nothing is drawn again yet), drawing
let since = 0; // when it was connected again
let held = null; // the node that was clicked meanwhile

// A page may stand there connected and running, or be drawn in less than a turn: what was is asked, too.
const NEXT = {
  drawn: (connected, running, was) => (!connected && was("CONNECTED") ? "away" : "drawn"),
  away: (connected) => (connected ? "back" : "away"),
  back: (connected, running, was) =>
    connected ? (running ? "drawing" : was("running") ? "drawn" : "back") : "away",
  drawing: (connected, running) => (connected ? (running ? "drawing" : "drawn") : "away"),
};

function follow(records) {
  const app = document.querySelector(APP);
  if (!app) return;
  const [connection, script] = STATES.map((name) => app.getAttribute(name));
  const was = (state) => records.some(({ oldValue }) => oldValue === state);
  const before = stage;
  stage = NEXT[stage](connection === "CONNECTED", script === "running", was);
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

// The entry: draws what the server's script sends, and tells it what is opened, paired and judged.

import { noteReady, preload, readyContents } from "./ahead.js";
import { listeners as contentListeners, orderOf, withContents } from "./contents.js";
import { refreshKeywordForms } from "./keyword_form.js";
import { restoreFocus } from "./focus.js";
import { drawRows, whenPageChosen } from "./grid.js";
import { drawHead } from "./head.js";
import { judging } from "./judging.js";
import { watch, withReviews } from "./live.js";
import { toggleKeys } from "./key_list.js";
import { listen } from "./navigation.js";
import { percentEncoded } from "./parts.js";
import { previews } from "./playback.js";
import { player } from "./player.js";
import { goTo, listenForSteps, queryOfAddress } from "./steps.js";

const states = new WeakMap(); // the component's element → what it remembers between runs
const ANSWER = 5000; // milliseconds in which the script confirms what was opened or closed

export { storeContents } from "./contents.js";

export function draw({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".cards");
  if (!states.has(root)) states.set(root, begin(root));
  const state = states.get(root);
  state.send = setTriggerValue;
  state.run = data;
  drawAnew(state);
}

// Draws what the last run sent, once all of it is here.
function drawAnew(state) {
  const { root, run } = state;
  const data = withContents(run);
  const order = orderOf(run.order);
  if (!data || order === undefined) return;
  completeAddress(data.address);
  if (order && run.query !== queryOfAddress()) return; // the reader has gone on meanwhile
  Object.assign(state, { data: withReviews(data), order, query: run.query });
  state.place = order?.queries.find(([, id]) => id === run.query)?.[0] ?? -1;
  catchUp(state);
  drawHead(state);
  drawRows(state, true);
  root.classList.remove("waiting");
  restoreFocus(root);
  state.drawJudging();
  state.player.update(state.data);
  watch(state, () => drawReviews(state));
  follow(state);
  reopen(state);
  if (!order) return;
  noteReady(run.query, run.contents);
  preload(state, () => drawQuery(state));
}

// What was told while the server was behind is sent once it is not.
function catchUp(state) {
  state.behind = false;
  markBehind(state);
  for (const message of state.held.splice(0)) state.send(...message);
}

function markBehind({ root, behind }) {
  root.getRootNode().host?.toggleAttribute("data-behind", behind);
}

// Draws what reviewers have said meanwhile.
function drawReviews(state) {
  if (!state.data || !state.root.isConnected) return;
  state.data = withReviews(state.data);
  drawRows(state);
  state.drawJudging();
  state.player.update(state.data);
  refreshKeywordForms();
}

// Draws the query that was stepped to while the server follows: its cards where they are here, its
// words until they come.
function drawQuery(state, name) {
  const { root, run } = state;
  if (!state.behind) return;
  markBehind(state);
  const content = readyContents(state.query);
  root.classList.toggle("waiting", !content);
  if (content) {
    const closed = { selected: null, beside: null, text: ["", ""], answer: run.answer };
    state.data = withReviews({ ...content, ...closed, density: run.density });
    drawRows(state, true);
    state.drawJudging();
    state.player.update(state.data);
    watch(state, () => drawReviews(state));
    reopen(state);
  } else if (name !== undefined) {
    state.data = { ...state.data, head: { title: name } };
  }
  drawHead(state);
  preload(state, () => drawQuery(state));
}

// After a step from the player it shows the result at the same place of the other query.
function reopen(state) {
  const { data, behind } = state;
  const results = data.rows[state.reopen?.row]?.results;
  const result = results?.[Math.min(state.reopen.at, results.length - 1)];
  state.reopen = null;
  if (!result) return;
  const ids = results.map(({ item }) => data.items[item].id);
  const { id } = data.items[result.item];
  if (behind) {
    const clip = `$1&clip=${encoded(id)}`;
    history.replaceState(history.state, "", location.href.replace(/([?&]query=[^&]*)/, clip));
    state.expected = { id, until: Date.now() + ANSWER };
  }
  state.player.show(id, ids, { tell: !behind, rank: result.rank, marked: "" });
}

// Where the browser's address leaves open which query is shown, the whole address takes its place.
function completeAddress(address) {
  if (!address || new URL(location.href).searchParams.has("query")) return;
  history.replaceState(history.state, "", `${location.pathname}?${address}`);
}

function begin(root) {
  const state = { root, rows: new Map(), preview: previews(), wanted: "", expected: null, marked: "" };
  Object.assign(state, { order: null, query: "", place: -1, behind: false, held: [], reopen: null });
  state.tell = (...message) => (state.behind ? state.held.push(message) : state.send(...message));
  Object.assign(state, { later: null, paired: null }); // what is told when the script has answered
  const told = {
    open: (id) => tellOpen(state, id),
    beside(id) {
      state.paired = id;
      queueMicrotask(() => tellBeside(state)); // after what is opened with it
    },
    verdict(said) {
      // Of another query it would be kept for that one.
      const open = JSON.stringify(said.about) === JSON.stringify(state.data.about);
      if (open) state.tell("verdict", said);
      return open;
    },
  };
  state.player = player(root.querySelector(".player"), told);
  listen(root.querySelector(".rows"), state);
  whenPageChosen(root.querySelector(".rows"), (first) => state.tell("missed", first));
  whenGoingBack(root, state);
  const drawStep = (name) => drawQuery(state, name);
  listenForSteps(state, drawStep);
  state.drawJudging = judging(state, () => drawReviews(state), (to) => goTo(state, to, drawStep));
  root.querySelector(".help").addEventListener("click", toggleKeys);
  const come = () => (root.isConnected ? drawAnew(state) : contentListeners.delete(come));
  contentListeners.add(come);
  return state;
}

// Tells the script what is open, one thing at a time: what is opened or closed until it has answered
// is told then, as a late answer would be taken for a step of the browser's history.
function tellOpen(state, id) {
  const { expected } = state;
  state.later = null;
  if (expected?.told) {
    state.later = id;
    return;
  }
  const opening = Boolean(id) && !opensClip(); // a step of the history, which the script makes
  state.expected = { id, until: Date.now() + ANSWER, opening, told: true };
  setTimeout(waitNoMore, ANSWER, state, state.expected);
  if (!id) state.paired = null;
  if (!id && leaveOpened()) return; // the script hears of it from the browser
  if (opensClip()) inPlace(id ? { clip: id } : { clip: "", beside: "" });
  state.tell("open", id);
}

// What waited for an answer goes on: none comes where the script drew what is there already.
function waitNoMore(state, expected) {
  if (state.expected !== expected) return;
  expected.told = false;
  if (state.later !== null) tellOpen(state, state.later);
  tellBeside(state);
}

// Tells the script what stands beside the open item, once it knows that one.
function tellBeside(state) {
  const id = state.paired;
  if (id === null || state.expected?.told || !opensClip()) return;
  state.paired = null;
  inPlace({ beside: id });
  state.tell("beside", id);
}

// Back and Forward open and close the player at once: the script may skip a state that it had no
// time to draw, and then sends nothing new.
function whenGoingBack(root, state) {
  const back = () => {
    if (!root.isConnected) {
      removeEventListener("popstate", back);
      return;
    }
    if (!state.data) return;
    const to = state.order?.queries.find(([, id]) => id === queryOfAddress());
    if (to && to[1] !== state.query) {
      Object.assign(state, { place: to[0], query: to[1], behind: true });
      drawQuery(state, to[2]);
    }
    const wanted = new URL(location.href).searchParams.get("clip") ?? "";
    state.expected = { id: wanted, until: Date.now() + ANSWER };
    state.later = null;
    if (wanted === state.player.id) return;
    if (wanted) state.player.show(wanted, rowOf(state.data, wanted), { tell: false });
    else state.player.hide();
  };
  addEventListener("popstate", back);
}

// Opens or closes the player when the script says so: a link, Back. A late answer to an earlier
// click does not undo a later one.
function follow(state) {
  const { data, expected, player } = state;
  const wanted = data.selected === null ? "" : data.items[data.selected].id;
  const changed = wanted !== state.wanted;
  state.wanted = wanted;
  const answered = expected?.id === wanted;
  if (answered && expected.opening) noteOpened();
  // A slow answer to an earlier key has written its clip behind what was closed meanwhile.
  if (answered && !wanted && opensClip()) inPlace({ clip: "", beside: "" });
  if (answered || Date.now() > expected?.until) state.expected = null;
  if (!state.expected && state.later === wanted) state.later = null; // told, it would draw nothing new
  if (!state.expected && state.later !== null) tellOpen(state, state.later);
  tellBeside(state);
  if (!(changed || answered) || state.expected || wanted === player.id) return;
  if (wanted) player.show(wanted, rowOf(data, wanted), { tell: false });
  else player.hide();
}

function rowOf(data, id) {
  const at = data.items.findIndex((item) => item.id === id);
  const row = data.rows.find(({ results }) => results.some(({ item }) => item === at));
  return row ? row.results.map(({ item }) => data.items[item].id) : [];
}

// The address while the player is open: opening is one step of the browser's history, which Back
// and Esc take back; going to a neighbour takes the place of the item that was open.

const OPENED = "player"; // in the state of a step that opened the player

// As the script writes it, which makes a step of its own for an address that differs.
const encoded = (text) => percentEncoded(text).replaceAll("%20", "+");

const opensClip = () => new URL(location.href).searchParams.has("clip");

// Changes the clip and what stands beside it without a new step; empty: it is taken out.
function inPlace(changes) {
  const parts = location.search.slice(1).split("&").filter(Boolean);
  const keyOf = (part) => part.split("=")[0];
  const entry = (key) => {
    if (!(key in changes)) return parts.filter((part) => keyOf(part) === key);
    return changes[key] ? [`${key}=${encoded(changes[key])}`] : [];
  };
  const query = parts
    .filter((part) => keyOf(part) !== "beside")
    .flatMap((part) => (keyOf(part) === "clip" ? [...entry("clip"), ...entry("beside")] : [part]))
    .join("&");
  history.replaceState(history.state, "", location.pathname + (query ? `?${query}` : ""));
}

// Notes that the step which the script has just made opened the player.
function noteOpened() {
  if (opensClip()) history.replaceState({ ...history.state, [OPENED]: true }, "");
}

// Goes back to before the player was opened, where this page did that; whether it does.
function leaveOpened() {
  if (!opensClip() || !history.state?.[OPENED]) return false;
  history.back();
  return true;
}

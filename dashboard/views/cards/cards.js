// The grid: rows of cards that are changed in place, so that nothing flickers or is fetched again.

const kept = new WeakMap(); // the component's element → what it remembers between runs
const TINY = 64; // pixels: pictures no larger are shown pixel by pixel
const ANSWER = 5000; // milliseconds in which the script confirms what was opened or closed

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".cards");
  if (!kept.has(root)) kept.set(root, begin(root));
  const state = kept.get(root);
  state.tell = setTriggerValue;
  state.run = data;
  drawAnew(state);
}

// Draws what the last run told, once all of it is here.
function drawAnew(state) {
  const data = joined(state.run);
  if (!data) return;
  sayAll(data.address);
  state.data = data;
  draw(state);
  state.player.update(data);
  follow(state);
}

// Where the browser's address leaves open which query is shown, the whole address takes its place.
function sayAll(address) {
  if (!address || new URL(location.href).searchParams.has("query")) return;
  history.replaceState(history.state, "", `${location.pathname}?${address}`);
}

function begin(root) {
  const state = { root, rows: new Map(), preview: previews(), wanted: "", expected: null, marked: "" };
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
  whenFurther(root.querySelector(".rows"), (first) => state.tell("missed", first));
  whenGoingBack(root, state);
  listOfKeys(root.querySelector(".keys"), root.querySelector(".help"));
  const come = () => (root.isConnected ? drawAnew(state) : whenKept.delete(come));
  whenKept.add(come);
  return state;
}

// Tells the script what is open, one thing at a time: what is opened or closed until it has answered
// is told then, as a late answer would be taken for a step of the browser's history.
function tellOpen(state, id) {
  const { expected } = state;
  state.later = null;
  if (expected?.told && Date.now() < expected.until) {
    state.later = id;
    return;
  }
  const opening = Boolean(id) && !opensClip(); // a step of the history, which the script makes
  state.expected = { id, until: Date.now() + ANSWER, opening, told: true };
  if (!id) state.paired = null;
  if (!id && leaveOpened()) return; // the script hears of it from the browser
  if (opensClip()) inPlace(id ? { clip: id } : { clip: "", beside: "" });
  state.tell("open", id);
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
    const wanted = new URL(location.href).searchParams.get("clip") ?? "";
    state.expected = { id: wanted, until: Date.now() + ANSWER };
    state.later = null;
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
  if (answered || Date.now() > expected?.until) state.expected = null;
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

function draw(state) {
  const { data, root } = state;
  const rows = root.querySelector(".rows");
  const versions = data.rows.filter(({ role }) => role === "version");
  const most = Math.max(1, ...(versions.length ? versions : data.rows).map(count));
  root.style.setProperty("--most", String(data.columns ?? Math.min(most, 10)));
  root.classList.toggle("grid", data.columns !== null);
  const keepFocus = focusHeld(root, state.rows);
  const built = inOrder(rows, state.rows, data.rows, (row) => `${row.role} ${row.name}`, newRow);
  data.rows.forEach((row, place) => fillRow(built[place], row, data));
  keepFocus();
  root.getRootNode().host?.setAttribute("data-drawn", ""); // the page draws outlines until then
}

const count = ({ results }) => results.length;

// Brings the children of `parent` in step with `wanted`, keeping those whose key stays.
function inOrder(parent, known, wanted, keyOf, build) {
  const times = new Map();
  const nodes = wanted.map((one) => {
    const name = keyOf(one);
    times.set(name, (times.get(name) ?? 0) + 1);
    const key = `${times.get(name)} ${name}`;
    if (!known.has(key)) known.set(key, build(one));
    known.get(key).key = key;
    return known.get(key);
  });
  const staying = new Set(nodes.map(({ key }) => key));
  for (const [key, node] of known) {
    if (staying.has(key)) continue;
    node.remove();
    known.delete(key);
  }
  nodes.forEach((node, place) => {
    if (parent.children[place] !== node) parent.insertBefore(node, parent.children[place] ?? null);
  });
  return nodes;
}

function newRow() {
  const section = make("section", "row", "", [make("header", "head"), make("ol", "line")]);
  section.cards = new Map();
  return section;
}

function fillRow(section, row, data) {
  section.dataset.role = row.role;
  section.ariaLabel = row.name;
  const [head, line] = section.children;
  fillHead(head, row);
  const cards = inOrder(line, section.cards, row.results, ({ item }) => data.items[item].id, newCard);
  row.results.forEach((result, place) => fillCard(cards[place], result, row, data));
  line.hidden = !cards.length;
  const buttons = cards.map((card) => card.querySelector(".open"));
  if (!buttons.some(({ tabIndex }) => tabIndex === 0) && buttons.length) buttons[0].tabIndex = 0;
}

function newCard() {
  const picture = make("span", "picture");
  const open = make("button", "open", "", [picture]);
  open.type = "button";
  open.tabIndex = -1;
  const beside = make("button", "plain beside", "compare");
  beside.type = "button";
  beside.tabIndex = -1; // the key c does the same
  return make("li", "card", "", [open, make("div", "facts"), beside]);
}

function fillCard(card, result, row, data) {
  const item = data.items[result.item];
  card.item = item;
  card.row = row;
  card.result = result;
  const beyond = row.role === "version" && data.depth !== null && result.rank > data.depth;
  card.classList.toggle("beyond", beyond);
  card.classList.toggle("unjudged", row.role === "whole" && item.hit === null);
  const said = JSON.stringify([result, item, data.required, beyond]);
  if (card.said === said) return;
  card.said = said;
  const [open, facts] = card.children;
  fillPicture(open.firstChild, result, item, row);
  card.lastChild.ariaLabel = `compare ${item.name}`;
  card.title = beyond ? "below what the metric looks at" : "";
  open.ariaLabel = spoken(result, item, data);
  facts.replaceChildren(...factsOf(result, item, row, data));
}

function fillPicture(picture, result, item, row) {
  let image = picture.querySelector("img");
  if (!image) {
    const plain = { width: 480, height: 270, loading: "lazy", decoding: "async", alt: "" };
    image = Object.assign(make("img"), plain);
    image.addEventListener("load", () => {
      picture.classList.remove("waiting");
      image.classList.toggle("squares", Math.max(image.naturalWidth, image.naturalHeight) <= TINY);
    });
    image.addEventListener("error", () => {
      picture.classList.remove("waiting");
      image.hidden = true;
      say(picture, picture.dataset.problem || "no picture");
      if (!picture.dataset.problem) noteWhy(picture, image);
    });
    picture.append(image);
  }
  picture.dataset.problem = item.problem;
  if (image.getAttribute("src") !== item.poster) {
    image.hidden = !item.poster;
    picture.classList.toggle("waiting", Boolean(item.poster));
    if (item.poster) image.src = item.poster;
    else image.removeAttribute("src");
  }
  const words = item.kind === "text";
  picture.classList.toggle("words", words);
  picture.classList.toggle("drawn", item.kind === "picture");
  say(picture, words ? item.caption : item.problem || (item.poster ? "" : "no picture"));
  picture.querySelectorAll(".rank, .move, .who").forEach((node) => node.remove());
  const ranked = result.rank !== null && row.role !== "missed";
  if (ranked) picture.append(make("span", "rank", String(result.rank)));
  if (result.note) picture.append(make("span", "who", "", [isolated("", result.note)]));
  if (result.move) picture.append(make("span", `move ${kindOf(result.move)}`, result.move));
}

async function noteWhy(picture, image) {
  const address = image.src;
  const word = await whyNoPoster(address);
  if (word && image.hidden && image.src === address) say(picture, word);
}

const kindOf = (move) => ({ "↑": "up", "↓": "down" })[move[0]] ?? move;

function factsOf(result, item, row, data) {
  const top = make("div", "top", "", [hitMark(item)]);
  if (result.score !== null && row.role !== "missed") {
    const score = make("span", "score", similarity(result.score));
    score.title = "similarity";
    top.append(score);
  }
  const elsewhere = item.places
    .filter(([version, rank]) => rank !== null && version !== row.name)
    .map(([version, rank, score]) => {
      const close = row.role === "missed" ? ` · ${similarity(score)}` : "";
      return isolated("", `#${rank} in ${version}${close}`);
    });
  return [
    top,
    data.required.length ? tickList(item, data.required) : null,
    make("div", "foot", "", [howMany(item), make("span", "elsewhere", "", elsewhere)]),
    row.role === "missed" || (row.role === "version" && item.hit === false) ? why(item, false) : null,
    twins(item, false),
    item.note ? make("span", "note", "", [isolated("", item.note)]) : null,
    item.reviewed ? make("span", "reviewed", `reviewed: ${item.reviewed[0]}`) : null,
    item.caption && item.kind !== "text" ? isolated("caption", item.caption.slice(0, 200)) : null,
  ].filter(Boolean);
}

function spoken(result, item, data) {
  const lacks = data.required.filter((_, place) => item.ticks[place] === false).map(([, word]) => word);
  return [
    result.rank === null ? "" : `Rank ${result.rank}`,
    item.name,
    MARKS.get(item.hit).word,
    result.score === null ? "" : `similarity ${similarity(result.score)}`,
    item.required ? `${item.matched ?? 0} of ${item.required} keywords` : "",
    lacks.length ? `lacks ${lacks.join(", ")}` : "",
    item.why.length ? `suspected: ${item.why[1]}` : "",
    item.twins.length ? "near-duplicate" : "",
    item.reviewed ? `reviewed: ${item.reviewed[0]}` : "",
    result.note ?? "",
    result.move.replace("↑", "up ").replace("↓", "down "),
    item.problem,
  ]
    .filter(Boolean)
    .join(", ");
}

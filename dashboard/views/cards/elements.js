// Makes the elements of cards and rows from plain values, and what views with keys share.

const make = (tag, name, ...inside) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside.filter((each) => ![undefined, null, ""].includes(each)));
  return element;
};

const makeButton = (name, text, label, act) => {
  const button = make("button", name, text);
  button.type = "button";
  if (label) button.setAttribute("aria-label", label);
  button.onclick = act;
  return button;
};

// Return a button that says its key.
function makeKeyed(name, text, key, act) {
  const button = makeButton(name, text, "", act);
  if (key === text) return button;
  const hint = make("kbd", "", key);
  hint.setAttribute("aria-hidden", "true");
  button.setAttribute("aria-keyshortcuts", key);
  button.append(hint);
  return button;
}

const isTyping = (event) =>
  event.composedPath()[0].closest?.("input:not([type=checkbox]), select, textarea, [contenteditable=true]");

// Do what a key means in `acts`, unless it is somebody else's or a text is typed.
function pressKey(event, acts) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
  const act = acts[event.key] || acts[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
}

const views = new WeakMap();

// Return the function of a component that keeps one view as long as its place is there.
// Streamlit calls what it returns also where newer values have come in the meantime.
const keepView = (View) => (component) => {
  const { parentElement } = component;
  if (!views.has(parentElement)) views.set(parentElement, new View(parentElement));
  const view = views.get(parentElement);
  view.update(component);
  return () => {
    if (parentElement.isConnected) return;
    view.close();
    views.delete(parentElement);
  };
};

// Return whether a component has not been drawn by the script that runs, so that it may go.
const isStale = (root) => Boolean((root.getRootNode().host ?? root).closest('[data-stale="true"]'));

// Return whether the background of the page is dark, by its luminance.
function isDark() {
  const [red, green, blue] = getComputedStyle(document.querySelector(".stApp") ?? document.body)
    .backgroundColor.match(/[\d.]+/g).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

function drawMedia(card) {
  const frame = make("div", "media");
  if (!card.picture) {
    frame.append(make("span", "words", card.caption || card.item));
    return frame;
  }
  const image = make("img");
  image.decoding = "sync";
  image.src = card.picture;
  image.alt = card.caption || card.item;
  image.onerror = () => image.replaceWith(make("span", "none", "cannot be shown"));
  frame.append(image);
  return frame;
}

const SIGNS = new Map([[true, "✓"], [false, "✕"]]);
const VERDICTS = new Map([[true, "hit"], [false, "wrong"], [null, "unjudged"]]);

function drawKeyword(has, name) {
  const line = make("div", `keyword ${has ? "has" : "lacks"}`);
  line.append(make("span", "sign", SIGNS.get(has)), make("span", "", name));
  return line;
}

// Return a numbered cell for each keyword; what is lacking has an edge and a cross.
function drawCells(card, required) {
  const cells = make("div", "cells");
  card.has.forEach((has, place) => {
    const cell = make("span", `cell ${has ? "has" : "lacks"}`, `${place + 1}${SIGNS.get(has)}`);
    cell.title = `${required[place]}: ${has ? "yes" : "no"}`;
    cells.append(cell);
  });
  return cells;
}

// Required keywords that stand on a card in words; more are numbered.
const isFew = ({ required }) => required.length <= 2;

function describeVerdict(card, query) {
  if (card.hit === null) return "not judged";
  if (card.hit) return card.grade ? `relevant, grade ${card.grade}` : "relevant";
  if (isFew(query) || !card.has.length) return "not relevant";
  return `${card.has.filter(Boolean).length} of ${card.has.length}`;
}

function drawText(card, query, brief) {
  const text = make("div", "text");
  const lacking = query.required[card.has.indexOf(false)];
  const number = query.required.length;
  if (brief && card.hit !== null) {
    const words = number > 1 ? `all ${number} keywords` : describeVerdict(card, query);
    text.append(drawKeyword(card.hit, card.hit ? words : lacking ?? "not relevant"));
  } else if (!brief) {
    const verdict = make("div", "verdict");
    const word = make("span", "");
    if (card.hit !== null) word.append(make("span", "sign", SIGNS.get(card.hit)));
    word.append(describeVerdict(card, query));
    verdict.append(word, make("span", "score", card.score));
    text.append(verdict);
    if (isFew(query)) {
      text.append(...card.has.map((has, place) => drawKeyword(has, query.required[place])));
    } else if (card.has.length) {
      text.append(drawCells(card, query.required), drawKeyword(!lacking, lacking ?? "has all keywords"));
    }
  }
  if (card.notes.length) text.append(make("div", "notes", card.notes.join(" · ")));
  if (card.foot) text.append(make("div", "foot", card.foot));
  return text;
}

const MARKS = new Map([["↑", "up"], ["↓", "down"]]);

function drawCard(card, query, row) {
  const element = make("article", `card ${VERDICTS.get(card.hit)}`);
  element.card = card;
  element.tabIndex = -1;
  const frame = drawMedia(card);
  if (card.rank) frame.append(make("span", "badge rank", card.rank));
  if (card.mark) {
    frame.append(make("span", `badge mark ${MARKS.get(card.mark[0]) ?? card.mark.split(" ")[0]}`, card.mark));
  }
  const keywords = card.has.map((has, place) => `${query.required[place]}: ${has ? "yes" : "no"}`);
  const place = card.rank ? `${row.name}, rank ${card.rank}` : row.name;
  element.setAttribute("aria-label", [place, describeVerdict(card, query), ...keywords, ...card.notes].join(". "));
  if (row.kind === "pick") element.title = card.foot;
  element.append(frame, drawText(card, query, row.kind !== "run"));
  return element;
}

function drawChips(names, isNumbered) {
  const chips = make("div", "chips");
  names.forEach((name, place) => {
    const chip = make("span", "chip");
    if (isNumbered) chip.append(make("b", "", `${place + 1} `));
    chip.append(name);
    chips.append(chip);
  });
  return chips;
}

function drawRow(row, query) {
  const section = make("section", `row ${row.kind}${row.baseline ? " baseline" : ""}`);
  const head = make("header", "head");
  if (row.colour) {
    const swatch = make("span", `swatch${row.baseline ? "" : " round"}`);
    swatch.style.background = row.colour;
    head.append(swatch);
  }
  head.append(make("h2", "", row.name));
  for (const name of ["value", "note"]) if (row[name]) head.append(make("span", name, row[name]));
  const line = make("div", "line");
  line.append(...row.cards.map((card) => drawCard(card, query, row)));
  if (!row.cards.length) line.append(make("span", "none", "no results"));
  section.append(head, line);
  return section;
}

// What shows queries one after another shares: steps, keys, a dialog, pictures that come next.
class QueryView {
  constructor(parent, name) {
    this.root = make("div", name);
    this.root.tabIndex = -1;
    this.dialog = make("dialog");
    this.dialog.tabIndex = -1; // it has the focus, so that Space is no press of Close
    parent.append(this.root, this.dialog);
    this.leave = new AbortController();
    const listen = { signal: this.leave.signal };
    document.addEventListener("keydown", (event) => this.press(event), listen);
    window.addEventListener("resize", () => this.fit(), listen);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.root);
    this.images = new Map();
  }

  close() {
    this.leave.abort();
    this.observer.disconnect();
    this.root.remove();
    this.dialog.remove();
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.trigger = setTriggerValue;
    this.payloads = new Map(data.payloads);
    this.isLeaving = false;
    for (const root of [this.root, this.dialog]) root.classList.toggle("dark", isDark());
  }

  // Show what the server sent, unless another query was stepped to before it came.
  follow() {
    if (this.awaited === this.data.query) this.awaited = undefined;
    if (this.awaited === undefined) this.show(this.data.query);
  }

  open(query) {
    if (!query) return;
    if (this.payloads.has(query)) this.show(query);
    this.awaited = query;
    this.trigger("query", query);
  }

  findStep(by, query = this.awaited ?? this.query) {
    const place = this.data.queries.findIndex(([id]) => id === query);
    return this.data.queries[place + by]?.[0];
  }

  // Return buttons to the query before and after, and the place of this one.
  drawSteps(query) {
    const { queries, first, total } = this.data;
    const place = first + queries.findIndex(([id]) => id === query) + 1;
    const step = (text, label, by) => {
      const button = makeButton("step", text, label, () => this.open(this.findStep(by)));
      button.disabled = !this.findStep(by, query);
      return button;
    };
    const count = make("output", "", `${place.toLocaleString("en")} of ${total.toLocaleString("en")}`);
    return [step("‹", "Previous query", -1), count, step("›", "Next query", 1)];
  }

  openDialog(content) {
    this.isZoomed = false;
    if (!this.dialog.open) this.dialog.showModal();
    this.drawDialog(content);
  }

  drawDialog(content) {
    this.dialog.replaceChildren(makeButton("step close", "✕", "Close", () => this.dialog.close()), content);
    this.dialog.focus();
  }

  // Load the pictures of queries that a key steps to; forget others.
  prefetch(sources) {
    const wanted = new Set(sources.filter(Boolean));
    for (const source of this.images.keys()) if (!wanted.has(source)) this.images.delete(source);
    for (const source of wanted) {
      if (!this.images.has(source)) this.images.set(source, Object.assign(new Image(), { src: source }));
    }
  }

  // Keys act on the cards below a card that is enlarged, which is the one in front.
  press(event) {
    if ((this.dialog.open && !this.isZoomed) || (this.isLeaving && isStale(this.root))) return;
    pressKey(event, this.listKeys(event));
  }
}

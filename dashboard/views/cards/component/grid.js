// The grid: rows of cards that are changed in place, so that nothing flickers or is fetched again.

import {
  MARKS,
  hitMark,
  howMany,
  inOrder,
  isolated,
  make,
  many,
  signed,
  similarity,
  swatch,
  tickLine,
  tickList,
  twins,
  why,
} from "./parts.js";
import { ownBadge, ownInWords } from "./judging.js";
import { reviewer } from "./live.js";
import { whyNoPoster, writeOver } from "./playback.js";

// soon: the rows of the versions are drawn now, the others as soon as the browser has time.
export function drawRows(state, soon = false) {
  const { data, root } = state;
  const rows = root.querySelector(".rows");
  const versions = data.rows.filter(({ role }) => role === "version");
  const most = Math.max(1, ...(versions.length ? versions : data.rows).map(count));
  root.style.setProperty("--most", String(data.columns ?? Math.min(most, 10)));
  root.classList.toggle("grid", data.columns !== null);
  root.classList.toggle("compact", data.density === "compact");
  const keepFocus = focusHeld(root, state.rows);
  const built = inOrder(rows, state.rows, data.rows, (row) => `${row.role} ${row.name}`, newRow);
  const isLater = (section, row) => soon && row.role !== "version" && section.cards.size > 0;
  const [later, now] = [[], []];
  data.rows.forEach((row, place) => (isLater(built[place], row) ? later : now).push([built[place], row]));
  fillRows(now, data);
  keepFocus();
  if (later.length) {
    const drawLater = () => {
      if (state.data !== data) return;
      const keepFocusThere = focusHeld(root, state.rows);
      fillRows(later, data);
      keepFocusThere();
    };
    requestIdleCallback(drawLater, { timeout: LATEST });
  }
  root.getRootNode().host?.setAttribute("data-drawn", ""); // the page draws outlines until then
}

const LATEST = 200; // milliseconds

// Keeps the focus on the card at the same place of the same row, whatever item comes to stand there.
function focusHeld(root, rows) {
  const card = root.getRootNode().activeElement?.closest(".card");
  if (!card || !root.contains(card)) return () => {};
  const line = card.parentElement;
  const row = line.parentElement.key;
  const place = [...line.children].indexOf(card);
  return () => {
    const cards = rows.get(row)?.querySelectorAll(".open");
    const open = cards?.[Math.min(place, cards.length - 1)];
    if (open && open !== root.getRootNode().activeElement) open.focus({ preventScroll: true });
  };
}

const TINY = 64; // pixels: pictures no larger are shown pixel by pixel
const MOST_TICKS = 12; // keywords on a card; the player lists all

const count = ({ results }) => results.length;

function newRow() {
  const line = make("ol", "line");
  line.at = 0;
  line.addEventListener("scroll", () => (line.at = line.scrollLeft), { passive: true });
  const section = make("section", "row", "", [make("header", "head"), line]);
  section.cards = new Map();
  return section;
}

// A browser follows the card that it has snapped to: a row would begin in its middle. All rows are
// scrolled back at the end, as the place of a row is known only when the page is laid out anew.
function fillRows(rows, data) {
  const begun = rows.filter(([section, row]) => fillRow(section, row, data));
  const places = begun.map(([section]) => [section.lastChild, section.lastChild.at]);
  for (const [line, at] of places) line.scrollLeft = at;
}

// Whether another card than before stands first.
function fillRow(section, row, data) {
  section.dataset.role = row.role;
  section.ariaLabel = row.name;
  const [head, line] = section.children;
  fillHead(head, row);
  const first = line.firstElementChild;
  const cards = inOrder(line, section.cards, row.results, ({ item }) => data.items[item].id, newCard);
  row.results.forEach((result, place) => fillCard(cards[place], result, row, data));
  line.hidden = !cards.length;
  const buttons = cards.map((card) => card.querySelector(".open"));
  if (!buttons.some(({ tabIndex }) => tabIndex === 0) && buttons.length) buttons[0].tabIndex = 0;
  return Boolean(first) && first !== line.firstElementChild;
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
  const said = JSON.stringify([result, item, data.required, beyond, data.density]);
  if (card.said === said) return;
  card.said = said;
  const [open, facts] = card.children;
  fillPicture(open.firstChild, result, item, row, data);
  card.lastChild.ariaLabel = `compare ${item.name}`;
  card.title = beyond ? "below the metric's cutoff" : "";
  open.ariaLabel = spoken(result, item, data);
  const draw = data.density === "compact" ? briefFacts : factsOf;
  facts.replaceChildren(...draw(result, item, row, data));
}

function fillPicture(picture, result, item, row, data) {
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
      writeOver(picture, picture.dataset.problem || "no picture");
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
  writeOver(picture, words ? item.caption : item.problem || (item.poster ? "" : "no picture"));
  picture.querySelectorAll(".rank, .move, .who, .own-verdict").forEach((node) => node.remove());
  const ranked = result.rank !== null && row.role !== "missed";
  if (ranked) picture.append(make("span", "rank", many(result.rank)));
  if (result.note) picture.append(make("span", "who", "", [isolated("", result.note)]));
  if (result.move) {
    const move = make("span", `move ${kindOf(result.move)}`, result.move);
    move.title = moveInWords(result.move, data);
    picture.append(move);
  }
  picture.append(...[ownBadge(item)].filter(Boolean));
}

async function noteWhy(picture, image) {
  const address = image.src;
  const word = await whyNoPoster(address);
  if (word && image.hidden && image.src === address) writeOver(picture, word);
}

// How a result moved: the badge's tooltip, and what a screen reader says.
function moveInWords(move, { rows }) {
  const [baseline, ...others] = rows.filter(({ role }) => role === "version");
  const absent = ({ name, number }) => `not in ${name}'s top ${many(number)}`;
  if (move === "new") return absent(baseline);
  if (move === "gone") return others.map(absent).join(", ");
  if (move === "same") return `same rank in ${baseline.name}`;
  return `${move.replace("↑", "up ").replace("↓", "down ")} from ${baseline.name}`;
}

const kindOf = (move) => ({ "↑": "up", "↓": "down" })[move[0]] ?? move;

function topOf(result, item, row) {
  const top = make("div", "top", "", [hitMark(item)]);
  if (result.score !== null && row.role !== "missed") {
    const score = make("span", "score", similarity(result.score));
    score.title = "similarity";
    top.append(score);
  }
  return top;
}

function elsewhereOf(item, row) {
  const ranks = item.places
    .filter(([version, rank]) => rank !== null && version !== row.name)
    .map(([version, rank, score]) => {
      const close = row.role === "missed" ? ` · ${similarity(score)}` : "";
      return isolated("", `#${many(rank)} in ${version}${close}`);
    });
  return make("span", "elsewhere", "", ranks);
}

const causeOf = (item, row, long) =>
  row.role === "missed" || (row.role === "version" && item.hit === false) ? why(item, long) : null;

// What reviewers said, unless it is one's own verdict alone, which stands on the picture.
function reviewsInWords({ reviewed, own }) {
  if (!reviewed) return "";
  const [words, last] = reviewed;
  return own && last.length === 1 && last[0][0] === reviewer() ? "" : `reviewed: ${words}`;
}

// Three lines: the mark, the keywords, and where it stands elsewhere with why it is no hit.
function briefFacts(result, item, row, data) {
  const badge = (words) => make("span", "reviewed", words);
  return [
    topOf(result, item, row),
    data.required.length ? tickLine(item, data.required) : null,
    make("div", "foot", "", [
      elsewhereOf(item, row),
      causeOf(item, row, false),
      twins(item, false),
      reviewsInWords(item) ? badge(reviewsInWords(item)) : null,
      item.note ? make("span", "note", "", [isolated("", item.note)]) : null,
    ]),
  ].filter(Boolean);
}

// All of a compact card stands under it, or above where there is no room, while one looks at it.
export function showMore(state, card, after) {
  hideMore(state);
  if (state.data.density !== "compact" || !matchMedia("(hover: hover)").matches) return;
  state.looking = setTimeout(() => {
    const { root } = state;
    const more = root.querySelector(".more");
    const item = card.item;
    const caption = item.kind === "text" ? "" : item.caption.slice(0, 300);
    more.replaceChildren(
      ...factsOf(card.result, { ...item, caption: "" }, card.row, state.data),
      ...[caption ? isolated("whole", caption) : null].filter(Boolean),
    );
    more.hidden = false;
    const [place, here, size] = [card, root, more].map((node) => node.getBoundingClientRect());
    const below = place.bottom + size.height + 8 < innerHeight;
    const top = below ? place.bottom - here.top + 4 : place.top - here.top - size.height - 4;
    const left = Math.max(0, Math.min(place.left - here.left, here.width - size.width));
    Object.assign(more.style, { top: `${top}px`, left: `${left}px` });
  }, after);
}

export function hideMore(state) {
  clearTimeout(state.looking);
  state.root.querySelector(".more").hidden = true;
}

function factsOf(result, item, row, data) {
  return [
    topOf(result, item, row),
    data.required.length ? tickList(item, data.required, MOST_TICKS) : null,
    make("div", "foot", "", [howMany(item), elsewhereOf(item, row)]),
    causeOf(item, row, false),
    twins(item, false),
    item.note ? make("span", "note", "", [isolated("", item.note)]) : null,
    reviewsInWords(item) ? make("span", "reviewed", reviewsInWords(item)) : null,
    item.caption && item.kind !== "text" ? isolated("caption", item.caption.slice(0, 200)) : null,
  ].filter(Boolean);
}

function spoken(result, item, data) {
  const lacks = data.required.filter((_, place) => item.ticks[place] === false).map(([, word]) => word);
  return [
    result.rank === null ? "" : `Rank ${many(result.rank)}`,
    item.name,
    MARKS.get(item.hit).word,
    result.score === null ? "" : `similarity ${similarity(result.score)}`,
    item.required ? `${item.matched ?? 0} of ${item.required} keywords` : "",
    lacks.length ? `lacks ${lacks.join(", ")}` : "",
    item.why.length ? `likely ${item.why[1]}` : "",
    item.twins.length ? "near-duplicate" : "",
    item.own ? `your verdict: ${ownInWords(item)}` : "",
    item.refused ?? "",
    reviewsInWords(item),
    result.note ?? "",
    result.move && moveInWords(result.move, data),
    item.problem,
  ]
    .filter(Boolean)
    .join(", ");
}

// What stands over a row of cards: whose it is, its value, its counts, and the way to further ones.

function fillHead(head, row) {
  const said = JSON.stringify({ ...row, results: row.results.length });
  if (head.said === said) return;
  head.said = said;
  const focused = head.getRootNode().activeElement;
  const page = head.contains(focused) ? focused.dataset.page : undefined;
  head.replaceChildren(...headOf(row));
  const buttons = [...head.querySelectorAll("[data-page]")];
  const again = buttons.find((button) => button.dataset.page === page && !button.disabled);
  if (page) (again ?? buttons.find(({ disabled }) => !disabled))?.focus();
}

function headOf(row) {
  const hidden = row.role === "missed" ? 0 : row.number - row.results.length;
  return [
    row.colour ? swatch(row.colour, row.shape) : null,
    make("h2", "", "", [isolated("", row.name)]),
    row.measure
      ? make("span", "value", "", [`${row.measure} `, make("b", "", worth(row.value))])
      : null,
    ...counts(row).map((words) => make("span", "count", words)),
    hidden ? make("span", "count", `${many(hidden)} hidden (same rank in all)`) : null,
    row.note || !row.number
      ? make("span", "note", "", [isolated("", row.note || "no results")])
      : null,
    ...pages(row),
  ].filter(Boolean);
}

// What is not judged is neither a hit nor a miss.
function counts({ role, number, hits, judged, total }) {
  const all = total || number;
  if (role === "missed") return [`${many(all)} ${all === 1 ? "item" : "items"}`];
  if (!number) return [];
  if (!judged) return [`${many(number)} ${number === 1 ? "result" : "results"}, not judged`];
  const of = judged === number ? many(number) : `${many(judged)} judged`;
  const said = `${many(hits)} of ${of} ${hits === 1 || judged === 1 ? "is a hit" : "are hits"}`;
  return judged === number ? [said] : [said, `${many(number - judged)} not judged`];
}

// Buttons to the items before and after those that the row shows.
function pages({ total, previous_page: previous, next_page: next }) {
  if (!total) return [];
  const button = (page, words, to) => {
    const node = make("button", "plain", words);
    node.type = "button";
    node.disabled = !to;
    node.dataset.page = page;
    node.dataset.first = to;
    return node;
  };
  return [button("previous", "previous", previous), button("next", "next", next)];
}

// Calls `tell` with the place of the first item that is asked for.
export function whenPageChosen(rows, tell) {
  rows.addEventListener("click", (event) => {
    const button = event.target.closest("[data-page]");
    if (button) tell(button.dataset.first);
  });
}

// Three digits after the point, of a small value so many that three say something: as everywhere.
const worth = (value) => {
  if (value === null || value === undefined) return "–";
  const small = value && Math.abs(value) < 0.02;
  const digits = small ? Math.min(2 - Math.floor(Math.log10(Math.abs(value))), 9) : 3;
  return signed(value.toFixed(digits));
};

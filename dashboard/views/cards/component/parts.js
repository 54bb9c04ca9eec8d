// Small pieces of the page. Text from data enters only here, and only as textContent.

import { OF_ONE_QUERY } from "./address.js";

export const MARKS = new Map([
  [true, { sign: "✓", word: "relevant", state: "yes" }],
  [false, { sign: "✕", word: "not relevant", state: "no" }],
  [null, { sign: "?", word: "not judged", state: "unknown" }],
]);
const TICKS = new Map([
  [true, { sign: "✓", word: "has", state: "yes" }],
  [false, { sign: "✕", word: "lacks", state: "no" }],
  [null, { sign: "?", word: "not annotated:", state: "unknown" }],
]);

export function make(tag, name = "", text = "", children = []) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text) node.textContent = text;
  node.append(...children.filter(Boolean));
  return node;
}

const WHOLE = new Intl.NumberFormat("en");
export const many = (number) => WHOLE.format(number); // 1,234, as everywhere
export const isolated = (name, text) => make("bdi", name, text);
const aside = (text) => make("span", "unseen", text);
export const signed = (digits) => digits.replace(/^-(?=[0.]*$)/, "").replace("-", "−"); // no minus nothing
export const similarity = (score) => (score === null ? "–" : signed(score.toFixed(3)));

export function hitMark(item) {
  const mark = MARKS.get(item.hit);
  const node = make("span", `mark ${mark.state}`);
  const sign = make("span", "sign", mark.sign);
  sign.ariaHidden = "true";
  node.append(sign, ` ${mark.word}`);
  return node;
}

// The shapes of the charts, as clip paths.
const SHAPES = new Map([
  ["circle", "circle(50%)"],
  ["square", "inset(6% round 2px)"],
  ["triangle-up", "polygon(50% 4%, 100% 94%, 0 94%)"],
  ["cross", "polygon(33% 0, 67% 0, 67% 33%, 100% 33%, 100% 67%, 67% 67%, 67% 100%, 33% 100%, 33% 67%, 0 67%, 0 33%, 33% 33%)"],
  ["diamond", "polygon(50% 0, 100% 50%, 50% 100%, 0 50%)"],
  ["triangle-right", "polygon(6% 0, 96% 50%, 6% 100%)"],
  ["triangle-down", "polygon(0 6%, 100% 6%, 50% 96%)"],
]);

export function swatch(colour, shape) {
  const node = make("span", "swatch");
  if (/^#[0-9a-f]{6}$/i.test(colour || "")) node.style.background = colour;
  node.style.clipPath = SHAPES.get(shape) ?? "";
  node.ariaHidden = "true";
  return node;
}

// The required keywords of the query by semantic group, each with what this item has of them.
// Of more than `most` the ones that it lacks come first, and how many are left out.
export function tickList(item, required, most = Infinity) {
  const list = make("ul", "ticks");
  const groups = new Map();
  const all = required.map((_, place) => place);
  if (all.length > most) all.sort((a, b) => (item.ticks[a] === true) - (item.ticks[b] === true));
  for (const place of all.slice(0, most)) {
    const [group, keyword] = required[place];
    if (!groups.has(group)) groups.set(group, make("li", "group", "", [make("span", "name", group)]));
    const tick = TICKS.get(item.ticks[place] ?? null);
    const sign = make("span", "sign", tick.sign);
    sign.ariaHidden = "true";
    const word = isolated("", keyword);
    word.title = keyword; // a card has two lines of a long one
    groups.get(group).append(make("span", `tick ${tick.state}`, "", [sign, aside(tick.word), word]));
  }
  list.append(...groups.values());
  if (all.length > most) list.append(make("li", "further", `and ${many(all.length - most)} more`));
  return list;
}

// The same in one line for a compact card; of many keywords their number and what it lacks.
const FEW = 3;

export function tickLine(item, required) {
  const all = required.map((_, place) => place);
  const lacking = all.filter((place) => item.ticks[place] !== true);
  const few = required.length <= FEW;
  const list = make("ul", "tick-line");
  if (!few) list.append(make("li", "matched", `${item.matched ?? 0}/${required.length}`));
  for (const place of few ? all : lacking.slice(0, FEW)) {
    const [group, keyword] = required[place];
    const tick = TICKS.get(item.ticks[place] ?? null);
    const sign = make("span", "sign", tick.sign);
    sign.ariaHidden = "true";
    const node = make("li", `tick ${tick.state}`, "", [sign, aside(tick.word), isolated("", keyword)]);
    node.title = `${group}: ${keyword}`;
    list.append(node);
  }
  return list;
}

// What is suspected to be wrong: a few words on a card, a sentence in the player.
export function why(item, long) {
  if (!item.why.length) return null;
  const [cause, short, sentence] = item.why;
  const node = make(long ? "p" : "span", `why ${cause}`);
  node.append(make("span", "name", long ? "Likely cause: " : "likely "), isolated("", short));
  if (long) node.append(make("br"), isolated("", sentence));
  return node;
}

// The near-duplicates of an item: that there are some on a card, which and why in the player.
export function twins(item, long) {
  if (!item.twins.length) return null;
  if (!long) {
    const [name, , id] = item.twins[0];
    const said = make("span", "twins", "", ["near-duplicate of ", isolated("", name)]);
    said.title = id;
    return said;
  }
  const list = make("ul", "twins");
  for (const [name, says, id] of item.twins) {
    const quiet = id === name ? null : isolated("id", id);
    list.append(make("li", "", "", ["near-duplicate of ", isolated("", name), ` (${says}) `, quiet]));
  }
  return list;
}

export function howMany(item) {
  if (!item.required) return null;
  return make("span", "matched", `${many(item.matched ?? 0)} of ${many(item.required)} keywords`);
}

// A text that is clamped until it is asked for; `few` says how much of a longer one it is.
export function longText(name, text, limit, few) {
  if (!text) return null;
  const paragraph = make("p", name, "", [isolated("", text)]);
  if (text.length <= limit) return paragraph;
  paragraph.classList.add("clamped");
  const button = make("button", "plain", "show all");
  button.type = "button";
  button.addEventListener("click", () => {
    const open = paragraph.classList.toggle("clamped");
    button.textContent = open ? "show all" : "show less";
  });
  return make("div", "", "", [paragraph, few ? make("p", "note", few) : null, button]);
}

// Percent-encodes a text as Python's `quote` and `quote_plus` (before its plus signs) do.
export const percentEncoded = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) =>
    `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

// The address of a query in the same view.
export function addressOf(id) {
  const keyOf = (part) => part.split("=")[0];
  const parts = location.search.slice(1).split("&").filter((part) => part && !OF_ONE_QUERY.includes(keyOf(part)));
  const mine = `query=${encodeURIComponent(id)}`;
  const at = parts.findIndex((part) => keyOf(part) === "query");
  if (at < 0) parts.push(mine);
  else parts[at] = mine;
  return parts.join("&");
}

// Brings the children of `parent` in step with `wanted`, keeping those whose key stays, as what is
// replaced under a pressed button loses the click.
export function inOrder(parent, known, wanted, keyOf, build) {
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

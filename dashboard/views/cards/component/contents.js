// What grids show: one message for it and another for what is open of it, so that Streamlit sends the
// large one once.

import { percentEncoded } from "./parts.js";

const MOST = 60; // contents of earlier queries, and of those that may come next
const contents = new Map(); // name → content
const orders = new Map(); // name → the queries in their order
const MOST_ORDERS = 4;
export const listeners = new Set(); // called when another has come

// Unpacks and stores a content, and gives its name; `data` is deflated JSON.
export async function storeContents({ data }) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  const sent = await new Response(stream).json();
  if (sent.order) {
    orders.set(sent.name, { queries: sent.order, total: sent.total });
    if (orders.size > MOST_ORDERS) orders.delete(orders.keys().next().value);
    listeners.forEach((listener) => listener());
    return sent.name;
  }
  const content = unpacked(sent);
  contents.delete(content.name);
  contents.set(content.name, content);
  if (contents.size > MOST) contents.delete(contents.keys().next().value);
  listeners.forEach((listener) => listener());
  return content.name;
}

export const contentOf = (name) => contents.get(name);

// The order of that name: null where there is none, undefined while it is under way.
export const orderOf = (name) => (name ? orders.get(name) : null);

// A content joined with what is open of it, or null while the content is under way.
export function withContents(run) {
  const content = contents.get(run.contents);
  if (!content) return null;
  const [caption, few] = run.text;
  const items = content.items.map((item, number) =>
    caption && number === run.selected ? { ...item, caption, few } : item,
  );
  return { ...content, ...run, items };
}

// Puts back what was left out to keep the message small.
function unpacked(data) {
  const items = data.items.map((item, number) => {
    const id = percentEncoded(item.id);
    const address = (parts) => (parts ? data.stems[parts[0]].replace("*", () => id) + parts[1] : "");
    return {
      label: item.id,
      few: "",
      kind: "clip",
      problem: "",
      note: "",
      span: [null, null],
      twins: [],
      reviewed: null,
      ...item,
      ...(item.kind === "animation" ? { kind: "picture", moves: true } : {}),
      name: brief(item.caption.trim() || item.label || item.id),
      poster: address(item.poster),
      media: address(item.media),
      askable: data.askable === true || Boolean(data.askable?.includes(number)),
      why: item.why ? data.whys[item.why[0]] : [],
      places: item.places.map(([number, ...place]) => [data.versions[number], ...place]),
      annotations: grouped(item.annotations.map((number) => data.keywords[number])),
    };
  });
  const results = (row) => row.results.map((result) => ({ move: "", ...result }));
  return { ...data, items, rows: data.rows.map((row) => ({ ...row, results: results(row) })) };
}

const NAME = 120; // letters
const brief = (text) => (text.length > NAME ? `${text.slice(0, NAME - 1)}…` : text);

function grouped(pairs) {
  const groups = new Map();
  for (const [group, keyword] of pairs) {
    if (!groups.has(group)) groups.set(group, [group]);
    groups.get(group).push(keyword);
  }
  return [...groups.values()];
}

// What the player says of the open item, and the choice of what stands beside it.

import {
  hitMark,
  howMany,
  isolated,
  longText,
  make,
  many,
  similarity,
  swatch,
  tickList,
  twins,
  why,
} from "./parts.js";
import { ownBadge } from "./judging.js";
import { verdicts } from "./verdict_form.js";

const place = (rank) => (rank ?? null) === null ? "#–" : `#${many(rank)}`;

// What stands under each of two clips: which it is, whether it is relevant and what it has.
export function titleOf(item, data) {
  const ranks = item.places.map(([version, rank]) => `${place(rank)} in ${version}`).join(", ");
  return make("figcaption", "", "", [
    make("p", "", "", [make("b", "", "", [isolated("", item.name)]), " ", quietId(item)]),
    make("p", "verdict", "", [hitMark(item), howMany(item), isolated("places", ranks)]),
    data.required.length ? tickList(item, data.required) : null,
  ]);
}

export function facts(item, data) {
  return [
    make("p", "verdict", "", [hitMark(item), howMany(item), ownBadge(item)]),
    why(item, true),
    twins(item, true),
    item.note ? make("p", "note", "", [isolated("", item.note)]) : null,
    data.required.length ? tickList(item, data.required) : null,
    places(item, data),
    verdicts(item),
    annotations(item),
    item.caption === item.name ? null : longText("caption", item.caption, 240, item.few),
    quietId(item),
    linkTo(item),
  ].filter(Boolean);
}

// An item goes by its name; its id stands where it does not shout.
const quietId = (item) =>
  item.name === item.label ? null : make("span", "id", "", ["id ", isolated("", item.label)]);

function places(item, data) {
  if (!item.places.length) return null;
  const ways = new Map(data.ways.map(([name, ...way]) => [name, way]));
  const head = make("tr", "", "", ["version", "rank", "similarity"].map((name) => make("th", "", name)));
  const rows = item.places.map(([version, rank, score]) => {
    const name = make("th", "", "", [swatch(...(ways.get(version) ?? [])), isolated("", version)]);
    name.scope = "row";
    const cells = [rank === null ? "–" : place(rank), similarity(score)].map((text) => make("td", "", text));
    return make("tr", "", "", [name, ...cells]);
  });
  return make("table", "places", "", [make("thead", "", "", [head]), make("tbody", "", "", rows)]);
}

function annotations(item) {
  if (!item.annotations.length) return make("p", "note", "No annotations.");
  const list = make("dl", "annotations");
  for (const [group, ...keywords] of item.annotations) {
    const words = keywords.map((word) => isolated("keyword", word));
    list.append(make("dt", "", group), make("dd", "", "", words));
  }
  return list;
}

// Which item a second clip can be: what other versions have at the same rank, and the marked card.

export function partners(item, data, { rank, marked }) {
  const found = new Map();
  for (const row of data.rows.filter(({ role }) => role === "version")) {
    const at = row.results.find((result) => result.rank === (rank ?? 1));
    const other = at && data.items[at.item];
    if (other && other.id !== item.id && !found.has(other.id)) {
      found.set(other.id, `${place(at.rank)} in ${row.name}: ${other.name}`);
    }
  }
  const known = data.items.find(({ id }) => id === marked);
  if (known && known.id !== item.id) found.set(known.id, `marked: ${known.name}`);
  return found;
}

export function besides(item, offered, beside, choose) {
  const list = make("select");
  list.append(make("option", "", "none"));
  const options = new Map(offered);
  if (beside && !options.has(beside.id)) options.set(beside.id, beside.name);
  for (const [id, words] of options) {
    const option = make("option", "", words);
    option.value = id;
    option.selected = id === beside?.id;
    list.append(option);
  }
  list.firstChild.value = "";
  list.addEventListener("change", () => choose(list.value));
  const words = item.kind === "clip" ? "Play beside: " : "Show beside: ";
  return make("label", "besides", "", [words, list]);
}

// The address of the screen Search with this item, in the same view.
export function addressOfMoreLike(item) {
  const address = new URL("search", location.href);
  for (const [key, value] of new URL(location.href).searchParams) {
    if (!["clip", "beside", "query", "list", "pair", "text", "picture"].includes(key)) {
      address.searchParams.append(key, value);
    }
  }
  address.searchParams.set("item", item.id);
  return address.href;
}

function moreLike(item) {
  if (!item.askable) return null;
  const link = make("a", "plain", "More like this");
  link.href = addressOfMoreLike(item);
  link.title = "Search with this item";
  return link;
}

function linkTo(item) {
  const address = () => {
    const whole = new URL(location.href);
    whole.searchParams.set("clip", item.id);
    return whole.href;
  };
  const field = make("input");
  field.readOnly = true;
  field.hidden = true;
  field.ariaLabel = "Link to this item";
  const button = make("button", "plain", "Copy link");
  button.type = "button";
  button.addEventListener("click", async () => {
    field.value = address();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Link copied";
    } catch {
      field.hidden = false; // without a secure connection the browser does not let us copy
      field.select();
    }
  });
  return make("p", "link", "", [button, moreLike(item), field]);
}

// The cards of the queries that may come next, fetched before they are asked for.

import { contentOf, storeContents } from "./contents.js";
import { stepTo } from "./head.js";
import { addressOf } from "./parts.js";

const MOST = 60; // addresses whose contents are remembered
const TURNS = 2; // fetched at the same time
const NEAR = [1, 2, -1]; // places from the open query, the likeliest first
const FURTHER = [3, 4, 5, 6]; // of a reader who steps quickly
const QUICK = 2000; // ms between two steps
const POSTERS = 6; // of a row
const ready = new Map(); // address of a query → the name of its contents; empty: none
const underWay = new Set();
let [last, quick] = [{ query: "", at: -Infinity }, false]; // the newest step

// Notes what a run of the script brought.
export function noteReady(id, name) {
  const address = addressOf(id);
  ready.delete(address);
  ready.set(address, name);
  if (ready.size > MOST) ready.delete(ready.keys().next().value);
}

// The contents of a query, or undefined while they are not here.
export const readyContents = (id) => contentOf(ready.get(addressOf(id)));

// Fetches what is likely to be asked for next; `come` is called with each query whose contents came.
export function preload(state, come) {
  if (state.behind && state.query !== last.query) {
    quick = performance.now() - last.at < QUICK;
    last = { query: state.query, at: performance.now() };
  }
  while (underWay.size < TURNS && state.order && state.root.isConnected) {
    const id = wanted(state).find((one) => !underWay.has(addressOf(one)) && !known(one));
    if (id === undefined) return;
    fetchContents(id).then((name) => {
      if (name && id === state.query) come();
      preload(state, come);
    });
  }
}

const known = (id) => ready.get(addressOf(id)) === "" || Boolean(readyContents(id));

function wanted(state) {
  const places = quick ? [...NEAR, ...FURTHER] : NEAR;
  const near = places.map((by) => state.order.queries.find(([at]) => at === state.place + by));
  const [one, two, ...others] = near;
  const queries = [one, two, stepTo(state, "after"), ...others, stepTo(state, "before")];
  return [...(state.behind ? [state.query] : []), ...queries.filter(Boolean).map(([, id]) => id)];
}

async function fetchContents(id) {
  const address = addressOf(id);
  underWay.add(address);
  let name = "";
  try {
    const answer = await fetch(`neighbour?${address}`);
    if (answer.ok) name = await storeContents({ data: await answer.arrayBuffer() });
    for (const row of contentOf(name)?.rows ?? []) preloadPosters(row, contentOf(name).items);
  } catch {} // the script brings it all the same
  underWay.delete(address);
  ready.set(address, name);
  return name;
}

function preloadPosters({ results }, items) {
  for (const { item } of results.slice(0, POSTERS)) {
    if (items[item].poster) new Image().src = items[item].poster;
  }
}

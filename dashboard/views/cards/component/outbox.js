// What the reviewer did and the store has not confirmed yet: sent in order, one message at a time,
// and again until it is answered. Each press has a name of its own, so it is saved once however
// often it is sent; the list outlives a reload and a server that is away.

const KEPT = "search-quality-presses";
const MOST = 50; // acts of a message
const PAUSES = [300, 1000, 2000, 4000]; // milliseconds until the next attempt
const AWAY = "Not saved yet: no connection to the server.";

let acts = read();
let sending = false;
let attempt = 0;
let timer = null;
let problem = ""; // why the first of them is not saved yet
const listeners = new Set();
const refusals = new Map(); // the place of an act → why it was refused

const placeOf = ({ collection, query, item = "" }) => JSON.stringify([[collection, query], item]);

export const whyRefused = (about, item) => refusals.get(JSON.stringify([about, item])) ?? "";
export const waiting = () => acts;
export const whyWaiting = () => problem;
export const whenAnswered = (listener) => listeners.add(listener);

// A name for a press. crypto.randomUUID is missing where a page is not served over https.
function nameOfPress() {
  const letters = crypto.getRandomValues(new Uint8Array(16));
  return [...letters].map((one) => one.toString(16).padStart(2, "0")).join("");
}

export function put(act) {
  acts.push({ once: nameOfPress(), ...act });
  refusals.delete(placeOf(act));
  keep();
  send();
}

export async function send() {
  if (sending || !acts.length) return;
  clearTimeout(timer);
  sending = true;
  const batch = acts.slice(0, MOST);
  const answer = await posted(batch);
  sending = false;
  const settled = new Map();
  for (const result of answer.results) if (!result.again) settled.set(result.once, result);
  problem = answer.results.find(({ again }) => again)?.problem ?? "";
  const done = acts.filter(({ once }) => settled.has(once));
  acts = acts.filter(({ once }) => !settled.has(once));
  for (const act of done) {
    const refused = settled.get(act.once).problem;
    if (refused && !act.keyword) refusals.set(placeOf(act), refused);
  }
  keep();
  listeners.forEach((listener) => listener(answer, done.map((act) => [act, settled.get(act.once)])));
  attempt = problem ? attempt + 1 : 0;
  if (!acts.length) return;
  if (problem) timer = setTimeout(send, PAUSES[Math.min(attempt, PAUSES.length) - 1]);
  else send();
}

async function posted(batch) {
  const unsent = (words) => ({ results: [{ once: "", problem: words, again: true }], queries: [] });
  try {
    const answer = await fetch("judgements", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ acts: batch }),
      keepalive: true, // it is sent though the page is closed at once
    });
    const said = await answer.json();
    if (answer.ok) return said;
    return unsent(`Not saved yet: ${said.problem}`);
  } catch {
    return unsent(AWAY);
  }
}

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

// Presses of other tabs stay in the list; each tab sends its own.
function keep() {
  try {
    const mine = new Set([...names, ...acts.map(({ once }) => once)]);
    const others = read().filter(({ once }) => !mine.has(once));
    acts.forEach(({ once }) => names.add(once));
    localStorage.setItem(KEPT, JSON.stringify([...others, ...acts]));
  } catch {} // a browser that keeps nothing
}

const names = new Set(acts.map(({ once }) => once)); // all presses that this page has known

addEventListener("online", () => send());
send();

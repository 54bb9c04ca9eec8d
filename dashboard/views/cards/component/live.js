// What reviewers said of the open query, as the store has it: this page looks while it is seen, and
// what is newer takes the place of what the cards came with.

import { send, waiting, whenAnswered, whyRefused } from "./outbox.js";

const EVERY = 1000; // milliseconds between two looks
const LATER = 4000; // after one that failed
const MOST = 60; // queries that are remembered

const REVIEWER = "search-quality-reviewer"; // the name is remembered in this browser only
const standing = new Map(); // the names of a query → what stands of it
let signed = ""; // the name that a login vouches for; empty: nobody checks names
let judged = null; // the queries that the reviewer has judged; null: not known yet
let judgedOf = ""; // in which collection
let watched = null; // the page's cards, and what draws them
let timer = null;
let gone = false; // a server without reviews, such as a page of cards alone

export function reviewer(name) {
  try {
    if (name !== undefined) localStorage.setItem(REVIEWER, name);
    if (name !== undefined) tellServer(name);
    return localStorage.getItem(REVIEWER) ?? "";
  } catch {
    return name ?? ""; // a browser that keeps nothing
  }
}

// A page of a review is drawn by the server: it need not ask for the name again.
function tellServer(name) {
  const seconds = name ? 400 * 24 * 3600 : 0; // no browser keeps a cookie for longer
  document.cookie = `${REVIEWER}=${encodeURIComponent(name)}; SameSite=Strict; Max-Age=${seconds}`;
}

if (reviewer()) reviewer(reviewer());

export const isSigned = () => Boolean(signed);

const keyOf = (about) => JSON.stringify(about);
const EMPTY = { items: null, own: {}, preferences: [], ratings: [] };

const isOfResults = ({ kind }) => ["verdict", "preference", "rating"].includes(kind);

// What stands of a query, with the presses that are under way on top.
export function reviewsOf(about) {
  const known = standing.get(keyOf(about)) ?? EMPTY;
  const own = new Map(Object.entries(known.own));
  const liked = new Map(known.preferences.map(([run, against, value]) => [keyOf([run, against]), value]));
  const rated = new Map(known.ratings);
  const unsaved = new Set();
  for (const act of waiting()) {
    if (!isOfResults(act) || keyOf([act.collection, act.query]) !== keyOf(about)) continue;
    if (act.kind === "verdict") own.set(act.item, [act.value, act.cause, act.note]);
    else if (act.kind === "rating") rated.set(act.list, act.value);
    else liked.set(keyOf([act.run, act.against]), act.value);
    unsaved.add(act.kind === "verdict" ? act.item : "");
  }
  for (const [item, [value]] of own) if (!value) own.delete(item);
  return { items: known.items, own, liked, rated, unsaved };
}

export const ratingOf = ({ rated }, list) => rated.get(list) ?? "";
export const preferenceOf = ({ liked }, pair) => liked.get(keyOf(pair)) ?? "";

// The queries of the collection that the reviewer has judged, as far as is known.
export function judgedQueries(collection) {
  const all = new Set(judgedOf === collection ? judged : []);
  for (const act of waiting()) if (isOfResults(act) && act.collection === collection) all.add(act.query);
  return all;
}

export const isKnown = (about) => standing.has(keyOf(about));

// The cards with what is newest on them.
export function withReviews(data) {
  if (!data?.about?.length) return data;
  const { items, own, unsaved } = reviewsOf(data.about);
  const of = (item) => {
    const given = item.given === undefined ? item.reviewed : item.given;
    const mine = own.get(item.id) ?? null;
    const reviewed = items ? (items[item.id] ?? null) : given;
    const refused = whyRefused(data.about, item.id);
    return { ...item, given, reviewed, own: mine, unsaved: mine !== null && unsaved.has(item.id), refused };
  };
  return { ...data, items: data.items.map(of) };
}

// Looks on behalf of these cards from now on; `draw` is called when something is newer.
export function watch(state, draw) {
  const another = watched?.state !== state;
  watched = { state, draw, about: another ? "" : watched.about };
  if (another || keyOf(state.data.about) !== watched.about) look();
}

// What the cards came with is the newest: a form has just been saved with the script.
export function lookAnew() {
  if (watched) standing.delete(keyOf(watched.state.data.about));
  look(true);
}

// Another name was entered: others' verdicts become one's own, and the other way round.
export function forgetOwn() {
  judged = null;
  standing.clear();
  look(true);
}

async function look(now = false) {
  clearTimeout(timer);
  const { state } = watched ?? {};
  if (gone || !state?.root.isConnected || document.visibilityState !== "visible") return;
  const about = state.data?.about;
  if (!about?.length) return;
  watched.about = keyOf(about);
  const ask = new URLSearchParams({ collection: about[0], query: about[1], author: reviewer() });
  if (standing.has(watched.about)) ask.set("after", standing.get(watched.about).number);
  if (now) ask.set("now", "");
  if (!judged || judgedOf !== about[0]) ask.set("queries", "");
  let pause = EVERY;
  try {
    const answer = await fetch(`judgements?${ask}`);
    if (answer.status === 404) gone = true;
    else if (answer.status === 200) take(await answer.json(), ask.get("author"));
    else if (!answer.ok) pause = LATER;
  } catch {
    pause = LATER;
  }
  clearTimeout(timer);
  timer = setTimeout(look, pause);
}

function take(answer, author) {
  if (author !== reviewer()) return;
  signed = answer.signed;
  if (signed && signed !== author) reviewer(signed);
  if (answer.judged) [judged, judgedOf] = [new Set(answer.judged), answer.about[0]];
  note(answer);
  watched?.draw();
}

function note(answer) {
  const key = keyOf(answer.about);
  if (answer.number < standing.get(key)?.number) return; // a later one came before it
  standing.delete(key);
  standing.set(key, answer);
  if (standing.size > MOST) standing.delete(standing.keys().next().value);
  const any = answer.preferences.length || answer.ratings.length || Object.keys(answer.own).length;
  if (judgedOf === answer.about[0]) judged[any ? "add" : "delete"](answer.about[1]);
}

whenAnswered((answer) => {
  answer.queries.forEach(note);
  watched?.draw();
});

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  look();
  send();
});

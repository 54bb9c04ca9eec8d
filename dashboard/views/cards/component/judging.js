// Review mode: one key a verdict on the result in front, and the next one comes.

import { draft } from "./drafts.js";
import { actionOf, digitOf, KEYS } from "./keys.js";
import { forgetOwn, isKnown, isSigned, judgedQueries, preferenceOf, ratingOf, reviewer, reviewsOf } from "./live.js";
import { put, waiting, whenAnswered, whyWaiting } from "./outbox.js";
import { isolated, make, many } from "./parts.js";

const VERDICTS = { relevant: "relevant", not: "not relevant", unsure: "unsure", "": "removed" };
const CAUSES = {
  model: "model",
  label: "label",
  mapping: "keyword mapping",
  "look-alike": "look-alike",
  duplicate: "duplicate",
};
const PREFERENCES = ["much better", "better", "same", "worse", "much worse", "cannot judge"];
const RATINGS = ["1", "2", "3", "4", "5"];
const SIGNS = new Map([["relevant", "✓"], ["not", "✕"], ["unsure", "?"]]);

const wordOf = (value) => VERDICTS[value] ?? `grade ${value}`;
// The key of review mode that does something.
const keyOf = (action) =>
  KEYS.flatMap(([place, , keys]) => (place === "review" ? Object.entries(keys) : [])).find(([, does]) => does === action)[0];

// One's own verdict in words: on the card, and for a screen reader.
export function ownInWords({ own, unsaved }) {
  if (!own) return "";
  const [value, cause] = own;
  return `${wordOf(value)}${cause ? `: ${CAUSES[cause] ?? cause}` : ""}${unsaved ? ", not saved yet" : ""}`;
}

// What stands on the picture of a card: one's own verdict, in a form that no label has.
export function ownBadge(item) {
  if (item.refused) return make("span", "own-verdict refused", item.refused);
  if (!item.own) return null;
  const badge = make("span", `own-verdict${item.unsaved ? " unsaved" : ""}`);
  const sign = make("b", "", SIGNS.get(item.own[0]) ?? item.own[0]);
  sign.ariaHidden = "true";
  badge.append(sign, ` you: ${ownInWords(item)}`);
  return badge;
}

const isJudging = () => new URL(location.href).searchParams.get("judging") === "yes";

// The keys, the switch and the line of progress; `draw` draws the cards again, `goTo` opens a query.
export function judging(state, draw, goTo) {
  const { root } = state;
  const bar = root.querySelector(".judging");
  const toggle = root.querySelector(".mode");
  const own = { state, draw, goTo, bar, toggle, at: null, last: null, noted: null, words: "", grades: [] };
  state.judging = own;
  toggle.addEventListener("click", () => change(own, !isJudging()));
  const pressed = (event) => {
    if (!root.isConnected) {
      document.removeEventListener("keydown", pressed, true);
      return;
    }
    if (!event.repeat && take(own, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  document.addEventListener("keydown", pressed, true);
  root.querySelector(".rows").addEventListener("focusin", (event) => {
    const card = event.target.closest(".card");
    if (card && isJudging()) inFront(own, placeOf(card));
  });
  const tapped = (event) => {
    const action = event.target.closest("[data-press]")?.dataset.press;
    if (!action) return;
    event.stopPropagation(); // else a tap on the keys of a card would open it
    act(own, action);
  };
  bar.addEventListener("click", tapped);
  root.querySelector(".rows").addEventListener("click", tapped, true);
  whenAnswered((answer, done) => root.isConnected && answered(own, answer, done));
  return () => drawJudging(own);
}

const placeOf = (card) => ({ row: card.row.name, role: card.row.role, id: card.item.id });

function change(own, on) {
  const parts = location.search.slice(1).split("&").filter((part) => part && !part.startsWith("judging="));
  const query = [...parts, `judging=${on ? "yes" : "no"}`].join("&");
  history.replaceState(history.state, "", `${location.pathname}?${query}`);
  own.draw();
  if (on) focusFront(own);
  if (on && !reviewer()) own.bar.querySelector("[name=reviewer]").focus();
  dispatchEvent(new PopStateEvent("popstate", { state: history.state })); // the server follows
}

// Whether a key was one of review mode.
function take(own, event) {
  if (own.state.root.querySelector("dialog[open]:not(.player)")) return false;
  if (actionOf(event, "cards") === "mode" && !openPlayer(own)) {
    change(own, !isJudging());
    return true;
  }
  const action = isJudging() && actionOf(event, "review", digitOf(event));
  return action ? act(own, action) : false;
}

const openPlayer = ({ state }) => state.root.querySelector("dialog.player[open]");

// What a key does; whether it does something here.
function act(own, action) {
  if (own.state.root.classList.contains("waiting") && !["unjudged", "ahead"].includes(action)) {
    tell(own, "The results of this query are not here yet."); // a verdict would be of the one before
    return true;
  }
  const [, grade] = /^grade (\d)$/.exec(action) ?? [];
  if (grade && own.grades.length) return own.grades.includes(Number(grade)) && judge(own, grade);
  if (grade) return rate(own, grade);
  if (PREFERENCES.includes(action)) return prefer(own, action);
  if (action in CAUSES) return amend(own, { cause: action });
  if (action in VERDICTS) return judge(own, action);
  return { note: openNote, undo, unjudged: nextQuery, ahead: toPlanned }[action](own);
}

const dataOf = ({ state }) => state.data;
const itemOf = (own, id) => dataOf(own).items.find((item) => item.id === id) ?? null;

// The results in the order in which they are judged, each once.
function results(own) {
  const data = dataOf(own);
  const rows = data.rows.filter(({ role }) => role === "version");
  const every = rows.flatMap((row) =>
    row.results.map(({ item }) => ({ row: row.name, role: row.role, id: data.items[item].id })),
  );
  return every.filter((one, at) => every.findIndex(({ id }) => id === one.id) === at);
}

const unjudged = (own, { id }) => !itemOf(own, id)?.own;

// The result that a verdict is about: the one in the player, else the one in front.
function front(own) {
  const open = openPlayer(own) && own.state.player.id;
  return open ? { id: open } : own.at;
}

// The result that a cause or a note is about: the one in front if it is judged, else the last one.
function amended(own) {
  const here = front(own);
  if (here && itemOf(own, here.id)?.own) return here.id;
  return own.last && itemOf(own, own.last)?.own ? own.last : null;
}

function named(own) {
  if (reviewer().trim()) return true;
  tell(own, "Enter your name.");
  own.bar.querySelector("[name=reviewer]").focus();
  return false;
}

function actOf(own, kind, more) {
  const [collection, query] = dataOf(own).about;
  return { kind, collection, query, author: reviewer().trim(), ...more };
}

function judge(own, value) {
  const here = front(own);
  if (!here || !named(own)) return true;
  const before = itemOf(own, here.id)?.own;
  const note = before?.[2] ?? "";
  own.last = here.id;
  own.settled = true;
  tell(own, "");
  put(actOf(own, "verdict", { item: here.id, value, cause: "", note, seen: note ? JSON.stringify(before) : "" }));
  const to = following(own, here);
  if (to) own.at = to;
  own.draw();
  if (openPlayer(own)) {
    const row = results(own).map(({ id }) => id);
    if (to) own.state.player.show(to.id, row, { tell: true });
  } else {
    focusFront(own);
  }
  return true;
}

// The next result without a verdict: behind this one, else from the first on.
function following(own, here) {
  const all = results(own);
  const at = all.findIndex(({ id }) => id === here.id);
  const open = (one) => one.id !== here.id && unjudged(own, one);
  return all.slice(at + 1).find(open) ?? all.slice(0, Math.max(at, 0)).find(open) ?? null;
}

function amend(own, change) {
  const id = amended(own);
  if (!id) tell(own, "Judge the result first.");
  if (!id || !named(own)) return true;
  const before = itemOf(own, id).own;
  const [value, cause, note] = before;
  own.last = id;
  tell(own, "");
  put(actOf(own, "verdict", { item: id, value, cause, note, seen: JSON.stringify(before), ...change }));
  own.draw();
  if (change.cause === "label") openPlayer(own)?.querySelector(".corrects")?.setAttribute("open", "");
  return true;
}

function prefer(own, value) {
  const [run, against] = dataOf(own).pair ?? [];
  if (!value || !run || run === against) return false;
  if (!named(own)) return true;
  tell(own, "");
  put(actOf(own, "preference", { run, against, value }));
  own.draw();
  return true;
}

// The list that a rating is about: that of the row in front, which may be one that somebody saw.
function listInFront(own) {
  const { lists } = dataOf(own);
  const row = own.at?.role === "version" ? own.at.row : null;
  return row !== null && lists && Object.hasOwn(lists, row) ? { run: row, list: lists[row] } : null;
}

function rate(own, value) {
  const of = listInFront(own);
  if (!of || !RATINGS.includes(value)) return false;
  if (!named(own)) return true;
  tell(own, "");
  put(actOf(own, "rating", { ...of, value }));
  own.draw();
  return true;
}

function undo(own) {
  if (!named(own)) return true;
  tell(own, "Taking back …");
  put(actOf(own, "undo", {}));
  return true;
}

function nextQuery(own) {
  const { order, place, query } = own.state;
  if (!order) return false;
  const judged = judgedQueries(dataOf(own).about[0]);
  const open = ([, id]) => id !== query && !judged.has(id);
  const to = order.queries.find((one) => one[0] > place && open(one)) ?? order.queries.find(open);
  if (to) own.goTo(to);
  else tell(own, "Each query of this list has a judgement of yours.");
  return true;
}

// What to judge next between the two versions: known once for an address, whatever query is open.
const OF_A_QUERY = ["query", "clip", "beside", "list", "missed", "judging", "outcome", "between", "at", "find"];

async function plan(own) {
  const { searchParams } = new URL(location.href);
  OF_A_QUERY.forEach((key) => searchParams.delete(key));
  searchParams.set("author", reviewer().trim());
  const address = String(searchParams);
  if (own.planOf === address || !own.state.order) return;
  Object.assign(own, { planOf: address, plan: null });
  try {
    const answer = await fetch(`judgements/next?${address}`);
    if (own.planOf === address && answer.status === 200) own.plan = await answer.json();
  } catch {} // the line stays away
  own.draw();
}

// The results of the plan that are not judged yet, as far as this page knows.
function planned(own) {
  const [collection] = dataOf(own).about;
  return (own.plan?.results ?? []).filter(([query, item]) => !reviewsOf([collection, query]).own.has(item));
}

function toPlanned(own) {
  if (own.plan?.sample) {
    location.assign(`reviews?review=${encodeURIComponent(own.plan.sample[0])}`); // without versions and ranks
    return true;
  }
  const [to] = planned(own);
  if (!to) return false;
  const [query, item] = to;
  own.wanted = { query, item };
  if (query === dataOf(own).about[1]) bringForward(own);
  else own.goTo(own.state.order.queries.find(([, id]) => id === query) ?? [-1, query, query]);
  return true;
}

// Puts the result that was asked for in front, where the rows show it.
function bringForward(own) {
  const { item } = own.wanted;
  own.wanted = null;
  const place = results(own).find(({ id }) => id === item);
  if (place) inFront(own, place);
  else tell(own, "The result to judge stands further down: choose more results per version.");
  own.draw();
  focusFront(own);
}

// What came of the presses: a refusal stands on the card, and what was taken back is in front again.
function answered(own, answer, done) {
  for (const [act, { problem, undone }] of done) {
    if (problem) refuse(own, act, problem);
    else if (act.kind === "undo") takenBack(own, undone);
  }
  own.draw();
}

// What was typed becomes a draft again. The verdict and the note that were only on the screen do not:
// another tab may have changed them.
function refuse(own, act, problem) {
  tell(own, problem);
  const [value, , note] = act.seen ? JSON.parse(act.seen) : [];
  if (!act.note || act.note === note) return;
  const place = JSON.stringify([[act.collection, act.query], act.item]);
  draft(place, { value: act.value === value ? "" : act.value, note: act.note });
}

function takenBack(own, undone) {
  if (!undone) return tell(own, "There is nothing of yours to take back.");
  const [query, item] = undone;
  const here = query === dataOf(own).about[1];
  const place = here && results(own).find(({ id }) => id === item);
  if (place) inFront(own, place);
  if (place && isJudging() && !openPlayer(own)) focusFront(own);
  tell(own, here ? "Taken back." : `Taken back: what you said last of the query ${query}.`);
}

// The result in front is the one with the focus, and stays in front when the page takes that away.
function inFront(own, place) {
  if (own.at?.id === place.id && own.at?.row === place.row) return;
  Object.assign(own, { at: place, settled: true });
  drawJudging(own);
}

function cardInFront(own) {
  const cards = [...own.state.root.querySelectorAll(".card")];
  const { at } = own;
  return cards.find(({ item, row }) => at && item.id === at.id && row.name === at.row && row.role === at.role);
}

function focusFront(own) {
  cardInFront(own)?.querySelector(".open").focus();
}

// At once: a press that only tells something draws nothing else.
function tell(own, words) {
  own.words = words;
  fillTold(own);
}

// --- what is drawn

// The fields are on the page only while they are of use: the form in the player has such ones, too.
function addName(own) {
  const name = make("input");
  Object.assign(name, { name: "reviewer", maxLength: 80, autocomplete: "name", value: reviewer() });
  own.bar.querySelector(".line-of-judging").append(make("label", "who-judges", "", ["Your name ", name]));
  name.addEventListener("change", () => {
    reviewer(name.value.trim());
    tell(own, "");
    forgetOwn();
    own.draw();
  });
  name.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault(); // else Enter would open the card that gets the focus
    name.blur();
    focusFront(own);
  });
}

function addNote(own, words) {
  const before = itemOf(own, own.noted).own; // what the note is added to, whatever comes meanwhile
  const note = make("input");
  Object.assign(note, { maxLength: 2000, placeholder: "Enter saves, Esc closes", value: words });
  const field = make("label", "note-field", "", ["Note ", note]);
  own.bar.querySelector(".amended").after(field);
  const close = () => {
    own.noted = null;
    own.draw();
    focusFront(own);
  };
  note.focus();
  note.addEventListener("input", () => {
    const [value] = itemOf(own, own.noted)?.own ?? [""];
    draft(placeOfDraft(own), note.value ? { value, note: note.value } : null);
  });
  note.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") close();
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const item = itemOf(own, own.noted);
    if (!item?.own || !named(own)) return;
    const [value, cause] = before;
    own.last = item.id;
    const words = { value, cause, note: note.value.trim(), seen: JSON.stringify(before) };
    put(actOf(own, "verdict", { item: item.id, ...words }));
    draft(placeOfDraft(own), null);
    close();
  });
}

const placeOfDraft = (own) => JSON.stringify([dataOf(own).about, own.noted]);

function openNote(own) {
  const id = amended(own);
  tell(own, id ? "" : "Judge the result first.");
  if (id) {
    own.bar.querySelector(".note-field")?.remove();
    own.noted = id;
    own.draw();
    addNote(own, draft(placeOfDraft(own))?.note ?? itemOf(own, id).own[2]);
  } else {
    own.draw();
  }
  return true;
}

function drawJudging(own) {
  const { state, bar, toggle } = own;
  const data = dataOf(own);
  const on = isJudging();
  const can = Boolean(data?.about?.length);
  own.grades = data?.grades ?? [];
  toggle.hidden = !can;
  toggle.ariaPressed = String(on);
  state.root.classList.toggle("reviewing", on && can);
  bar.hidden = !(on && can);
  if (bar.hidden) {
    state.root.querySelectorAll(".card.front").forEach((card) => unmark(card));
    bar.querySelector(".who-judges")?.remove();
    return;
  }
  if (!bar.querySelector(".who-judges")) addName(own);
  const name = bar.querySelector("[name=reviewer]");
  name.readOnly = isSigned();
  if (name.readOnly) name.value = reviewer();
  beginQuery(own, data);
  const here = cardInFront(own);
  for (const card of state.root.querySelectorAll(".card")) {
    if (card === here) markFront(card, own);
    else unmark(card);
  }
  fillBar(own);
}

// In front of another query is its first result without a verdict, which is known a moment later.
function beginQuery(own, data) {
  const key = JSON.stringify(data.about);
  const another = own.about !== key;
  if (another) Object.assign(own, { about: key, last: null, noted: null, words: "", settled: false });
  if (own.settled) return;
  own.settled = isKnown(data.about);
  const all = results(own);
  const place = all.find((one) => unjudged(own, one)) ?? all[0] ?? null;
  const moved = JSON.stringify(place) !== JSON.stringify(own.at);
  own.at = place;
  const { root } = own.state;
  if (own.wanted?.query === data.about[1]) bringForward(own);
  else if (moved && root.contains(root.getRootNode().activeElement)) focusFront(own);
}

function unmark(card) {
  card.classList.remove("front");
  card.querySelector(".keys-here")?.remove();
}

// The keys stand on the card that they are about.
function markFront(card, own) {
  card.classList.add("front");
  const keys = own.grades.length
    ? [...own.grades.map((grade) => [`grade ${grade}`, ""]), ["unsure", "unsure"]]
    : [["relevant", "✓"], ["not", "✕"], ["unsure", "unsure"]];
  const one = ([action, word]) => {
    const node = make("span", "", "", [make("kbd", "", keyOf(action)), word]);
    node.dataset.press = action;
    return node;
  };
  const strip = make("span", "keys-here", "", keys.map(one));
  strip.ariaHidden = "true";
  card.querySelector(".keys-here")?.remove();
  card.querySelector(".picture").append(strip);
}

function fillBar(own) {
  const { bar } = own;
  const part = (name) => bar.querySelector(`.${name}`);
  const all = results(own);
  const done = all.filter((one) => !unjudged(own, one)).length;
  const { order } = own.state;
  const queries = order ? judgedQueries(dataOf(own).about[0]) : new Set();
  const listed = order ? order.queries.filter(([, id]) => queries.has(id)).length : 0;
  const [judged, total] = order ? [listed, order.total] : [done, all.length];
  part("share").style.width = `${total ? (100 * judged) / total : 0}%`;
  part("progress").ariaValueMax = total;
  part("progress").ariaValueNow = judged;
  const here = `${many(done)} of ${many(all.length)} ${all.length === 1 ? "result" : "results"} here`;
  part("count").textContent = order ? `${many(judged)} of ${many(total)} queries judged · ${here}` : `${here} judged`;
  fillTold(own);
  fillAmended(part("amended"), own);
  fillPair(part("pair"), own);
  fillRating(part("rating"), own);
  fillPlan(part("plan"), own);
  if (!own.noted) part("note-field")?.remove();
}

function fillTold(own) {
  const place = own.bar.querySelector(".told");
  const unsent = waiting().length;
  const words = whyWaiting() || own.words || (unsent ? "Saving …" : own.saved ? "Saved." : "");
  own.saved = own.saved || unsent > 0;
  if (place.textContent !== words) place.textContent = words;
}

function fillAmended(place, own) {
  const id = amended(own);
  const item = id && itemOf(own, id);
  const said = JSON.stringify(item ? [item.name, item.own, item.unsaved] : null);
  if (place.said === said) return;
  place.said = said;
  if (!item) {
    place.replaceChildren(make("span", "quiet", "Judge the result in front; then its cause and a note."));
    return;
  }
  const cause = item.own[1];
  place.replaceChildren(
    make("span", "what", "", [isolated("", item.name), `: ${ownInWords(item)}`]),
    ...Object.entries(CAUSES).map(([value, word]) => keyed(value, word, value === cause)),
    keyed("note", item.own[2] ? "change note" : "note"),
    keyed("undo", "undo"),
    item.own[2] ? isolated("quiet", `“${item.own[2]}”`) : "",
  );
}

function fillPair(place, own) {
  const [run, against] = dataOf(own).pair ?? [];
  place.hidden = !run || run === against;
  if (place.hidden) return;
  const value = preferenceOf(reviewsOf(dataOf(own).about), [run, against]);
  const said = JSON.stringify([run, against, value, own.grades.length]);
  if (place.said === said) return;
  place.said = said;
  place.replaceChildren(
    make("span", "what", "", [isolated("", run), " against ", isolated("", against)]),
    ...PREFERENCES.map((word) => keyed(word, word, word === value)),
  );
}

function fillRating(place, own) {
  const of = own.grades.length ? null : listInFront(own);
  place.hidden = !of;
  if (!of) return;
  const value = ratingOf(reviewsOf(dataOf(own).about), of.list);
  const said = JSON.stringify([of, value]);
  if (place.said === said) return;
  place.said = said;
  const words = { 1: "not at all", 5: "entirely" };
  const viewed = of.list === `results of ${of.run}` ? "" : ` (${of.list})`;
  place.replaceChildren(
    make("span", "what", "", ["satisfied with the list of ", isolated("", `${of.run}${viewed}`)]),
    ...RATINGS.map((rating) => keyed(`grade ${rating}`, words[rating] ?? "", rating === value)),
  );
}

function fillPlan(place, own) {
  plan(own);
  const [, title, drawn] = own.plan?.sample ?? [];
  const left = drawn ?? planned(own).length;
  place.hidden = !own.plan || !(own.plan.certain || left);
  const said = JSON.stringify([own.plan?.certain, left, title]);
  if (place.said === said) return;
  place.said = said;
  const of = drawn ? ["result", `drawn by the sample “${title}”`] : own.plan?.doubtful ? ["label", "that may be wrong"] : ["result", "that can move the difference"];
  const more = left ? keyed("ahead", `next of ${many(left)} ${of[0]}${left === 1 ? "" : "s"} ${of[1]}`) : null;
  place.replaceChildren(...[more, own.plan ? isolated("", own.plan.certain) : null].filter(Boolean));
}

function keyed(action, words, chosen) {
  const button = make("button", "plain", "", [make("kbd", "", keyOf(action)), words]);
  button.type = "button";
  button.tabIndex = -1; // the key does the same
  button.dataset.press = action;
  if (chosen !== undefined) button.ariaPressed = String(chosen);
  return button;
}

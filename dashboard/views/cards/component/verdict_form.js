// A reviewer's own verdict on the item in the player, and what reviewers said before. What is said
// is sent until the script answers; what is typed stays in this browser until it is kept.

import { draft } from "./drafts.js";
import { lookAnew, reviewer } from "./live.js";
import { isolated, make } from "./parts.js";

const VERDICTS = [
  ["relevant", "relevant"],
  ["not", "not relevant"],
  ["unsure", "unsure"],
];
const PATIENCE = 5000; // milliseconds for an answer: a session that was lost knows nothing of us
const TIMES = 2; // so often the same is sent, under one name, so that it is kept once
const NOT_SAVED = "Not saved: no connection. Your text stays in this browser; save again later.";
const sent = new Map(); // the name of a saying → what to do with the answer to it
let formOpen = null; // the form in the player: of what it is, and how it takes an answer

export function verdicts(item) {
  if (!item.reviewed) return null;
  const list = make("ul", "verdicts");
  for (const [author, value, note, day] of item.reviewed[1]) {
    const words = [isolated("", author), `: ${value}`, note ? isolated("", ` – ${note}`) : null, ` (${day})`];
    list.append(make("li", "", "", words));
  }
  return make("div", "", "", [make("h3", "", `Reviewed: ${item.reviewed[0]}`), list]);
}

// What came of a saying, whichever item is open by now.
export function settleVerdict(answer) {
  if (!answer || !sent.has(answer[0])) return;
  sent.get(answer[0])(answer[1], answer[2]);
  sent.delete(answer[0]);
  if (!answer[1]) lookAnew();
}

// The form of one item; `told` sends what was said, of the query that `asked` names, and says
// whether that one is still open.
export function verdictForm(item, asked, told) {
  const place = JSON.stringify([asked, item.id]);
  const form = make("form", "say");
  const choices = VERDICTS.map(([value, word]) => {
    const input = make("input");
    input.type = "radio";
    input.name = "verdict";
    input.value = value;
    return make("label", "choice", "", [input, ` ${word}`]);
  });
  const note = make("textarea");
  note.rows = 2;
  note.maxLength = 2000;
  const name = make("input");
  name.maxLength = 80;
  name.autocomplete = "name";
  name.value = reviewer();
  const save = make("button", "plain", "Save verdict");
  save.type = "submit";
  const back = make("button", "plain", "Remove my verdict");
  back.type = "button";
  const said = make("p", "told");
  said.role = "status";
  form.append(
    make("fieldset", "", "", [make("legend", "", "Is it relevant to the query?"), ...choices]),
    make("label", "field", "", ["Note ", note]),
    make("label", "field", "", ["Your name ", name]),
    make("p", "buttons", "", [save, back]),
    said,
    make("p", "note", "Saved separately; metrics do not change."),
  );
  const chosen = () => form.querySelector("input[type=radio]:checked")?.value ?? "";
  const before = draft(place);
  let seen = before?.seen ?? ""; // what this form saved last, to which a note may be added
  const written = (more = {}) => ({ value: chosen(), note: note.value, seen, ...more });
  let timer = null;
  let lost = before?.lost ?? null; // what was sent and had no answer: it may have come all the same
  const send = (value) => {
    if (!name.value.trim()) return tell("Enter your name.", name);
    clearTimeout(timer);
    const spoken = { item: item.id, about: asked, value, note: note.value, author: name.value.trim() };
    spoken.seen = value && seen;
    const same = lost && Object.entries(spoken).every(([key, word]) => String(word) === String(lost[key]));
    const once = same ? lost.once : `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    const words = { ...spoken, once };
    lost = words;
    reviewer(words.author);
    draft(place, written({ lost }));
    sent.set(once, (problem, cause) => {
      clearTimeout(timer);
      draft(place, problem ? { value, note: words.note, seen: words.seen } : null); // answered: no longer lost
      if (formOpen.place === place) formOpen.settle(problem, cause, words); // it may be another form by now
    });
    tell("Saving …");
    const attempt = (time) => {
      const here = told(words);
      timer = setTimeout(() => (here && time < TIMES ? attempt(time + 1) : tell(NOT_SAVED)), PATIENCE);
    };
    attempt(1);
  };
  const tell = (words, at) => {
    said.textContent = words;
    at?.focus();
  };
  const settle = (problem, cause, { value, note: kept }) => {
    tell(problem || "Saved.");
    lost = null;
    if (!problem) seen = value && JSON.stringify([value, cause, kept.trim()]);
    if (!problem && note.value === kept) note.value = "";
    else draft(place, written()); // refused, or more was typed meanwhile
  };
  formOpen = { place, settle };
  form.addEventListener("input", (event) => {
    if (event.target !== name) draft(place, note.value || chosen() ? written({ lost }) : null);
  });
  choices.forEach(({ firstChild }) => firstChild.addEventListener("click", () => (seen = "")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (chosen()) send(chosen());
    else tell("Choose relevant, not relevant or unsure.", form.querySelector("input"));
  });
  back.addEventListener("click", () => send(""));
  if (before) {
    note.value = before.note;
    choices.forEach(({ firstChild }) => (firstChild.checked = firstChild.value === before.value));
    tell(before.lost ? NOT_SAVED : "Draft, not saved yet.");
  }
  return form;
}

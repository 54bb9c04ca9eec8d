// What a reviewer corrects of an item's keywords, or of what a query's words mean: closed until it is
// opened, and read from the store whenever something is newer there.

import { reviewer } from "./live.js";
import { put, waiting, whenAnswered } from "./outbox.js";
import { inOrder, isolated, make } from "./parts.js";

const MOST = 2000; // keywords in the list that the browser offers; any can be typed
const NOT_OF_AN_ITEM = ["query", "clip", "beside", "list", "text", "picture", "item", "missed"];
const forms = new Set(); // those that are on the page
let lists = 0;

// The form of an item, or of the query where there is none; `about` names the query.
export function keywordForm(about, item = null) {
  const box = make("details", "corrects");
  box.append(make("summary", "", item ? "Correct keywords" : "Correct what the words mean"));
  const form = { box, about, item, answer: null, problem: "", saved: false, done: [] };
  box.addEventListener("toggle", () => box.open && look(form));
  forms.add(form);
  return box;
}

// Something in the store is newer, or a press is under way: what is open is read and drawn again.
export function refreshKeywordForms() {
  for (const form of forms) {
    if (!form.box.isConnected) forms.delete(form);
    else if (form.box.open) look(form);
  }
}

whenAnswered((answer, done) => {
  for (const [act, { problem }] of done) {
    for (const form of forms) {
      if (!isOf(form, act)) continue;
      Object.assign(form, { problem, saved: !problem });
      if (!problem) form.done.push(act);
      look(form);
    }
  }
});

const isOf = ({ about, item }, act) =>
  act.collection === about[0] && (item ? act.kind === "keyword" && act.item === item.id : act.kind === "mapping" && act.query === about[1]);

async function look(form) {
  if (form.answer) draw(form); // a press shows at once
  const ask = new URL(location.href).searchParams;
  NOT_OF_AN_ITEM.forEach((key) => ask.delete(key));
  ask.set("author", reviewer());
  if (form.item) ask.set("of_item", form.item.id);
  else ask.set("query", form.about[1]);
  const done = [...form.done]; // saved, and not read back yet
  const turn = (form.turn = (form.turn ?? 0) + 1);
  try {
    const answer = await fetch(`judgements/keywords?${ask}`);
    if (turn !== form.turn) return; // a later look is under way
    form.answer = answer.status === 200 ? await answer.json() : { rows: [], offered: [] };
    form.done = form.done.filter((act) => !done.includes(act));
    if (answer.status !== 200) form.problem = "There are no keywords to correct here.";
  } catch {
    form.problem = "No connection to the server.";
  }
  draw(form);
}

// The rows with the presses on top that were not read back yet.
function rowsOf(form) {
  const rows = new Map(form.answer.rows.map((row) => [JSON.stringify([row[0], row[2]]), row]));
  for (const act of pressed(form)) {
    const key = JSON.stringify([act.group, act.keyword]);
    const row = rows.get(key) ?? [act.group, titleOf(form, act.group), act.keyword, "", false, "", []];
    rows.set(key, [...row.slice(0, 5), act.value, row[6]]);
  }
  return [...rows.values()];
}

const pressed = (form) => [...form.done, ...waiting().filter((act) => isOf(form, act))];
const titleOf = ({ answer }, group) => answer.offered.find(([name]) => name === group)?.[1] ?? group;

function draw(form) {
  const { box, answer } = form;
  if (!answer) return;
  if (!form.status) begin(form);
  const rows = rowsOf(form);
  form.status.textContent = form.problem || (pressed(form).length ? "Saving …" : "") || (form.saved ? "Saved. It counts where labels count with corrections." : "");
  form.adding.hidden = !answer.offered.length;
  const drawn = JSON.stringify(rows);
  if (form.drawn === drawn) return;
  form.drawn = drawn;
  const focused = box.getRootNode().activeElement?.dataset?.press;
  inOrder(form.list, form.rows, rows, (row) => JSON.stringify(row), (row) => rowOf(form, row));
  if (focused) [...form.list.querySelectorAll("button")].find((one) => one.dataset.press === focused)?.focus();
}

function rowOf(form, [group, title, keyword, words, given, own, said]) {
  const right = form.item ? "add" : `add ${own.startsWith("add ") ? own.slice(4) : words}`;
  const others = said.map(([name, word]) => `${name}: ${word}`).join(", ");
  const button = (word, value) => {
    const node = make("button", "plain", word);
    Object.assign(node, { type: "button", ariaPressed: String(own === value) });
    node.ariaLabel = `${keyword}: ${word}`;
    node.dataset.press = JSON.stringify([group, keyword, word]);
    node.addEventListener("click", () => say(form, group, keyword, own === value ? "" : value));
    return node;
  };
  return make("li", own === "remove" ? "wrong" : "", "", [
    make("span", "of-keyword", "", [isolated("keyword", keyword), isolated("quiet", title), meant(words)]),
    button("right", right),
    button("wrong", "remove"),
    given ? null : make("span", "quiet", "not in the files"),
    others ? isolated("quiet", others) : null,
  ]);
}

const meant = (words) => (words ? make("span", "quiet", "", ["← “", isolated("", words), "”"]) : null);

function begin(form) {
  const { box, item } = form;
  const list = make("datalist");
  list.id = `keywords-${(lists += 1)}`;
  for (const [, title, keywords] of form.answer.offered) {
    for (const keyword of keywords.slice(0, Math.max(0, MOST - list.children.length))) {
      const option = make("option");
      option.value = `${title}: ${keyword}`;
      list.append(option);
    }
  }
  const keyword = field("Missing keyword", "keyword");
  keyword.lastChild.setAttribute("list", list.id);
  const words = item ? null : field("Words of the query", "words");
  const add = make("button", "plain", "Add");
  add.type = "submit";
  form.adding = make("form", "adds", "", [words, keyword, add, list]);
  form.list = make("ul");
  form.rows = new Map();
  form.status = make("p", "told");
  form.status.role = "status";
  const name = reviewer() ? null : field("Your name", "reviewer");
  name?.lastChild.addEventListener("change", () => reviewer(name.lastChild.value.trim()));
  form.name = name;
  box.append(...[form.list, form.adding, name, form.status].filter(Boolean));
  form.adding.addEventListener("submit", (event) => {
    event.preventDefault();
    const pair = pairOf(form.answer.offered, keyword.lastChild.value);
    if (!pair) return tell(form, "Choose a keyword of the list.", keyword.lastChild);
    if (words && !words.lastChild.value.trim()) return tell(form, "Which words of the query mean it?", words.lastChild);
    if (!say(form, ...pair, words ? `add ${words.lastChild.value.trim()}` : "add")) return;
    keyword.lastChild.value = "";
  });
}

function field(label, name) {
  const input = make("input");
  Object.assign(input, { name, maxLength: 300, autocomplete: name === "reviewer" ? "name" : "off" });
  return make("label", "field", "", [`${label} `, input]);
}

// The group and keyword that a text names: `group: keyword`, or a keyword that one group has.
function pairOf(offered, text) {
  const plain = (words) => words.trim().split(/\s+/).join(" ").toLowerCase();
  const every = offered.flatMap(([group, title, keywords]) => keywords.map((keyword) => [group, title, keyword]));
  const whole = every.find(([, title, keyword]) => plain(`${title}: ${keyword}`) === plain(text));
  const same = whole ? [whole] : every.filter(([, , keyword]) => plain(keyword) === plain(text));
  return same.length === 1 ? [same[0][0], same[0][2]] : null;
}

function tell(form, words, at) {
  Object.assign(form, { problem: words, saved: false });
  draw(form);
  at?.focus();
  return false;
}

function say(form, group, keyword, value) {
  const author = reviewer().trim();
  if (!author) return tell(form, "Enter your name.", form.name?.lastChild);
  const [collection, query] = form.about;
  const subject = form.item ? { kind: "keyword", item: form.item.id } : { kind: "mapping" };
  Object.assign(form, { problem: "", saved: false });
  put({ ...subject, collection, query, author, group, keyword, value });
  draw(form);
  return true;
}

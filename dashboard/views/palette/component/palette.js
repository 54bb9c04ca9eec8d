// The palette: finds a screen, a query, a version, a metric or a collection by its words, and goes there.

import { SCREENS } from "./address.js";
import { openFirstSteps } from "./first_steps.js";
import { toggleKeys } from "./key_list.js";
import { isolated, make } from "./parts.js";
import { addressOfScreen, goTo, pathHere } from "./places.js";
import { dialogOf } from "./top_layer.js";

const WHAT = "Find a screen, query, version, metric or collection";
const REST = 60; // milliseconds without a letter until the server is asked
let answer = Promise.resolve(); // settled when the list is that of the words in the field
let asked = null; // ends an answer that nobody waits for any more
let later = null;

export function togglePalette() {
  const dialog = dialogOf("palette", "Find", begin);
  if (dialog.open) {
    dialog.close();
    return;
  }
  const field = dialog.querySelector("input");
  field.value = "";
  dialog.querySelector(".matches").replaceChildren();
  dialog.showModal();
  field.focus();
  typed(dialog);
}

function begin(dialog) {
  const field = make("input");
  Object.assign(field, { type: "text", placeholder: WHAT, ariaLabel: WHAT, autocomplete: "off", spellcheck: false });
  Object.assign(field, { role: "combobox", ariaExpanded: "true", ariaAutoComplete: "list", maxLength: 200 });
  field.setAttribute("aria-controls", "matches");
  const list = make("div", "matches");
  Object.assign(list, { id: "matches", role: "listbox", ariaLabel: "Matches" });
  const status = make("p", "status");
  status.role = "status";
  dialog.append(field, list, status);
  field.addEventListener("input", () => typed(dialog));
  list.addEventListener("mousemove", ({ target }) => choose(dialog, target.closest("[role=option]")));
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option || event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser opens a tab
    event.preventDefault();
    option.take();
  });
  dialog.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by) move(dialog, by);
    else if (event.key === "Enter" && !event.isComposing) answer.then(() => chosen(dialog)?.take());
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("close", () => asked?.abort());
}

// Lists what holds the words of the field: the screens at once, the rest when the server answers.
function typed(dialog) {
  const words = dialog.querySelector("input").value.trim();
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  clearTimeout(later);
  if (!dialog.querySelector("[role=option]")) draw(dialog, words, null);
  answer = new Promise((done) => {
    later = setTimeout(done, words ? REST : 0);
  })
    .then(() => fetch(addressOfScreen("palette", { words }), { signal }))
    .then((response) => (response.ok ? response.json() : Promise.reject(response.status)))
    .then((matches) => signal.aborted || draw(dialog, words, matches))
    .catch(() => signal.aborted || draw(dialog, words, { kinds: [], queries: 0, failed: true }));
}

function draw(dialog, words, matches) {
  const list = dialog.querySelector(".matches");
  const kinds = [["Screens", screens(words)], ...(matches?.kinds ?? []).map(([kind, of]) => [kind, of.map(match)])];
  const options = [];
  const group = ([kind, of], number) => {
    const title = make("div", "kind", kind);
    title.id = `kind-${number}`;
    const node = make("div", "", "", [title]);
    node.role = "group";
    node.setAttribute("aria-labelledby", title.id);
    node.append(...of.map((one) => options[options.push(option(one, options.length)) - 1]));
    return node;
  };
  list.replaceChildren(...kinds.filter(([, of]) => of.length).map(group));
  choose(dialog, options[0] ?? null);
  list.scrollTop = 0;
  dialog.querySelector(".status").textContent = matches ? said(words, matches, options.length) : "";
}

function said(words, { kinds, queries, failed }, number) {
  if (failed) return "Queries cannot be found: no connection.";
  if (!number) return `Nothing matches “${words}”.`;
  const listed = kinds.find(([kind]) => kind === "Queries")?.[1].length ?? 0;
  if (listed < queries) return `The first ${listed} of ${queries.toLocaleString("en")} queries. Type more words.`;
  return words ? "" : "Type words of a query to find it.";
}

const holds = (text, words) =>
  words.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

function screens(words) {
  const all = SCREENS.filter(([, path]) => path !== pathHere()).map(([letter, path, title]) => ({
    name: title,
    keys: ["g", letter],
    address: addressOfScreen(path),
  }));
  const keys = { name: "Keys", keys: ["?"], act: toggleKeys };
  const steps = { name: "First steps", act: openFirstSteps };
  return [...all, keys, steps].filter(({ name }) => holds(`${name} screen`, words));
}

const NO_VERSIONS = "collections"; // a choice made there opens the first screen

// A match of the server: its name, a note, and what changes in the address.
function match([name, note, changes]) {
  if ("collection" in changes) {
    // Loaded as a page, so that the server completes the address with the collection's own choices.
    const path = pathHere() === NO_VERSIONS ? "." : location.pathname;
    return { name, note, address: `${path}?${new URLSearchParams(changes)}`, load: true };
  }
  const path = "query" in changes ? "query" : pathHere() === NO_VERSIONS ? "" : pathHere();
  return { name, note, address: addressOfScreen(path, changes) };
}

function option({ name, note, keys, address, load, act }, number) {
  const quiet = note && note !== name ? isolated("note", note) : null;
  const shortcut = keys ? make("span", "shortcut", "", keys.map((key) => make("kbd", "", key))) : null;
  const node = make(address ? "a" : "div", "match", "", [isolated("name", name), quiet, shortcut]);
  if (address) node.href = address;
  Object.assign(node, { id: `match-${number}`, role: "option", ariaSelected: "false", tabIndex: -1 });
  node.take = () => {
    node.closest("dialog").close();
    if (act) act();
    else if (load) location.assign(address);
    else goTo(address);
  };
  return node;
}

const chosen = (dialog) => dialog.querySelector("[aria-selected=true]");

function choose(dialog, option) {
  const before = chosen(dialog);
  if (option === before || (!option && before)) return;
  if (before) before.ariaSelected = "false";
  const field = dialog.querySelector("input");
  if (!option) {
    field.removeAttribute("aria-activedescendant");
    return;
  }
  option.ariaSelected = "true";
  field.setAttribute("aria-activedescendant", option.id);
}

function move(dialog, by) {
  const options = [...dialog.querySelectorAll("[role=option]")];
  if (!options.length) return;
  const at = options.indexOf(chosen(dialog)) + by;
  const last = options.length - 1;
  const round = Math.abs(by) === 1; // one further than the last is the first
  const to = at < 0 ? (round ? last : 0) : at > last ? (round ? 0 : last) : at;
  choose(dialog, options[to]);
  options[to].scrollIntoView({ block: "nearest" });
}

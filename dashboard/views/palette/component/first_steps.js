// First steps: what this is, what to try, and how to open the own data; in a corner of the page of a
// visitor who came without a link, until it is dismissed. The palette brings it back.

import { make } from "./parts.js";
import { goTo } from "./places.js";
import { noticeOf } from "./top_layer.js";

const MARK = "#first-steps"; // behind an address that the server has completed from nothing
const DISMISSED = "dashboard: first steps dismissed";
const NARROW = "(max-width: 640px)";
let before = null; // where the focus stood when the palette opened them

// Shows them where the server has marked the address, once for all visits of this browser.
export async function welcome() {
  if (location.hash !== MARK) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  if (storage()?.getItem(DISMISSED)) return;
  while (!document.querySelector("[data-testid=stPageLink-NavLink]")) await new Promise(requestAnimationFrame);
  await show();
}

export async function openFirstSteps() {
  before = document.activeElement;
  (await show())?.querySelector("a, button").focus();
}

async function show() {
  const answer = await fetch(new URL("first-steps", location.href));
  if (!answer.ok) return null;
  const steps = await answer.json();
  const notice = noticeOf("first-steps", "aside", begin);
  notice.replaceChildren(...contents(steps));
  notice.hidden = false;
  return notice;
}

function begin(notice) {
  notice.setAttribute("aria-labelledby", "title");
  addEventListener("keydown", (event) => {
    const from = event.composedPath()[0];
    const here = from === document.body || notice.contains(from);
    if (notice.hidden) return;
    if (event.key === "Escape" && here) dismiss(notice);
    if (event.key !== "Tab" || event.shiftKey || from !== document.body) return;
    event.preventDefault(); // it stands last on the page, and is the first stop all the same
    notice.querySelector("a").focus();
  });
}

function dismiss(notice) {
  notice.hidden = true;
  storage()?.setItem(DISMISSED, "yes");
  before?.focus();
  before = null;
}

function contents({ about, steps, own, command, more }) {
  const close = make("button", "round close", "✕");
  Object.assign(close, { type: "button", ariaLabel: "Dismiss", title: "Dismiss (Esc)" });
  close.addEventListener("click", () => dismiss(close.closest("aside")));
  const title = make("p", "title", "First steps");
  title.id = "title";
  const copied = make("button", "copy", "Copy");
  Object.assign(copied.dataset, { copy: command, done: "Copied" });
  const line = make("div", "command", "", [make("code", "", command), copied]);
  const list = make("ol", "", "", steps.map(step));
  return [title, make("p", "", about), list, make("p", "own", own), line, make("p", "quiet", more), close];
}

function step({ name, note, address }) {
  const link = make("a", "", name);
  link.href = address;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the browser opens a tab
    event.preventDefault();
    if (matchMedia(NARROW).matches) dismiss(link.closest("aside")); // there it covers what it opens
    goTo(link.href);
  });
  return make("li", "", "", [link, make("span", "quiet", note)]);
}

// What this browser remembers; nothing where it is told to remember nothing.
function storage() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

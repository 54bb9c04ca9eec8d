// While somebody looks at the page it asks every few seconds what has arrived in its collection, and
// says so in a corner; nothing is drawn anew before its link is followed.

import { make } from "./parts.js";
import { goTo, pathHere } from "./places.js";
import { noticeOf } from "./top_layer.js";

const PAUSE = 3000, SOON = 1000; // milliseconds
let dismissed = ""; // the state of the news that was put away
let written = ""; // what the notice says, and of which page

function show(news, drawn) {
  if (news?.state === dismissed) news = null;
  const notice = noticeOf("arrivals", "div", (box) => (box.role = "status"));
  const content = news ? drawn + JSON.stringify(news) : "";
  if (content === written) return;
  written = content;
  notice.replaceChildren(...(news ? [...news.lines.map(line), close(news.state)] : []));
}

function line({ text, link, query }) {
  const node = make("a", "", link);
  node.href = `${location.pathname}?${query}`;
  node.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    show(null);
    goTo(node.href);
  });
  return make("p", "", `${text} `, [node]);
}

function close(state) {
  const button = make("button", "round close", "✕");
  button.ariaLabel = "Dismiss";
  button.addEventListener("click", () => {
    dismissed = state;
    show(null);
  });
  return button;
}

export async function askForArrivals() {
  let pause = PAUSE;
  const drawn = document.querySelector("[data-state]")?.dataset.state;
  if (drawn && document.visibilityState === "visible") {
    try {
      const answer = await fetch(new URL(`arrivals/${drawn}/${pathHere()}${location.search}`, location.href));
      if (answer.status === 202) pause = SOON;
      else if (answer.status === 200) show(await answer.json(), drawn);
      else if (written) show(null);
    } catch {} // no connection: Streamlit says so
  }
  setTimeout(askForArrivals, pause);
}

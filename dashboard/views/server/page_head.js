// Links of ours inside a screen lead on within the app, without loading the page again.
addEventListener("click", (event) => {
  const link = event.target.closest?.(".stHtml a[href]");
  const other = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (link && !other && !link.target && link.origin === location.origin) {
    event.preventDefault();
    history.pushState({}, "", link.href);
    dispatchEvent(new PopStateEvent("popstate"));
  }
});

// A click anywhere in a row of these tables is moved to the row's box, which opens it.
const ROWS = ':is([class*="st-key-queries-by-"], [class*="st-key-slices-"])';
const HEAD = 33, BOX = 36; // pixels: height of the head, width of the boxes
const toTheBox = (event) => {
  if (!event.isTrusted || event.button || !event.target.closest?.(".dvn-scroller")) return;
  const cells = event.target.closest(ROWS)?.querySelector('[data-testid="data-grid-canvas"]');
  if (!cells) return;
  const { left, top, bottom } = cells.getBoundingClientRect();
  const { clientX, clientY } = event;
  if (clientY < top + HEAD || clientY > bottom || clientX < left + BOX) return;
  event.stopImmediatePropagation();
  const moved = { bubbles: true, cancelable: true, pointerType: "mouse", view: window };
  const Kind = event.constructor;
  const place = { clientX: left + BOX / 2, clientY, buttons: event.buttons };
  cells.dispatchEvent(new Kind(event.type, { ...moved, ...place }));
};
for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
  addEventListener(kind, toTheBox, true);

// A button with data-copy copies that text and says so in its own words for a moment.
addEventListener("click", async (event) => {
  const button = event.target.closest?.("button[data-copy]");
  if (!button) return;
  const { copy, done } = button.dataset;
  const text = copy.startsWith("?") ? location.href.split("?")[0] + copy : copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    window.prompt("Copy this:", text); // no clipboard without https
    return;
  }
  button.dataset.title ??= button.textContent;
  button.textContent = done;
  clearTimeout(button.later);
  button.later = setTimeout(() => (button.textContent = button.dataset.title), 2500);
});

// While somebody looks at the page it asks every few seconds what has arrived in its collection,
// and says so in a corner; nothing is drawn anew before its link is followed.
const PAUSE = 3000, SOON = 1000; // milliseconds
let dismissed = "";
const element = (parent, name, text, kind) => {
  const made = parent.appendChild(document.createElement(name));
  made.textContent = text;
  made.className = kind;
  return made;
};
const tell = (news, drawn) => {
  const app = document.querySelector('[data-testid="stApp"]');
  let box = document.getElementById("arrivals");
  if (!news || news.state === dismissed || !app) return box?.replaceChildren();
  if (!box) {
    box = document.body.appendChild(document.createElement("div"));
    box.id = "arrivals";
    box.setAttribute("role", "status");
  }
  const { backgroundColor, color, fontFamily } = getComputedStyle(app);
  Object.assign(box.style, { backgroundColor, color, fontFamily });
  if (box.dataset.told === drawn + JSON.stringify(news) && box.childElementCount) return;
  box.dataset.told = drawn + JSON.stringify(news);
  box.replaceChildren();
  for (const { text, link, query } of news.lines) {
    const line = element(box, "p", `${text} `, "");
    element(line, "a", link, "").href = `${location.pathname}?${query}`;
  }
  const away = element(box, "button", "×", "");
  away.setAttribute("aria-label", "Dismiss");
  away.onclick = () => ((dismissed = news.state), box.replaceChildren());
  for (const link of box.querySelectorAll("a"))
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      box.replaceChildren();
      if (link.href !== location.href) history.pushState({}, "", link.href);
      dispatchEvent(new PopStateEvent("popstate"));
    };
};
const ask = async () => {
  let pause = PAUSE;
  const drawn = document.querySelector("[data-state]")?.dataset.state;
  if (drawn && document.visibilityState === "visible") {
    const page = location.pathname.split("/").pop();
    const path = `arrivals/${drawn}/${page}${location.search}`;
    try {
      const answer = await fetch(new URL(path, window.__streamlit.BACKEND_BASE_URL));
      if (answer.status === 202) pause = SOON;
      else tell(answer.status === 200 ? await answer.json() : null, drawn);
    } catch {} // no connection: Streamlit says so
  }
  setTimeout(ask, pause);
};
setTimeout(ask, PAUSE);

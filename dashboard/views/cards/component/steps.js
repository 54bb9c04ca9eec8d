// From query to query: a press is counted at once and draws what the browser already has, the address
// names the query, and the server follows the address, as it follows Back.

import { stepTo } from "./head.js";
import { actionOf, STEPS } from "./keys.js";
import { addressOf, isolated, make, many } from "./parts.js";

const REST = 120; // milliseconds without a press until the server follows
const PATIENCE = 5000; // until it is asked again

export function listenForSteps(state, drawQuery) {
  const { root } = state;
  const take = (name) => {
    const to = state.order && stepTo(state, name);
    if (to) goTo(state, to, drawQuery);
  };
  const pressed = (event) => {
    if (!root.isConnected) {
      document.removeEventListener("keydown", pressed, true);
      return;
    }
    const open = root.querySelector("dialog[open]");
    const name = actionOf(event, open?.matches(".player") ? "player" : "queries");
    const other = open && (!open.matches(".player") || event.composedPath()[0].matches("input, select"));
    if (!STEPS.has(name) || !state.order || other) return;
    event.preventDefault();
    event.stopPropagation();
    take(name);
  };
  document.addEventListener("keydown", pressed, true);
  root.querySelector(".steps").addEventListener("click", (event) => {
    const button = event.target.closest("[data-step]");
    if (button) take(button.dataset.step);
  });
  chooser(state, (to) => goTo(state, to, drawQuery));
}

export const queryOfAddress = () => new URL(location.href).searchParams.get("query") ?? "";

export function goTo(state, [place, id, name], drawQuery) {
  if (id === state.query) return;
  state.reopen = placeInPlayer(state) ?? state.reopen;
  Object.assign(state, { place, query: id, behind: true });
  history.pushState({}, "", `${location.pathname}?${addressOf(id)}`);
  drawQuery(name);
  follow(state, REST);
}

// The row and the place in it of the item in the player, if it is open.
function placeInPlayer({ data, player }) {
  if (!player.id) return null;
  const ids = player.row.join();
  const row = data.rows.findIndex(({ results }) => results.map(({ item }) => data.items[item].id).join() === ids);
  const at = player.row.indexOf(player.id);
  player.hide();
  return row < 0 ? null : { row, at };
}

// Lets the server draw the query of the address, once no more presses come.
function follow(state, after) {
  clearTimeout(state.following);
  state.following = setTimeout(() => {
    if (!state.behind || !state.root.isConnected) return;
    dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    follow(state, PATIENCE);
  }, after);
}

// The queries as a list to choose from, by letters.
const MOST = 200;

function chooser(state, choose) {
  const { root } = state;
  const dialog = root.querySelector(".chooser");
  const [field, list] = dialog.children;
  const fill = () => {
    const letters = field.value.trim().toLowerCase();
    const queries = state.order.queries.filter(([, , name]) => name.toLowerCase().includes(letters));
    const entry = (query) => {
      const [at, id, name, worse] = query;
      const number = make("span", "number", many(at + 1));
      const mark = worse ? make("span", "worse", "▼ worse") : null;
      const button = make("button", "", "", [number, isolated("", name), mark]);
      button.type = "button";
      if (id === state.query) button.ariaCurrent = "true";
      button.addEventListener("click", () => {
        dialog.close();
        choose(query);
      });
      return make("li", "", "", [button]);
    };
    list.replaceChildren(...queries.slice(0, MOST).map(entry));
    if (!queries.length) list.append(make("li", "note", "No query matches."));
  };
  root.querySelector(".asked button").addEventListener("click", () => {
    field.value = "";
    fill();
    dialog.showModal();
    list.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
    field.focus({ preventScroll: true });
  });
  field.addEventListener("input", fill);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(root.getRootNode().activeElement);
    if (event.key === "Enter" && at < 0) buttons[0]?.click();
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    (buttons[at + by] ?? (at + by < 0 ? field : buttons.at(-1)))?.focus();
  });
}

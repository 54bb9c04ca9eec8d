// What stands above the rows: the steps from query to query, the query in words, its two values, its
// picture and its keywords.

import { keywordForm } from "./keyword_form.js";
import { isolated, make, many } from "./parts.js";

export function drawHead(state) {
  const { data, root } = state;
  const nodes = Object.fromEntries(
    ["steps", "asked", "values", "photo", "gist"].map((name) => [name, root.querySelector(`.top-of-cards .${name}`)]),
  );
  const head = data.head ?? null;
  root.querySelector(".top-of-cards").hidden = !head;
  root.classList.toggle("headed", Boolean(head));
  if (!head) return;
  drawSteps(nodes.steps, state);
  const said = JSON.stringify([head, Boolean(state.order), data.about]);
  if (nodes.asked.said === said) return;
  nodes.asked.said = said;
  const words = nodes.asked.querySelector("bdi");
  words.textContent = head.title;
  nodes.asked.title = head.title;
  fold(root, true);
  nodes.asked.querySelector("button").disabled = !state.order;
  nodes.values.replaceChildren(...valuesOf(head));
  drawPicture(nodes.photo, head);
  drawAbout(nodes.gist, head, data);
  const chips = nodes.gist.querySelector(".chips"); // on a phone they are swiped
  requestAnimationFrame(() => {
    if (chips && chips.scrollWidth > chips.clientWidth) chips.tabIndex = 0;
    offerWhole(root);
  });
}

// A long query is cut until "more" is pressed, which stands there only where something is cut.
function offerWhole(root) {
  const button = root.querySelector(".unfold");
  if (!button.onclick) {
    button.onclick = () => fold(root, button.ariaExpanded === "true");
    new ResizeObserver(() => offerWhole(root)).observe(root.querySelector(".asked"));
  }
  if (button.ariaExpanded === "true") return;
  const places = root.querySelectorAll(".asked button, .gist .quote");
  button.hidden = ![...places].some(
    (place) => place.scrollWidth > place.clientWidth + 1 || place.scrollHeight > place.clientHeight + 1,
  );
}

function fold(root, folded) {
  const button = root.querySelector(".unfold");
  button.ariaExpanded = String(!folded);
  button.textContent = folded ? "more" : "less";
  root.querySelector(".top-of-cards").classList.toggle("unfolded", !folded);
}

// The form of what the words mean stays as it is while it is about the same query; seen in review mode.
function drawAbout(place, head, { about, correctable }) {
  const of = correctable?.query ? JSON.stringify(about) : "";
  if (place.of !== of) place.replaceChildren(...(of ? [keywordForm(about)] : []));
  place.of = of;
  const form = of ? place.lastChild : null;
  for (const node of [...place.children]) if (node !== form) node.remove();
  place.prepend(...aboutOf(head));
}

function valuesOf({ measure, values, change, outcome }) {
  if (!values) return [];
  const sign = { better: "▲ ", worse: "▼ " }[outcome] ?? "";
  return [
    make("span", "measure", "", [isolated("", measure)]),
    make("b", "", values.replaceAll("-", "−")),
    change ? make("span", `change ${outcome}`, `(${sign}${change.replace("-", "−")})`) : null,
  ].filter(Boolean);
}

function drawPicture(place, { picture, title }) {
  place.hidden = !picture;
  if (!picture) {
    place.replaceChildren();
    return;
  }
  const image = make("img");
  Object.assign(image, { alt: "query picture", src: picture, title });
  place.replaceChildren(image);
}

const MOST = 12; // keywords that stand in full

function aboutOf({ lines = [], quote, problem, chips = [], scored, notes = [] }) {
  const chip = ([keyword, source, counts]) =>
    make("li", counts ? "chip" : "chip apart", "", [
      isolated("", keyword),
      source ? make("span", "source", "", [counts ? " ← " : " ", isolated("", source)]) : null,
    ]);
  const said = [scored, ...notes].filter(Boolean);
  const others = chips.slice(MOST);
  const rest = make("li", "chip apart", `+ ${others.length}`);
  rest.title = others.map(([keyword]) => keyword).join(", ");
  return [
    quote ? make("p", "quote", "", ["“", isolated("", quote), "”"]) : null,
    lines.length ? make("ol", "feedback", "", lines.map((line) => make("li", "", "", [isolated("", line)]))) : null,
    problem ? make("p", "note", "", [isolated("", problem)]) : null,
    make("div", "keywords", "", [
      chips.length ? make("ul", "chips", "", [...chips.slice(0, MOST).map(chip), others.length ? rest : null]) : null,
      ...said.map((words, place) => make("p", place ? "note" : "scored", "", [isolated("", words)])),
    ]),
  ].filter(Boolean);
}

// The steps: buttons to the query before and after, and to the nearest ones that became worse.

const STEPS = [
  ["previous", "Previous query", "‹", "k"],
  ["next", "Next query", "›", "j"],
  ["before", "Previous worse query", "▴", "N"],
  ["after", "Next worse query", "▾", "n"],
];

function drawSteps(place, state) {
  place.hidden = !state.order;
  if (!state.order) return;
  if (!place.firstChild) buildSteps(place);
  const { total } = state.order;
  place.querySelector("output").textContent =
    state.place < 0 ? `– / ${many(total)}` : `${many(state.place + 1)} / ${many(total)}`;
  for (const button of place.querySelectorAll("button")) {
    const to = stepTo(state, button.dataset.step);
    button.disabled = !to;
  }
}

function buildSteps(place) {
  const [previous, next, before, after] = STEPS.map(([step, words, sign, key]) => {
    const button = make("button", "plain", "", [make("span", "", sign), make("kbd", "", key)]);
    button.type = "button";
    button.dataset.step = step;
    button.ariaLabel = words;
    button.ariaKeyShortcuts = key === "N" ? "Shift+N" : key;
    button.title = `${words} (${key})`;
    return button;
  });
  const number = make("output");
  number.title = "worst difference first";
  place.append(previous, number, next, before, after);
}

// The query that a step leads to, as [place, id, name, worse], or undefined.
export function stepTo(state, step) {
  const { queries } = state.order;
  const { place } = state;
  const by = { previous: -1, next: 1 }[step];
  if (by) return queries.find(([at]) => at === place + by);
  const worse = queries.filter((query) => query[3]);
  return step === "after" ? worse.find(([at]) => at > place) : worse.findLast(([at]) => at < place);
}

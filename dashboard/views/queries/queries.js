// Draws a list of queries from plain values; a row opens its first results below it.

const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
};

const SIGNS = { worse: "▼ ", better: "▲ ", same: "● " };
const judge = (hit) => (hit === true ? "hit" : hit === false ? "wrong" : "unjudged");
const ROLES = ["baseline", "candidate"];

function drawStrip(marks, name, role, cutoff) {
  const strip = make("span", "strip");
  strip.setAttribute("role", "img");
  const hits = marks.flatMap((hit, place) => (hit === true ? [place + 1] : []));
  const told = hits.length ? `hits at ranks ${hits.join(", ")}` : "no hit";
  strip.setAttribute("aria-label", `${name}: ${told} of the first ${marks.length}`);
  strip.title = strip.getAttribute("aria-label");
  strip.append(make("i", `swatch ${role}`));
  marks.forEach((hit, place) => {
    strip.append(make("i", `${judge(hit)}${place === cutoff ? " cut" : ""}`));
  });
  return strip;
}

function drawCard(card) {
  const article = make("article", `card ${judge(card.hit)}${card.picked ? " picked" : ""}`);
  article.title = card.caption ? `${card.item}\n${card.caption}` : card.item;
  const picture = make("div", "picture");
  if (card.picture) {
    const image = make("img");
    Object.assign(image, { src: card.picture, alt: card.caption || card.item, loading: "lazy" });
    image.onerror = () => picture.replaceChildren("cannot be shown");
    picture.append(image);
  } else {
    picture.append(card.caption || card.item);
  }
  const text = make("div", "say");
  if (card.ticks?.length) {
    for (const [name, has] of card.ticks) {
      text.append(make("div", has ? "has" : "lacks", `${has ? "✓" : "✕"} ${name}`));
    }
  } else {
    const words = { hit: "✓ relevant", wrong: "✕ not relevant", unjudged: "not judged" };
    const name = { hit: "has", wrong: "lacks", unjudged: "note" };
    text.append(make("div", name[judge(card.hit)], words[judge(card.hit)]));
  }
  if (card.picked) text.append(make("div", "note", card.picked));
  article.append(picture, make("span", "mark", card.mark), text);
  return article;
}

function drawPeek(groups) {
  const box = make("div", "peek");
  for (const group of groups) {
    const title = make("h3", "", group.name);
    title.append(make("span", "note", group.note));
    const cards = make("div", "cards");
    cards.append(...group.cards.map(drawCard));
    box.append(title, cards);
  }
  return box;
}

function drawRow(row, data, opened, send) {
  const item = make("li");
  const line = make("div", `line ${row.outcome.replace(" ", "-")}${opened ? " open" : ""}`);
  const button = make("button");
  button.type = "button";
  button.dataset.id = row.id;
  button.setAttribute("aria-expanded", String(opened));
  button.setAttribute("aria-label", `First results of ${row.text}`);
  button.onclick = () => send("opened", { id: opened ? "" : row.id });
  const link = make("a", "", row.text);
  link.href = row.href;
  link.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // Streamlit writes a page's keys to the address of the page before it: one step of Back, not two
    history.replaceState(history.state, "", new URL(link.href).search);
    send("go", row.id);
  };
  const text = make("span", "text");
  text.append(link);
  const strips = row.marks.map((marks, at) =>
    drawStrip(marks, data.versions[at], ROLES[at], data.cutoff));
  line.append(
    button,
    make("span", "change", `${SIGNS[row.outcome] ?? ""}${row.change}`),
    text,
    make("span", "values number", row.values),
    ...strips,
    make("span", "moves", row.moves),
  );
  item.append(line);
  if (opened) item.append(drawPeek(data.peek));
  return item;
}

function drawTitle(data) {
  const line = make("div", "line title");
  const names = data.versions.map((name, at) => {
    const cell = make("span", "strip");
    cell.append(make("i", `swatch ${ROLES[at]}`), name);
    return cell;
  });
  line.append(
    make("span"), make("span", "number", "Change"), make("span", "text", "Query"),
    make("span", "values number", data.metric), ...names,
    make("span", "moves", `Hits of the first ${data.cutoff}`),
  );
  return line;
}

function drawMore({ rows, total, step }, set) {
  const write = (number) => number.toLocaleString("en");
  const line = make("p", "more", `The first ${write(rows.length)} of ${write(total)} queries are listed. `);
  const button = make("button", "next", `Show ${write(Math.min(step, total - rows.length))} more`);
  button.onclick = () => set("number", rows.length + step);
  line.append(button);
  return line;
}

function drawLegend(data) {
  const legend = make("div", "legend");
  const kinds = { hit: "hit", wrong: "not relevant", unjudged: "not judged" };
  legend.append(make("span", "", `Ranks 1 to ${data.depth}:`));
  for (const [name, words] of Object.entries(kinds)) {
    const strip = make("span", "strip");
    strip.append(make("i", name));
    const entry = make("span");
    entry.append(strip, words);
    legend.append(entry);
  }
  return legend;
}

export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
  const list = make("section", data.versions.length > 1 ? "queries" : "queries single");
  const rows = make("ol");
  rows.append(...data.rows.map((row) =>
    drawRow(row, data, row.id === data.opened, setTriggerValue)));
  list.append(drawLegend(data), drawTitle(data), rows);
  if (!data.rows.length) list.append(make("p", "more", "No query."));
  if (data.total > data.rows.length) list.append(drawMore(data, setStateValue));
  const before = parentElement.querySelector(".queries");
  const focused = before?.querySelector("button:focus")?.dataset.id;
  if (before) before.replaceWith(list);
  else parentElement.append(list);
  if (focused !== undefined) {
    [...list.querySelectorAll("button")].find((each) => each.dataset.id === focused)?.focus();
  }
}

// Shows the results of two versions beside each other, without names, one query after another.

const ANSWERS = [["left", "Left", "←"], ["same", "Same", "↓"], ["right", "Right", "→"]];
const KEYS = new Map([["ArrowLeft", "left"], ["ArrowDown", "same"], ["ArrowRight", "right"]]);

const make = (tag, name, ...inside) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside);
  return element;
};

const makeButton = (name, text, key, act) => {
  const button = make("button", name, text);
  if (key) button.append(make("kbd", "", key));
  button.type = "button";
  button.onclick = act;
  return button;
};

const drawResult = (item, place) => {
  const shown = make("li", "");
  if (item.picture) {
    const image = make("img");
    Object.assign(image, { src: item.picture, alt: item.caption, title: item.caption });
    image.onerror = () => image.replaceWith(make("span", "words", item.caption));
    shown.append(image);
  } else shown.append(make("span", "words", item.caption));
  shown.append(make("span", "rank", String(place + 1)));
  return shown;
};

const drawSide = (name, items) => {
  const side = make("section", "", make("h2", "", name));
  side.setAttribute("aria-label", `${name} list`);
  const list = make("ol", "", ...items.map(drawResult));
  side.append(items.length ? list : make("p", "words", "no results"));
  return side;
};

class Comparison {
  constructor(parent) {
    this.root = make("main", "blind");
    parent.append(this.root);
    this.answered = []; // ids of queries, the last one at the end
    this.state = { waiting: 0, said: "" };
    this.onKey = (event) => this.press(event);
    addEventListener("keydown", this.onKey);
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.trigger = setTriggerValue;
    if (!this.outbox) {
      this.answered = data.queries.filter(({ done }) => done).map(({ id }) => id);
      this.outbox = makeOutbox();
      for (const row of this.outbox.list()) if (row.list_id === data.about.list_id) this.note(row);
      this.outbox.watch((state, settled = []) => this.hear(state, settled));
    }
    this.open(this.current?.id);
  }

  // Keep in mind what a row says: an answer, or that one is taken back.
  note({ query_id, value }) {
    this.answered = this.answered.filter((id) => id !== query_id);
    if (value) this.answered.push(query_id);
  }

  open(id) {
    const { queries } = this.data;
    this.current = queries.find((query) => query.id === id)
      ?? queries.find((query) => !this.answered.includes(query.id));
    this.draw();
  }

  send(query, value) {
    const { collection, author, about } = this.data;
    this.outbox.send({ collection, author, ...about, query_id: query.id, value });
    this.note({ query_id: query.id, value });
  }

  answer(name) {
    if (!this.current) return;
    this.send(this.current, name ? this.current.values[name] : this.data.skipped);
    this.open();
  }

  undo() {
    const last = this.data.queries.find(({ id }) => id === this.answered.at(-1));
    if (!last) return;
    this.send(last, "");
    this.open(last.id);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (KEYS.has(event.key)) this.answer(KEYS.get(event.key));
    else if (event.key === "s") this.answer("");
    else if (event.key === "u") this.undo();
    else return;
    event.preventDefault();
  }

  hear(state, settled) {
    this.state = state;
    const refused = settled.filter(({ said, row }) => said && row.list_id === this.data.about.list_id);
    for (const { row } of refused) this.note({ ...row, value: "" });
    if (refused.length) this.open(refused[0].row.query_id);
    else if (this.line) this.line.textContent = this.describe();
  }

  describe() {
    const told = `${this.answered.length} of ${this.data.queries.length} queries`;
    const state = describeOutbox(this.state);
    return state ? `${told} · ${state}` : told;
  }

  draw() {
    const query = this.current;
    const leave = makeButton("", "Leave", "", () => this.trigger("leave", true));
    leave.title = "What was answered is saved";
    const top = make("header", "", make("b", "", this.data.title), leave);
    this.root.replaceChildren(top, ...(query ? this.drawQuery(query) : this.drawEnd()), this.drawBottom());
  }

  drawQuery(query) {
    const asked = make("h1", "", "Which list answers better: ", make("q", "", query.text));
    asked.setAttribute("aria-live", "polite");
    const head = make("div", "asked", asked);
    if (query.picture) {
      const image = make("img");
      Object.assign(image, { src: query.picture, alt: "" });
      head.prepend(image);
    }
    const sides = ["Left", "Right"].map((name, at) => drawSide(name, query.sides[at]));
    return [head, make("div", "sides", ...sides)];
  }

  drawEnd() {
    const text = `You have compared all ${this.data.queries.length} queries.`;
    const button = makeButton("big", "Show the result", "", () => this.trigger("finish", true));
    return [make("div", "end", make("h1", "", text), button)];
  }

  drawBottom() {
    const bar = make("progress", "");
    bar.max = this.data.queries.length;
    bar.value = this.answered.length;
    bar.setAttribute("aria-label", "Done");
    this.line = make("span", "state", this.describe());
    this.line.setAttribute("role", "status");
    const answers = make("div", "answers");
    const more = make("div", "more", makeButton("", "Undo", "u", () => this.undo()));
    if (this.current) {
      answers.append(...ANSWERS.map(([name, text, key]) =>
        makeButton("big", text, key, () => this.answer(name))));
      more.append(makeButton("", "Cannot say", "s", () => this.answer("")));
    }
    return make("footer", "", make("div", "done", this.line, bar), answers, more);
  }

  close() {
    removeEventListener("keydown", this.onKey);
    this.outbox?.close();
    this.root.remove();
  }
}

const comparisons = new WeakMap();

export default function (component) {
  const { parentElement } = component;
  if (!comparisons.has(parentElement)) comparisons.set(parentElement, new Comparison(parentElement));
  const comparison = comparisons.get(parentElement);
  comparison.update(component);
  return () => {
    comparison.close();
    comparisons.delete(parentElement);
  };
}

// Lists pairs on which people differ; a key decides the framed one, which then leaves the list.

const make = (tag, name, ...inside) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside);
  return element;
};

const WORDS = new Map([["relevant", "✓ relevant"], ["not", "✕ not relevant"], ["unsure", "? unsure"]]);
const tell = (value) => WORDS.get(value) ?? `grade ${value}`;
const paint = (value) => ({ relevant: "yes", not: "no" })[value] ?? "";
const name = (row) => JSON.stringify([row.query_id, row.item_id]);

const drawPicture = (row) => {
  const box = make("div", "picture");
  if (!row.picture) return box;
  const image = make("img");
  Object.assign(image, { src: row.picture, alt: row.caption, loading: "lazy" });
  image.onerror = () => box.replaceChildren("cannot be shown");
  box.append(image);
  return box;
};

const drawLabel = (row) => {
  const label = make("div", "label", make("span", "quiet", "Label: "));
  if (!row.ticks.length) label.append(row.label);
  for (const [keyword, has] of row.ticks) {
    label.append(make("span", has ? "yes" : "no", `${has ? "✓" : "✕"} ${keyword}`));
  }
  return make("div", "about", make("b", "", row.query), label, make("div", "quiet", row.caption));
};

const drawSaid = ([author, value, note]) =>
  make("div", "", make("b", "", author), " ", make("span", paint(value), tell(value)),
    make("span", "quiet", note ? ` “${note}”` : ""));

class Decisions {
  constructor(parent) {
    this.root = make("div", "decisions");
    parent.append(this.root);
    this.decided = new Map(); // rows by pair, the last one at the end
    this.state = { waiting: 0, said: "" };
    this.framed = 0;
    this.onKey = (event) => this.press(event);
    addEventListener("keydown", this.onKey);
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.trigger = setTriggerValue;
    this.answers = [["not", "✕ Not relevant", "x"], ["relevant", "✓ Relevant", "y"],
      ...data.grades.map((grade) => [grade, grade, grade]), [data.unsure, "Keep label", "n"]];
    if (!this.outbox) {
      this.outbox = makeOutbox();
      for (const row of this.outbox.list()) if (row.kind === data.kind) this.note(row);
      this.outbox.watch((state, settled = []) => this.hear(state, settled));
    }
    this.draw();
  }

  get left() {
    return this.data.rows.filter((row) => !this.decided.has(name(row)));
  }

  act(row, value) {
    if (!row) return;
    this.decide(row, value);
    this.draw(true);
  }

  // Keep in mind what was decided on a pair; an empty value takes a decision back.
  note(row) {
    this.decided.delete(name(row));
    if (row.value) this.decided.set(name(row), row);
  }

  hear(state, settled) {
    this.state = state;
    const refused = settled.filter(({ said, row }) => said && row.kind === this.data.kind);
    for (const { row } of refused) this.note({ ...row, value: "" });
    if (refused.length) this.draw();
    else if (this.line) this.line.textContent = this.describe();
  }

  decide({ query_id, item_id }, value) {
    const { collection, author, kind } = this.data;
    const row = { collection, author, kind, query_id, item_id, value };
    this.outbox.send(row);
    this.note(row);
  }

  undo() {
    const last = [...this.decided.values()].at(-1);
    if (!last) return;
    this.decide(last, "");
    this.framed = this.left.findIndex((row) => name(row) === name(last));
    this.draw(true);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.composedPath()[0].tagName ?? "")) return;
    const answer = this.answers.find(([, , key]) => key === event.key);
    const step = { j: 1, k: -1 }[event.key];
    if (answer) this.act(this.left[this.framed], answer[0]);
    else if (step) this.move(this.framed + step);
    else if (event.key === "u") this.undo();
    else return;
    event.preventDefault();
  }

  move(place) {
    this.framed = place;
    this.draw(true);
  }

  describe() {
    const told = `${this.decided.size} decided, ${this.left.length + this.data.more} left`;
    const state = describeOutbox(this.state);
    return state ? `${told} · ${state}` : told;
  }

  draw(follows = false) {
    const { left } = this;
    this.framed = Math.max(0, Math.min(this.framed, left.length - 1));
    this.line = make("span", "state", this.describe());
    this.line.setAttribute("role", "status");
    const head = make("div", "head", this.line, this.makeButton("Undo", "u", () => this.undo()));
    const rows = left.map((row, place) => this.drawRow(row, place));
    this.root.replaceChildren(head, ...rows);
    if (!left.length) {
      const text = this.data.more ? "Next disagreements" : "All are decided: go on";
      this.root.append(this.makeButton(text, "", () => this.trigger("next", Date.now())));
    }
    if (follows) rows[this.framed]?.scrollIntoView({ block: "nearest" });
  }

  drawRow(row, place) {
    const is = place === this.framed;
    const acts = make("div", "acts", ...this.answers.map(([value, text, key]) =>
      this.makeButton(text, key, () => this.act(row, value))));
    const said = make("div", "said", ...row.said.map(drawSaid));
    const shown = make("article", is ? "row framed" : "row", drawPicture(row), drawLabel(row), said, acts);
    shown.setAttribute("aria-current", String(is));
    return shown;
  }

  makeButton(text, key, act) {
    const button = make("button", "", text);
    if (key && key !== text) button.append(make("kbd", "", key));
    button.type = "button";
    button.onclick = act;
    return button;
  }

  close() {
    removeEventListener("keydown", this.onKey);
    this.outbox?.close();
    this.root.remove();
  }
}

const views = new WeakMap();

export default function (component) {
  const { parentElement } = component;
  if (!views.has(parentElement)) views.set(parentElement, new Decisions(parentElement));
  const view = views.get(parentElement);
  view.update(component);
  return () => {
    view.close();
    views.delete(parentElement);
  };
}

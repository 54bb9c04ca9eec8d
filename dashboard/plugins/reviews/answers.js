// What blind comparison and decisions share: elements, and answers that are sent and taken back.

const make = (tag, name, ...inside) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside);
  return element;
};

const makeButton = (name, text, key, act) => {
  const button = make("button", name, text);
  if (key && key !== text) button.append(make("kbd", "", key));
  button.type = "button";
  button.onclick = act;
  return button;
};

// A view whose data hold collection, author and `about`, the fields that all its rows share.
class Answers {
  constructor(parent, name) {
    this.root = make("div", name);
    parent.append(this.root);
    this.answers = new Map(); // rows by pair, the last one at the end
    this.line = make("span", "state");
    this.line.setAttribute("role", "status");
    this.onKey = (event) => this.press(event);
    addEventListener("keydown", this.onKey);
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.trigger = (name) => setTriggerValue(name, Date.now());
    if (!this.outbox) {
      this.outbox = makeOutbox();
      this.outbox.writeName(data.author);
      this.outbox.list().filter((row) => this.owns(row)).forEach((row) => this.note(row));
      this.outbox.watch((state, settled = []) => this.hear(state, settled));
    }
  }

  name = ({ query_id, item_id }) => JSON.stringify([query_id, item_id]);

  owns(row) {
    return Object.entries(this.data.about).every(([field, value]) => row[field] === value);
  }

  // Keep in mind what a row says; an empty value takes an answer back.
  note(row) {
    this.answers.delete(this.name(row));
    if (row.value) this.answers.set(this.name(row), row);
  }

  send(pair, value) {
    const { collection, author, about } = this.data;
    const row = { item_id: "", ...pair, collection, author, ...about, value };
    this.outbox.send(row);
    this.note(row);
  }

  undo() {
    const last = [...this.answers.values()].at(-1);
    if (!last) return;
    this.send({ query_id: last.query_id, item_id: last.item_id }, "");
    this.open(last);
  }

  hear(state, settled) {
    this.state = describeOutbox(state);
    const refused = settled.filter(({ said, row }) => said && this.owns(row));
    for (const { row } of refused) this.note({ ...row, value: "" });
    if (settled.length) this.refusal = refused.length ? `Not saved: ${refused[0].said}` : "";
    this.state ||= this.refusal;
    if (refused.length) this.open(refused[0].row);
    this.tell();
  }

  tell() {
    this.line.textContent = [this.describe(), this.state].filter(Boolean).join(" · ");
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.composedPath()[0].tagName ?? "")) return;
    if (event.key === "u") this.undo();
    else if (!this.pressAnswer(event.key)) return;
    event.preventDefault();
  }

  close() {
    removeEventListener("keydown", this.onKey);
    this.outbox?.close();
    this.root.remove();
  }
}

const views = new WeakMap();

// Return the function of a component that keeps one view as long as its place is there.
const keepView = (View) => (component) => {
  const { parentElement } = component;
  if (!views.has(parentElement)) views.set(parentElement, new View(parentElement));
  const view = views.get(parentElement);
  view.update(component);
  return () => {
    view.close();
    views.delete(parentElement);
  };
};

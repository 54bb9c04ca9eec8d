// What blind comparison and decisions share: answers that are sent and taken back.

const BEFORE = "before"; // value of an answer that was saved before this page was drawn

// A view whose data hold collection, author and `about`, the fields that all its rows share.
class Answers {
  constructor(parent, name) {
    this.root = make("div", name);
    parent.append(this.root);
    this.answers = new Map(); // rows by pair, the last one at the end
    this.line = make("span", "state");
    this.line.setAttribute("role", "status");
    this.leave = new AbortController();
    document.addEventListener("keydown", (event) => this.press(event), { signal: this.leave.signal });
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.trigger = (name) => setTriggerValue(name, Date.now());
    if (!this.outbox) {
      this.outbox = openOutbox();
      this.outbox.writeName(data.author);
      this.outbox.list().filter((row) => !row.undo && this.owns(row)).forEach((row) => this.note(row));
      this.unwatch = this.outbox.watch((state, settled = []) => this.hear(state, settled));
    }
  }

  name = ({ query_id, item_id }) => JSON.stringify([query_id, item_id]);

  // Return what all rows of this view share.
  share() {
    const { collection, author, about } = this.data;
    return { collection, author, ...about };
  }

  owns(row) {
    const { collection, author, kind, list_id } = this.share();
    const shared = Object.entries({ collection, author, kind, list_id });
    return shared.every(([field, value]) => row[field] === value);
  }

  // Keep in mind what a row says; an empty value takes an answer back.
  note(row) {
    this.answers.delete(this.name(row));
    if (row.value) this.answers.set(this.name(row), row);
  }

  send(pair, value) {
    const row = { item_id: "", ...pair, ...this.share(), value };
    this.outbox.send(row);
    this.note(row);
    this.said = "";
    this.taken = undefined;
  }

  // Take back the last answer of this page, or, where there is none, the last one that was saved.
  undo() {
    const last = [...this.answers.values()].filter(({ value }) => value !== BEFORE).at(-1);
    if (!last) return this.outbox.undo(this.share());
    this.send({ query_id: last.query_id, item_id: last.item_id }, "");
    this.reopen(last);
  }

  // Show again what was taken back, and say so.
  reopen(row) {
    this.taken = row;
    this.open(row);
  }

  hear(state, settled) {
    const mine = settled.filter(({ row }) => this.owns(row));
    for (const { row, said, taken } of mine) {
      if (taken) this.note({ ...taken, value: "" });
      if (taken) this.reopen(taken);
      else if (said) this.said = `Not saved: ${said}`;
      else if (row.undo) this.said = NOTHING;
      if (said && !row.undo) this.note({ ...row, value: row.value ? "" : BEFORE });
      if (said && !row.undo) this.open(row);
    }
    this.state = describeOutbox(state);
    this.tell();
  }

  tell() {
    const taken = this.taken && `Taken back: ${this.nameAnswer(this.taken)}`;
    this.line.textContent = [this.describe(), this.state || this.said || taken].filter(Boolean).join(" · ");
  }

  press(event) {
    if (!event.repeat) pressKey(event, { u: () => this.undo(), ...this.listKeys() });
  }

  close() {
    this.leave.abort();
    this.unwatch?.();
    this.root.remove();
  }
}

// A view in which a person says something of one pair after another, and takes it back. All is shown
// at once, before the server knows it. A view has `known`, what the server sent of a pair; `reopen`,
// which shows a pair again; `nameAnswer`, for a sentence; and `describe`, for the line of its state.

const WORDS = new Map([["relevant", "relevant"], ["not", "not relevant"], ["unsure", "unsure"],
  ["keep", "keep label"]]);
const MARKS_OF = new Map([["relevant", "✓"], ["not", "✕"], ["unsure", "?"]]);
const say = (value) => WORDS.get(value) ?? `grade ${value}`;
const countOf = (number, total, one, many) =>
  `${number.toLocaleString("en")} of ${total.toLocaleString("en")} ${total === 1 ? one : many}`;
// Return the grades from 0 to the highest one; none where words say it all, or there are too many.
const listGrades = (scale, most = Infinity) =>
  scale > 1 && scale <= most ? [...Array(scale + 1).keys()].map(String) : [];
// Return a button that says something of what is shown. The next thing comes under the pointer, so
// that the second click of a double click says nothing.
const makeAnswer = (name, text, key, act) =>
  makeKeyed(name, text, key, (event) => { if (event.detail < 2) act(); });
const nameOf = ({ query_id, item_id = "" }) => JSON.stringify([query_id, item_id]);

class AnswerView extends QueryView {
  constructor(parent, name) {
    super(parent, name);
    this.line = make("output", "state");
    this.line.setAttribute("aria-live", "polite");
    this.outbox = openOutbox();
  }

  // Begin anew if the fields that all rows share are others: collection, author, kind and list_id.
  update(component) {
    super.update(component);
    const { about } = this.data;
    if (JSON.stringify(about) === JSON.stringify(this.shared)) return;
    this.shared = about;
    keepName(about.author);
    this.rows = new Map(); // the last one of each pair; undefined: it was taken back
    this.given = []; // what can be taken back
    this.sent = new Map(); // rows by `once`, and what an undo takes back
    for (const row of this.outbox.list().filter((each) => this.isMine(each))) {
      if (row.undo) this.takeBack(row);
      else this.keep(row);
    }
    this.taken = this.told = "";
    this.unwatch ??= this.outbox.watch((state, settled) => this.hear(state, settled));
  }

  isMine(row) {
    return ["collection", "author", "kind"].every((field) => row[field] === this.shared[field]);
  }

  find(pair) {
    return this.rows.has(nameOf(pair)) ? this.rows.get(nameOf(pair)) : this.known(pair);
  }

  has(pair) {
    return (this.find(pair)?.state ?? "refused") !== "refused";
  }

  send({ query_id, item_id = "" }, said) {
    const row = { query_id, item_id, ...this.shared, ...said };
    this.taken = this.told = "";
    this.keep({ ...row, once: this.outbox.send(row) });
  }

  keep(row) {
    const entry = { ...row, state: "waiting", before: this.find(row) };
    this.given.push(entry);
    this.sent.set(row.once, entry);
    this.rows.set(nameOf(row), entry);
  }

  // Take back the last row; where this tab does not know it, the server does.
  undo() {
    if (this.data.why) return;
    const entry = this.takeBack({ ...this.shared, once: this.outbox.undo(this.shared) });
    if (entry) this.showTaken(entry, entry.before);
    this.tell();
  }

  takeBack({ once, list_id }) {
    const place = this.given.findLastIndex((each) => each.list_id === list_id);
    if (place < 0) return undefined;
    const [entry] = this.given.splice(place, 1);
    this.sent.set(once, entry);
    this.rows.set(nameOf(entry), entry.before);
    return entry;
  }

  showTaken(row, before) {
    this.taken = `Taken back: ${this.nameAnswer(row, before)}`;
    this.told = "";
    this.reopen(row);
  }

  hear(state, settled) {
    for (const answer of settled.filter(({ row }) => this.isMine(row))) this.settle(answer);
    this.line.classList.toggle("problem", Boolean(state.said));
    this.state = describeOutbox(state);
    this.tell();
  }

  settle({ once, row, number, said, taken, now, isElsewhere }) {
    const entry = this.sent.get(once);
    if (isElsewhere && !entry) return row.undo ? this.adopt(taken, now) : this.adopt(number && row, row);
    if (row.undo) return this.settleUndo(entry, taken, now);
    Object.assign(entry ?? {}, { state: number ? "saved" : "refused", text: said });
    this.told = number && !this.taken ? "Saved" : "";
    this.given = this.given.filter((each) => number || each !== entry);
    if (!number) this.reopen(row);
  }

  // Correct what was shown as taken back: another tab may have had the last word.
  settleUndo(entry, taken, now) {
    const isRight = entry && taken && nameOf(entry) === nameOf(taken);
    const isAnew = (row) => this.rows.get(nameOf(row))?.state === "waiting"; // said since the undo
    if (entry && !isRight && !isAnew(entry)) this.rows.set(nameOf(entry), entry);
    if (!taken) [this.taken, this.told] = ["", NOTHING];
    if (this.adopt(taken, now) && !isRight) this.showTaken(taken, now);
  }

  // Take over what the server has of a pair, unless something is said that it does not have yet.
  adopt(pair, row) {
    if (!pair || this.rows.get(nameOf(pair))?.state === "waiting") return false;
    this.rows.set(nameOf(pair), row ? { ...row, state: "saved" } : undefined);
    return true;
  }

  tell() {
    const parts = [this.describe?.(), this.taken, this.state || this.told];
    this.line.textContent = parts.filter(Boolean).join(" · ");
  }

  // Focus the way on, once nothing is left to say and what had the focus is gone.
  keepFocus(names) {
    if (document.activeElement === document.body) this.root.querySelector(names)?.focus();
  }

  drawUndo(name = "") {
    return makeKeyed(name, "Undo last", "u", () => this.undo());
  }

  press(event) {
    if (!event.repeat) super.press(event);
  }

  fit() {}

  close() {
    super.close();
    this.unwatch?.();
  }
}

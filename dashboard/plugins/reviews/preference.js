// Shows the results of two versions beside each other, without names, one query after another.

const KEYS = "Keys: ← left, ↓ same, → right, s cannot say, u undo";
const NAMES = ["left", "same", "right", "skip"]; // in the order of a query's values
const ANSWERS = [["left", "Left", "←"], ["same", "Same", "↓"], ["right", "Right", "→"]];

const drawResult = (item, place) => make("li", "", drawMedia(item), make("span", "rank", String(place + 1)));

const drawSide = (name, items) => {
  const list = make("ol", "", ...items.map(drawResult));
  const none = make("p", "words", "no results");
  const side = make("section", "", make("h2", "", name), items.length ? list : none);
  side.setAttribute("aria-label", `${name} list`);
  return side;
};

class Comparison extends AnswerView {
  constructor(parent) {
    super(parent, "blind");
  }

  update(component) {
    super.update(component);
    this.reopen(this.current ?? {});
  }

  // Two lists may ask of one query.
  isMine(row) {
    return super.isMine(row) && row.list_id === this.shared.list_id;
  }

  known({ query_id }) {
    return this.data.queries.find((query) => query.query_id === query_id)?.done ? { state: "saved" } : undefined;
  }

  get left() {
    return this.data.queries.filter((query) => !this.has(query));
  }

  reopen({ query_id }) {
    this.current = this.data.queries.find((query) => query.query_id === query_id) ?? this.left[0];
    this.draw();
  }

  answer(name) {
    if (!this.current) return;
    this.send(this.current, { value: this.current.values[NAMES.indexOf(name)] });
    this.reopen({});
  }

  listKeys() {
    const keys = { ArrowLeft: "left", ArrowDown: "same", ArrowRight: "right", s: "skip" };
    const acts = Object.entries(keys).map(([key, name]) => [key, () => this.answer(name)]);
    const tellKeys = () => {
      this.told = KEYS;
      this.tell();
    };
    return { u: () => this.undo(), "?": tellKeys, ...Object.fromEntries(acts) };
  }

  nameAnswer({ query_id }) {
    const query = this.data.queries.find((each) => each.query_id === query_id);
    return `the answer to “${query?.text ?? query_id}”`;
  }

  describe() {
    const { length } = this.data.queries;
    return countOf(length - this.left.length, length, "query", "queries");
  }

  draw() {
    const leave = makeButton("", "Leave", "", () => this.trigger("leave", true));
    leave.title = "What was answered is saved";
    const top = make("header", "", make("b", "", this.data.title), leave);
    const shown = this.current ? this.drawQuery(this.current) : this.drawEnd();
    this.root.replaceChildren(top, ...shown, this.drawBottom());
    this.keepFocus(".end button");
    this.tell();
  }

  drawQuery(query) {
    const asked = make("h1", "", "Which list answers better: ", make("q", "", query.text));
    asked.setAttribute("aria-live", "polite");
    const head = make("div", "asked", asked);
    if (query.picture) head.prepend(Object.assign(make("img"), { src: query.picture, alt: "" }));
    const sides = ["Left", "Right"].map((name, at) => drawSide(name, query.sides[at]));
    return [head, make("div", "sides", ...sides)];
  }

  drawEnd() {
    const button = makeButton("big", "Show the result", "", () => this.trigger("finish", true));
    return [make("div", "end", make("h1", "", "You have compared every query."), button)];
  }

  drawBottom() {
    const bar = Object.assign(make("progress"), { max: this.data.queries.length, value: this.data.queries.length - this.left.length });
    bar.setAttribute("aria-label", "Done");
    const answers = make("div", "answers");
    const more = make("div", "more", this.drawUndo());
    if (this.current) {
      answers.append(...ANSWERS.map(([name, text, key]) =>
        makeAnswer("big", text, key, () => this.answer(name))));
      more.append(makeAnswer("", "Cannot say", "s", () => this.answer("skip")));
    }
    return make("footer", "", make("div", "done", this.line, bar), answers, more);
  }
}

export default keepView(Comparison);

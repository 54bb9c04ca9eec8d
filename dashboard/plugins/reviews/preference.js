// Shows the results of two versions beside each other, without names, one query after another.

const ANSWERS = [["left", "Left", "←"], ["same", "Same", "↓"], ["right", "Right", "→"]];

const drawResult = (item, place) => {
  const words = make("span", "words", item.caption);
  const image = make("img");
  Object.assign(image, { src: item.picture, alt: item.caption, title: item.caption });
  image.onerror = () => image.replaceWith(words);
  return make("li", "", item.picture ? image : words, make("span", "rank", String(place + 1)));
};

const drawSide = (name, items) => {
  const list = make("ol", "", ...items.map(drawResult));
  const none = make("p", "words", "no results");
  const side = make("section", "", make("h2", "", name), items.length ? list : none);
  side.setAttribute("aria-label", `${name} list`);
  return side;
};

class Comparison extends Answers {
  constructor(parent) {
    super(parent, "blind");
  }

  update(component) {
    const isFirst = !this.outbox;
    const done = component.data.queries.filter((query) => isFirst && query.done);
    for (const query of done) this.note({ ...query, item_id: "", value: BEFORE });
    super.update(component);
    this.open(this.current ?? {});
  }

  open({ query_id }) {
    const { queries } = this.data;
    this.current = queries.find((query) => query.query_id === query_id)
      ?? queries.find((query) => !this.answers.has(this.name({ ...query, item_id: "" })));
    this.draw();
  }

  answer(name) {
    if (!this.current) return;
    this.send({ query_id: this.current.query_id }, this.current.values[name]);
    this.open({});
  }

  listKeys() {
    const keys = { ArrowLeft: "left", ArrowDown: "same", ArrowRight: "right", s: "skip" };
    return Object.fromEntries(Object.entries(keys).map(([key, name]) => [key, () => this.answer(name)]));
  }

  nameAnswer({ query_id }) {
    const query = this.data.queries.find((each) => each.query_id === query_id);
    return `the answer to “${query?.text ?? query_id}”`;
  }

  describe() {
    return `${this.answers.size} of ${this.data.queries.length} queries`;
  }

  draw() {
    const leave = makeButton("", "Leave", "", () => this.trigger("leave"));
    leave.title = "What was answered is saved";
    const top = make("header", "", make("b", "", this.data.title), leave);
    const shown = this.current ? this.drawQuery(this.current) : this.drawEnd();
    this.root.replaceChildren(top, ...shown, this.drawBottom());
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
    const text = `You have compared all ${this.data.queries.length} queries.`;
    const button = makeButton("big", "Show the result", "", () => this.trigger("finish"));
    return [make("div", "end", make("h1", "", text), button)];
  }

  drawBottom() {
    const bar = Object.assign(make("progress"), { max: this.data.queries.length, value: this.answers.size });
    bar.setAttribute("aria-label", "Done");
    const answers = make("div", "answers");
    const more = make("div", "more", makeKeyed("", "Undo", "u", () => this.undo()));
    if (this.current) {
      answers.append(...ANSWERS.map(([name, text, key]) =>
        makeKeyed("big", text, key, () => this.answer(name))));
      more.append(makeKeyed("", "Cannot say", "s", () => this.answer("skip")));
    }
    return make("footer", "", make("div", "done", this.line, bar), answers, more);
  }
}

export default keepView(Comparison);

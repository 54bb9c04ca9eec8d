// Lists pairs on which people differ; a key decides the framed one, which then leaves the list.

const drawLabel = (row) => {
  const ticks = row.ticks.map(([keyword, has]) => make("span", has ? "yes" : "no", `${SIGNS.get(has)} ${keyword}`));
  const label = make("div", "label", make("span", "quiet", "Label: "), ...(ticks.length ? ticks : [row.label]));
  const name = make("div", "quiet", row.caption || row.item_id);
  return make("div", "about", make("b", "", row.query), label, name);
};

const drawSaid = ([author, value, note]) => {
  const told = make("span", value, `${MARKS_OF.get(value) ?? ""} ${say(value)}`.trim());
  return make("div", "", make("b", "", author), " ", told, make("span", "quiet", note && ` “${note}”`));
};

class Decisions extends AnswerView {
  constructor(parent) {
    super(parent, "decisions");
    this.framed = 0;
  }

  update(component) {
    super.update(component);
    const grades = listGrades(this.data.scale);
    this.choices = [["not", "✕ Not relevant", "x"], ["relevant", "✓ Relevant", "y"],
      ...grades.map((grade) => [grade, grade, grade]), ["keep", "Keep label", "n"]];
    this.draw();
  }

  get left() {
    return this.data.rows.filter((row) => !this.has(row));
  }

  known() {} // no pair that is decided is sent

  hear(state, settled) {
    super.hear(state, settled);
    if (settled.some(({ isElsewhere }) => isElsewhere)) this.draw();
  }

  reopen(taken) {
    const place = this.left.findIndex((row) => nameOf(row) === nameOf(taken));
    if (place < 0) this.trigger("next", true); // it was decided before this page was drawn
    else this.frame(place);
  }

  frame(place) {
    this.framed = place;
    this.draw();
    this.root.querySelector(".framed")?.scrollIntoView({ block: "nearest" });
  }

  decide(row, value) {
    if (!row) return;
    this.send(row, { value });
    this.frame(this.framed);
  }

  listKeys() {
    const choices = this.choices.map(([value, , key]) => [key, () => this.decide(this.left[this.framed], value)]);
    const [down, up] = [1, -1].map((by) => () => this.frame(this.framed + by));
    return { j: down, k: up, u: () => this.undo(), ...Object.fromEntries(choices) };
  }

  nameAnswer(answer) {
    const row = this.data.rows.find((each) => nameOf(each) === nameOf(answer));
    return `${say(answer.value)}, of ${row?.query ?? answer.query_id}`;
  }

  describe() {
    const left = this.left.length;
    return `${this.data.done + this.data.rows.length - left} decided, ${left + this.data.more} left`;
  }

  draw() {
    const { left } = this;
    this.framed = Math.max(0, Math.min(this.framed, left.length - 1));
    const rows = left.map((row, place) => this.drawRow(row, place === this.framed));
    const text = this.data.more ? "Next disagreements" : "All are decided: go on";
    if (!rows.length) rows.push(makeButton("", text, "", () => this.trigger("next", true)));
    this.root.replaceChildren(make("div", "head", this.line, this.drawUndo()), ...rows);
    this.keepFocus(":scope > button");
    this.tell();
  }

  drawRow(row, isFramed) {
    const acts = make("div", "acts", ...this.choices.map(([value, text, key]) =>
      makeAnswer("", text, key, () => this.decide(row, value))));
    const said = make("div", "said", ...row.said.map(drawSaid));
    const media = drawMedia({ ...row, item: row.item_id });
    const shown = make("article", "row", media, drawLabel(row), said, acts);
    shown.classList.toggle("framed", isFramed);
    shown.setAttribute("aria-current", String(isFramed));
    return shown;
  }
}

export default keepView(Decisions);

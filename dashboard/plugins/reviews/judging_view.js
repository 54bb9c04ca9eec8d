// Judging: one card in front, the others of the query below it, and three buttons. What a card is
// labelled, its ranks and others' verdicts become elements only after one's own verdict.

const NARROW = 700;
const MIN_HEIGHT = 320;
const SWIPE = 70; // pixels
const MAX_NAME = 80; // letters of a query's name on a button

class Judging extends AnswerView {
  constructor(parent) {
    super(parent, "cards judging");
    this.dialog.addEventListener("close", () => this.dialog.replaceChildren());
    this.hides = true;
  }

  update(component) {
    const { shared } = this;
    super.update(component);
    if (shared !== this.shared) this.query = this.front = undefined; // the order is another one
    this.follow();
    this.prefetch([...this.payloads.values()].flatMap(({ cards }) => cards.map((card) => card.picture)));
  }

  known({ query_id, item_id }) {
    const card = this.payloads.get(query_id)?.cards.find(({ item }) => item === item_id);
    const said = card?.said.find(([name]) => name === this.shared.author);
    return said && { value: said[1], cause: said[2], note: said[3], state: "saved" };
  }

  isDone(query, isKnown) {
    const cards = this.payloads.get(query)?.cards;
    return cards ? cards.every((card) => this.has(card)) : isKnown;
  }

  show(query) {
    const payload = this.payloads.get(query);
    const text = JSON.stringify([payload, this.data.why, this.shared]);
    if (query === this.query && text === this.shown) return this.drawCounts();
    const front = query === this.query ? this.front?.item : undefined;
    if (query !== this.query) this.last = undefined;
    this.query = query;
    this.payload = payload ?? { title: "", required: [], cards: [] };
    this.shown = text;
    this.cards = this.payload.cards;
    this.front = this.cards.find((card) => card.item === front) ?? this.findNext() ?? this.cards[0];
    this.draw();
  }

  draw() {
    this.thumbs = this.cards.map((card) => this.drawThumb(card));
    this.big = make("div", "big");
    this.followSwipe(this.big);
    this.about = make("div", "about");
    this.pool = make("div", "pool", ...this.thumbs);
    const stage = make("div", "stage", this.big, this.about);
    this.ending = make("div", "ending");
    this.counts = make("div", "counts");
    const panel = make("footer", "panel", this.ending, this.counts, this.drawButtons(), this.line);
    this.root.replaceChildren(this.drawHead(), stage, this.pool, panel);
    this.drawFront();
    this.fit();
  }

  drawHead() {
    const line = make("div", "query", ...this.drawSteps(this.query), make("h2", "title", this.payload.title));
    const box = Object.assign(make("input"), { type: "checkbox", checked: this.hides });
    box.disabled = Boolean(this.shared.list_id);
    box.onchange = () => this.setHides(box.checked);
    const { author } = this.shared;
    const name = makeButton("step", author, `${author}: change the name`, () => this.trigger("author", true));
    name.disabled = this.data.verified;
    const keys = makeButton("step help", "?", "Keys", () => this.openDialog(this.drawKeys()));
    line.append(make("label", "hide", box, "Hide labels", make("kbd", "", "h")), name);
    line.append(makeKeyed("step", "Stop", "v", () => this.stop()), keys);
    return line;
  }

  drawThumb(card) {
    const button = makeButton("thumb", "", "", () => this.choose(card));
    button.card = card;
    button.append(this.drawPicture(card), make("span", "told"), make("span", "given"));
    return button;
  }

  drawPicture(card, picture = card.picture) {
    // the caption may be the label; the text of an item without picture is what is judged
    return drawMedia(picture ? { picture, caption: `Result ${this.cards.indexOf(card) + 1}` } : card);
  }

  listChoices() {
    const grades = listGrades(this.data.scale, 9);
    return [["not", "Not relevant", "x"], ["unsure", "Unsure", "s"], ["relevant", "Relevant", "y"],
      ...grades.map((grade) => [grade, `Grade ${grade}`, grade])];
  }

  drawButtons() {
    return make("div", "buttons", ...this.listChoices().map(([value, text, key]) => {
      const button = makeAnswer("choice", text, key, () => this.judge(value));
      const sign = make("span", "sign", MARKS_OF.get(value));
      sign.setAttribute("aria-hidden", "true");
      button.prepend(sign);
      return Object.assign(button, { value, disabled: Boolean(this.data.why) });
    }));
  }

  // Bring a card to the front; what it was is redrawn.
  choose(card) {
    this.front = card;
    this.drawFront();
  }

  drawFront() {
    for (const thumb of this.thumbs) this.drawState(thumb);
    const held = this.root.contains(this.root.getRootNode().activeElement) || document.activeElement === document.body;
    const card = this.front;
    if (this.big.card !== card) {
      this.big.card = card;
      this.big.replaceChildren(...(card ? [this.drawBig(card)] : []));
    }
    this.drawAbout();
    this.drawEnding();
    this.drawCounts();
    const thumb = this.thumbs[this.cards.indexOf(card)];
    thumb?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (held && !this.dialog.open) (this.ending.querySelector("button") ?? thumb)?.focus({ preventScroll: true });
  }

  drawBig(card) {
    if (!card.picture || !card.clip) return this.drawPicture(card, card.picture && card.file);
    const video = repeat(makeVideo(card));
    video.poster = card.picture;
    video.addEventListener("canplay", () => video.play().catch(() => {}), { once: true });
    const pause = makeButton("step pause", "❚❚", "Pause or play (p)", () => toggleVideo(video));
    return make("div", "media", video, pause);
  }

  drawState(thumb) {
    const { card } = thumb;
    const own = this.find(card);
    const isSeen = own || !this.hides;
    const [told, given] = thumb.querySelectorAll("span.told, span.given");
    const states = new Map([["waiting", " …"], ["refused", " not saved"], ["saved", ""]]);
    told.textContent = own ? `${MARKS_OF.get(own.value) ?? ""} ${say(own.value)}${states.get(own.state)}` : "not judged";
    given.textContent = isSeen ? `label: ${describeVerdict(card, this.payload)}` : "";
    thumb.className = `thumb${own ? ` ${own.value} ${own.state}` : ""}${card === this.front ? " front" : ""}`;
    thumb.setAttribute("aria-current", String(card === this.front));
    thumb.tabIndex = card === this.front ? 0 : -1;
    if (isSeen && card.caption) thumb.title = card.caption;
  }

  drawAbout() {
    const { required } = this.payload;
    const parts = [make("h3", "", required.length ? "Does it show all of this?" : "Is it what was asked for?")];
    if (this.payload.poster) parts.push(Object.assign(make("img", "asked"), { src: this.payload.poster, alt: "The query's picture" }));
    parts.push(drawChips(required.length ? required : [this.payload.title]));
    if (this.data.why) parts.push(make("p", "problem", this.data.why));
    const isSeen = this.front && (this.find(this.front) || !this.hides);
    const subject = isSeen ? this.front : this.last && this.find(this.last) && this.last;
    if (!isSeen && this.front) parts.push(make("p", "hidden", "Labels, ranks, versions and others' verdicts appear after your own."));
    if (subject) parts.push(this.drawFacts(subject));
    this.about.replaceChildren(...parts);
  }

  // Return what is known of a card that one has judged, and what can be added to the verdict.
  drawFacts(card) {
    const own = this.find(card);
    const head = card === this.front ? "This result" : "The one before";
    const box = make("section", "facts", make("h4", "", head, own && `: you said ${say(own.value)}`));
    if (own?.text) box.append(make("p", "problem", own.text));
    const label = make("div", card.hit === null ? "" : card.hit ? "has" : "lacks", `Label: ${describeVerdict(card, this.payload)}`);
    box.append(label, ...card.has.map((has, place) => drawKeyword(has, this.payload.required[place])));
    if (own && !this.data.why) box.append(...this.drawAdditions(own));
    for (const text of [...card.facts, ...card.notes, card.picture && card.caption]) if (text) box.append(make("div", "foot", text));
    for (const [name, value, cause, note] of card.said) {
      if (name !== this.shared.author) box.append(make("div", "other", [`${name}: ${say(value)}`, cause, note].filter(Boolean).join(" · ")));
    }
    return box;
  }

  drawAdditions(own) {
    const causes = make("div", "causes", make("span", "", "Cause (c)"));
    this.data.causes.forEach((cause, place) => {
      const text = this.armed ? `${place + 1} ${cause}` : cause;
      const chip = makeButton("step", text, "", () => this.amend({ cause: own.cause === cause ? "" : cause }));
      chip.setAttribute("aria-pressed", String(own.cause === cause));
      causes.append(chip);
    });
    const more = make("div", "causes",
      makeKeyed("step", own.note ? "Edit note" : "Add note", "e", () => this.askNote()),
      this.drawUndo("step"));
    return [causes, ...(own.note ? [make("p", "note", own.note)] : []), more];
  }

  // Draw the way on, once everything of the query is judged.
  drawEnding() {
    this.hasEnded = this.payloads.has(this.query) && !this.findNext();
    const next = this.findQuery();
    const told = this.cards.length ? "All results of this query are judged." : "This query has no results to judge.";
    const name = this.data.queries.find(([id]) => id === next)?.[1].slice(0, MAX_NAME) ?? "";
    const button = next
      ? makeKeyed("choice", `Next query: ${name}`, "Enter", () => this.open(next))
      : makeKeyed("choice", "Everything is judged: stop", "v", () => this.stop());
    this.ending.replaceChildren(...(this.hasEnded ? [make("b", "", told), button] : []));
  }

  drawCounts() {
    if (!this.counts) return;
    const judged = this.cards.filter((card) => this.has(card)).length;
    const known = this.data.queries.filter(([id]) => this.payloads.has(id));
    const gained = known.reduce((sum, [id, , done]) => sum + Number(this.isDone(id, done)) - Number(done), 0);
    const bar = Object.assign(make("progress"), { max: this.cards.length || 1, value: judged });
    bar.setAttribute("aria-label", "Results judged");
    const told = [countOf(judged, this.cards.length, "result", "results"),
      countOf(this.data.done + gained, this.data.total, "query", "queries")];
    this.counts.replaceChildren(make("span", "", told.join(" · ")), bar);
  }

  // Return the next card that is not judged, after the one in front and then from the first.
  findNext() {
    const place = this.cards.indexOf(this.front);
    const order = [...this.cards.slice(place + 1), ...this.cards.slice(0, place + 1)];
    return order.find((card) => !this.has(card));
  }

  // Return the next query with results that are not judged; undefined if there is none.
  findQuery() {
    const { queries, next } = this.data;
    const place = queries.findIndex(([id]) => id === this.query);
    const order = [...queries.slice(place + 1), ...queries.slice(0, Math.max(place, 0))];
    const found = order.find(([id, , done]) => !this.isDone(id, done))?.[0];
    return found ?? (queries.some(([id]) => id === next) ? undefined : next || undefined);
  }

  open(query) {
    if (query && !this.payloads.has(query)) this.line.textContent = "Opening …";
    super.open(query);
  }

  stop() {
    this.isLeaving = true; // the cards take the keys, if they come
    this.trigger("stop", true);
  }

  judge(value) {
    const card = this.front;
    const isOpening = (this.awaited ?? this.query) !== this.query;
    if (!card || this.data.why || isOpening) return;
    const own = this.find(card);
    this.send(card, { value, cause: "", note: own?.note ?? "" });
    this.last = card;
    this.armed = false;
    this.front = this.findNext() ?? card;
    this.drawFront();
  }

  // Add a cause or a note to the verdict that is described.
  amend(change) {
    const card = this.find(this.front) ? this.front : this.last;
    const own = card && this.find(card);
    if (!own) return;
    this.armed = false;
    const { value, cause, note } = own;
    this.send(card, { value, cause, note, ...change });
    this.drawFront();
  }

  // Of a row that says the same as the one before, which was saved as the page was left, the verdict.
  nameAnswer({ query_id, value, cause, note }, before) {
    const name = this.data.queries.find(([id]) => id === query_id)?.[1] ?? query_id;
    let said = say(value);
    if (value === before?.value && cause !== before.cause) said = `the cause ${cause || before.cause}`;
    else if (value === before?.value && note !== before.note) said = "the note";
    return `${said}${query_id === this.query ? "" : `, of ${name}`}`;
  }

  reopen({ query_id, item_id }) {
    if (query_id !== this.query) return;
    this.front = this.cards.find(({ item }) => item === item_id) ?? this.front;
    this.drawFront();
  }

  hear(state, settled) {
    super.hear(state, settled);
    if (settled.length && this.cards) this.drawFront();
  }

  setHides(hides) {
    if (this.shared.list_id) return;
    this.hides = hides;
    this.draw();
  }

  // Ask for a note in a dialog; what is half typed is kept.
  askNote() {
    const card = this.front && this.find(this.front) ? this.front : this.last;
    if (!card) return;
    const draft = `draft of a note ${nameOf(card)}`;
    const field = Object.assign(make("textarea"), { maxLength: this.data.most, rows: 4 });
    field.value = storage.read(draft) ?? this.find(card).note ?? "";
    field.oninput = () => storage.write(draft, field.value);
    const save = Object.assign(make("button", "choice", "Save"), { type: "submit" });
    const hint = make("p", "foot", "Enter saves, Shift + Enter begins a line.");
    const form = make("form", "ask", make("label", "", "Note", field), hint, save);
    form.onsubmit = (event) => {
      event.preventDefault();
      storage.remove(draft);
      this.dialog.close();
      this.amend({ note: field.value.trim() });
    };
    field.onkeydown = (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    };
    this.openDialog(form);
    field.focus();
  }

  drawKeys() {
    const grades = listGrades(this.data.scale, 9).slice(-1).map((last) => [`0 – ${last}`, "grade"]);
    const keys = [
      ["y x s", "relevant, not relevant, unsure"], ...grades,
      ["c", "cause, by its number"], ["e", "note"], ["u", "undo the last verdict"],
      ["← → ↑ ↓", "another result"], ["j Enter", "next query with results to judge"], ["k", "previous query"],
      ["h", "hide labels until your verdict, or show them"], ["p", "pause or play"], ["v", "stop judging"],
    ];
    return drawKeys(keys);
  }

  move(by) {
    const card = this.cards[this.cards.indexOf(this.front) + by];
    if (card) this.choose(card);
  }

  // Swiping the card in front to the right says relevant, to the left not relevant,
  // unless it is judged.
  followSwipe(element) {
    let start;
    element.onpointerdown = (event) => {
      start = event.pointerType === "mouse" || event.target.closest("button") ? undefined : event;
      if (start) element.setPointerCapture(event.pointerId);
    };
    element.onpointermove = (event) => {
      if (start) element.style.translate = `${event.clientX - start.clientX}px`;
    };
    element.onpointercancel = () => {
      start = undefined;
      element.style.translate = "";
    };
    element.onpointerup = (event) => {
      if (!start) return;
      const [across, down] = [event.clientX - start.clientX, event.clientY - start.clientY];
      element.onpointercancel();
      const isMeant = Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down);
      if (isMeant && !this.has(this.front)) this.judge(across > 0 ? "relevant" : "not");
    };
  }

  // Fill the window, so that the card in front is always whole.
  fit() {
    const width = this.root.clientWidth;
    if (!width) return;
    const scrolled = document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0;
    const top = this.root.getBoundingClientRect().top + scrolled;
    this.root.style.height = `${Math.max(MIN_HEIGHT, window.innerHeight - top - 12)}px`;
    this.root.classList.toggle("narrow", width <= NARROW && window.innerHeight > width);
  }

  press(event) {
    if (!event.repeat) super.press(event);
  }

  listKeys(event) {
    const isIn = (names) => event.composedPath()[0].closest?.(names);
    const across = Math.max(1, Math.floor((this.pool?.clientWidth ?? 0) / (this.thumbs?.[0]?.offsetWidth || 1)));
    const choices = this.listChoices().map(([value, , key]) => [key, () => this.judge(value)]);
    const causes = this.data.causes.map((cause, place) => [place + 1, () => this.amend({ cause })]);
    return {
      v: () => this.stop(),
      ...Object.fromEntries([...choices, ...(this.armed ? causes : [])]),
      c: () => { this.armed = !this.armed; this.drawAbout(); },
      e: () => this.askNote(),
      u: () => this.undo(),
      j: () => this.open(this.findQuery()),
      k: () => this.open(this.findStep(-1)),
      h: () => this.setHides(!this.hides),
      p: () => this.big?.querySelector(".pause")?.click(),
      "?": () => this.openDialog(this.drawKeys()),
      Enter: this.hasEnded && !isIn("button:not(.thumb), a, [role=combobox]") && (() => this.open(this.findQuery())),
      ...(!isIn("[role=combobox]") && {
        ArrowRight: () => this.move(1),
        ArrowLeft: () => this.move(-1),
        ArrowDown: () => this.move(across),
        ArrowUp: () => this.move(-across),
      }),
    };
  }
}

export default keepView(Judging);

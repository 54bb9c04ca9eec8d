// Says on every screen what waits in this browser, and sends it; with a name in its data it keeps the
// reviewer's name instead, and hands it to a page that does not have it yet.

class Person {
  constructor(parent) {
    this.outbox = openOutbox();
    this.line = make("p", "waiting");
    this.line.setAttribute("role", "status");
    this.line.hidden = true;
    this.line.style = "position: fixed; right: 24px; bottom: 16px; z-index: 1000; margin: 0; padding: 8px 12px;"
      + "border: 1px solid; border-radius: 8px; background: var(--st-background-color); max-width: 80vw;"
      + "color: var(--st-text-color); font: 14px/20px var(--st-font)";
    parent.append(this.line);
    parent.getRootNode().host.closest('[data-testid="stElementContainer"]').style.position = "absolute";
  }

  update({ data, setTriggerValue }) {
    const kept = this.outbox.readName();
    if (data.name === undefined) this.unwatch ??= this.outbox.watch((state) => this.say(state), false);
    else if (data.name !== null) this.outbox.writeName(data.name);
    else if (kept) setTriggerValue("name", kept);
  }

  // A view that sends rows says it itself; what is being saved at once is not worth a word.
  say(state) {
    const isQuiet = state.views || (state.waiting && !state.said);
    this.line.textContent = isQuiet ? "" : describeOutbox(state);
    this.line.hidden = !this.line.textContent;
  }

  close() {
    this.unwatch?.();
    this.line.remove();
  }
}

export default keepView(Person);

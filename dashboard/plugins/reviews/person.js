// Says on every screen what waits in this browser, and sends it; with a name in its data it keeps the
// reviewer's name instead, and hands it to a page that does not have it yet.

class Person {
  constructor(parent) {
    this.outbox = openOutbox();
    this.line = make("p", "waiting");
    this.line.setAttribute("role", "status");
    parent.append(this.line);
    parent.getRootNode().host.closest('[data-testid="stElementContainer"]').style.position = "absolute";
  }

  update({ data, setTriggerValue }) {
    const kept = this.outbox.readName();
    if (data.name === undefined) this.unwatch ??= this.outbox.watch((state) => this.say(state));
    else if (data.name) this.outbox.writeName(data.name);
    else if (data.name === null && kept) setTriggerValue("name", kept);
  }

  // A view that sends rows says it itself; what is being saved at once is not worth a word.
  say(state) {
    const isQuiet = state.listeners > 1 || (state.waiting && !state.said);
    this.line.textContent = isQuiet ? "" : describeOutbox(state);
  }

  close() {
    this.unwatch?.();
    this.line.remove();
  }
}

export default keepView(Person);

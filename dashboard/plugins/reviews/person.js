// Says on every screen what waits in this browser, and sends it; with a name in its data it keeps the
// reviewer's name instead, for pages that are opened later, and may give the input of it the focus.

class Person {
  constructor(parent) {
    this.outbox = openOutbox();
    this.line = make("p", "waiting");
    this.line.setAttribute("role", "status");
    parent.append(this.line);
    parent.getRootNode().host.closest('[data-testid="stElementContainer"]').style.position = "absolute";
  }

  update({ data }) {
    if (data.name === undefined) this.unwatch ??= this.outbox.watch((state) => this.say(state));
    else keepName(data.name);
    const find = () => document.querySelector('[class*="st-key-input-reviewer"] input');
    if (data.focus) setTimeout(() => find()?.focus(), 300); // it may be drawn after this
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

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
    if (data.focus) this.focusInput();
  }

  // Give the input the focus as soon as it is there; it may be drawn after this.
  focusInput() {
    this.drawn?.disconnect();
    const input = document.querySelector('[class*="st-key-input-reviewer"] input');
    if (input) return input.focus();
    this.drawn = new MutationObserver(() => this.focusInput());
    this.drawn.observe(document.body, { childList: true, subtree: true });
  }

  // A view that sends rows says it itself; what is being saved at once is not worth a word.
  say(state) {
    const isQuiet = state.listeners > 1 || (state.waiting && !state.said);
    this.line.textContent = isQuiet ? "" : describeOutbox(state);
  }

  close() {
    this.unwatch?.();
    this.drawn?.disconnect();
    this.line.remove();
  }
}

export default keepView(Person);

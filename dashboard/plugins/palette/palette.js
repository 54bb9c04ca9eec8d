// A dialog that opens with Ctrl K: words narrow its list, Enter goes to what is marked.

const SHOWN = 30;

class Palette {
  constructor(root) {
    this.dialog = make("dialog", "palette");
    this.dialog.setAttribute("aria-label", "Go to");
    this.input = make("input");
    this.input.placeholder = "Go to a screen, a query, a collection or a text";
    this.input.setAttribute("aria-label", "Go to");
    this.list = make("ul");
    this.list.setAttribute("role", "listbox");
    this.dialog.append(this.input, this.list);
    this.root = root;
    const button = make("button", "go", "Go to");
    button.title = "Screens, queries, collections and texts";
    button.append(make("kbd", "", "Ctrl K"));
    button.onclick = () => this.open();
    root.append(button);
    this.dialog.onclose = () => this.dialog.remove();
    this.named = new Map();
    this.input.oninput = () => this.draw(0);
    this.input.onkeydown = (event) => this.press(event);
    this.dialog.onclick = (event) => event.target === this.dialog && this.dialog.close();
    this.onKey = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (this.dialog.open) this.dialog.close();
      else this.open();
    };
    window.addEventListener("keydown", this.onKey, true);
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.go = (page, values) => setTriggerValue("go", { page, values });
  }

  close() {
    window.removeEventListener("keydown", this.onKey, true);
    this.root.replaceChildren();
  }

  open() {
    this.dialog.classList.toggle("dark", isDark());
    this.input.value = "";
    this.root.append(this.dialog);
    this.dialog.showModal();
    this.draw(0);
    this.loaded = this.fetchNamed(this.data.collection);
  }

  async fetchNamed(collection) {
    if (this.named.has(collection)) return;
    const answer = await fetch(new URL(`./palette/${collection}`, document.baseURI));
    if (!answer.ok) return;
    const { collections, queries, typed } = await answer.json();
    const named = [
      ...collections.map(([id, title]) => ["Collection", title, "overview", { collection: id }, id]),
      ...queries.map(([id, title]) => ["Query", title, "query", { query: id }, id]),
    ];
    this.named.set(collection, { named, typed });
    if (this.dialog.open) this.draw(this.marked);
  }

  find() {
    const text = this.input.value.trim();
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const { named, typed } = this.named.get(this.data.collection) ?? { named: [] };
    const entries = words.length ? [...this.data.entries, ...named] : this.data.entries;
    const found = entries.filter(([group, title, , , id = ""]) => {
      const name = `${group} ${title} ${id}`.toLowerCase();
      return words.every((word) => name.includes(word));
    });
    const search = text && typed ? [["Search", `“${text}”`, "search", { text }]] : [];
    return [...found.slice(0, SHOWN), ...search];
  }

  draw(marked) {
    this.found = this.find();
    this.marked = Math.max(0, Math.min(marked, this.found.length - 1));
    this.list.replaceChildren(...this.found.map(([group, title], place) => {
      const row = make("li");
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", place === this.marked);
      row.append(make("span", "group", group), make("span", "", title));
      row.onclick = () => this.choose(place);
      return row;
    }));
    if (!this.found.length) {
      const loaded = this.named.has(this.data.collection);
      const told = "Nothing has this name, and no text can be searched for in this collection.";
      this.list.append(make("li", "none", loaded ? told : "Loading"));
    }
    this.list.children[this.marked]?.scrollIntoView({ block: "nearest" });
  }

  press(event) {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.found.length) {
      event.preventDefault();
      this.draw((this.marked + step + this.found.length) % this.found.length);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault(); // the focus goes back to a button, which it would press
      // names may still be on their way, and Escape may come before them
      this.loaded.finally(() => this.dialog.open && this.choose(this.marked));
    }
  }

  choose(place) {
    if (!this.found[place]) return;
    const [, , page, values = {}] = this.found[place];
    this.dialog.close();
    if (values.query) {
      // Streamlit writes a page's keys to the address of the page before it: one step of Back, not two
      const keys = new URLSearchParams(location.search);
      keys.set("query", values.query);
      history.replaceState(history.state, "", `?${keys}`);
    }
    this.go(page, values);
  }
}

export default keepView(Palette);

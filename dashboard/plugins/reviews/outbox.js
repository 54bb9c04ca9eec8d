// Keeps rows until the server has acknowledged them, in the browser's storage, so that they survive
// a reload. They are sent in their order, from whatever screen is open. The server takes each `once`
// a single time, so that it does no harm to send a row again: after a lost answer, or from a second
// tab.

const PAUSES = [0.5, 1, 2, 4, 8]; // seconds until the next try
const BATCH = 20;
const TIMEOUT = 10; // seconds
const NOTHING = "There is nothing to take back.";

const makeId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// The storage of the browser for this dashboard; it keeps nothing where it may not be used.
const PREFIX = `reviews ${new URL(".", document.baseURI).pathname} `;
const attempt = (act) => {
  try {
    return act(localStorage);
  } catch {
    return null;
  }
};
const storage = {
  read: (name) => attempt((kept) => kept.getItem(PREFIX + name)),
  write: (name, text) => attempt((kept) => kept.setItem(PREFIX + name, text)),
  remove: (name) => attempt((kept) => kept.removeItem(PREFIX + name)),
  list: () => {
    const names = attempt((kept) => Object.keys(kept)) ?? [];
    return names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  },
};

// Keep a name in a cookie, which the server reads before it draws a page; "" forgets it.
function keepName(name) {
  const path = new URL(".", document.baseURI).pathname;
  const terms = `path=${path}; max-age=${name ? 31536000 : 0}; samesite=strict`; // a year
  attempt(() => { document.cookie = `dashboard-reviewer=${encodeURIComponent(name)}; ${terms}`; });
}

// Return the outbox of this window, which all components share and which sends until it is empty.
// A row has collection, author and the fields of the route. Listeners get `{ waiting, said, listeners }`
// and what was settled: a list of `{ once, row }` with number, said (it is refused), or taken and now;
// isElsewhere, if another tab was told.
const openOutbox = () => (window.reviewsOutbox ??= makeOutbox());

function makeOutbox() {
  const mine = new Map(); // rows of this tab that it has no answer for
  const held = new Map(); // why nothing of a person and collection is taken, until the next send
  const listeners = new Set();
  let [busy, failures, said, timer] = [false, 0, "", 0];

  const group = (row) => JSON.stringify([row.collection, row.author]);
  const parse = (name) => attempt(() => [name, JSON.parse(storage.read(name))]) ?? [name, null];
  const list = () => {
    const kept = storage.list().filter((name) => name.startsWith("row ")).map(parse);
    const found = new Map([...kept.filter(([, row]) => row), ...mine]);
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  };
  const others = new BroadcastChannel(PREFIX); // tabs of this browser
  const tell = (settled = []) => {
    const rows = list();
    const why = said || (rows.length ? [...held.values()][0] ?? "" : "");
    const state = { waiting: rows.length, said: why, listeners: listeners.size };
    for (const listener of listeners) listener(state, settled);
  };
  const add = (row) => {
    const last = Number(list().at(-1)?.[0].split(" ")[1] ?? 0); // the clock may be set back
    const name = `row ${String(Math.max(Date.now(), last + 1)).padStart(16, "0")} ${row.once}`;
    mine.set(name, row);
    storage.write(name, JSON.stringify(row));
    held.delete(group(row));
    said = "";
    tell();
    pump();
    return row.once;
  };

  async function post(path, body) {
    const text = JSON.stringify(body);
    const answer = await fetch(new URL(`reviews/${path}`, document.baseURI), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: text,
      keepalive: text.length < 16000, // it is sent although the tab is closed
      signal: AbortSignal.timeout(TIMEOUT * 1000),
    });
    if (answer.status === 401) throw Object.assign(new Error(), { said: "Log in again in another tab." });
    const found = await answer.json();
    if (answer.ok) return found;
    throw Object.assign(new Error(found.said), { said: String(found.said), status: answer.status });
  }

  // Send the first rows that belong together; return what was settled.
  async function sendFirst(rows) {
    const [[, first]] = rows;
    const { undo, ...body } = first;
    const { collection, author } = first;
    const isOther = ([, row], place) => place && (undo || row.undo || place === BATCH || group(row) !== group(first));
    const end = rows.findIndex(isOther);
    const batch = rows.slice(0, end < 0 ? rows.length : end);
    const sent = batch.map(([, { collection: _, author: __, ...row }]) => row);
    const found = await (undo ? post("undo", body) : post("verdicts", { collection, author, rows: sent }));
    const answers = undo ? [{ once: first.once, ...found }] : [...found.saved, ...found.refused];
    const byOnce = new Map(answers.map((answer) => [answer.once, answer]));
    return batch.flatMap(([name, row]) => {
      const answer = byOnce.get(row.once);
      if (!answer) return [];
      mine.delete(name);
      storage.remove(name);
      return [{ ...answer, row }];
    });
  }

  async function pump() {
    if (busy) return;
    clearTimeout(timer);
    const rows = list().filter(([, row]) => !held.has(group(row)));
    if (!rows.length) return;
    busy = true;
    let settled = [];
    try {
      settled = await sendFirst(rows);
      if (!settled.length) throw new Error("an answer to something else");
      failures = 0;
      said = settled.map((each) => each.said).filter(Boolean).at(-1) ?? "";
    } catch (error) {
      if (error.status === 400 || error.status === 403) held.set(group(rows[0][1]), error.said);
      else failures += 1;
      said = failures ? error.said ?? "The server does not answer." : "";
    }
    busy = false;
    tell(settled);
    if (settled.length) others.postMessage(settled.map((each) => ({ ...each, isElsewhere: true })));
    const pause = failures ? PAUSES[Math.min(failures, PAUSES.length) - 1] : 0;
    timer = setTimeout(pump, pause * 1000);
  }

  const retry = () => {
    held.clear();
    pump();
  };
  window.addEventListener("online", retry);
  window.addEventListener("storage", () => tell()); // it may come after the message of a tab
  others.onmessage = ({ data }) => tell(data);
  for (const [name, row] of list()) mine.set(name, row); // another tab may send them first
  return {
    list: () => list().map(([, row]) => row),
    send: (row) => add({ ...row, once: makeId() }),
    undo: (about) => add({ ...about, undo: true, once: makeId() }),
    watch(listener) {
      listeners.add(listener);
      tell();
      retry();
      return () => {
        listeners.delete(listener);
        tell();
      };
    },
  };
}

// Return the state of an outbox in words.
function describeOutbox({ waiting, said }) {
  if (waiting && said) return `Waiting: ${waiting} kept in this browser. ${said}`;
  if (waiting) return "Saving …";
  return said ? `Not saved: ${said}` : "";
}

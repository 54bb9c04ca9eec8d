// A script of Streamlit's that does not come, because the server is away for a moment, leaves an error
// in its place for good: a browser remembers what failed. The page is then loaded anew as soon as the
// server answers, which costs nothing that its address does not hold.

const PAUSE = 1000, SELDOM = 60_000; // milliseconds
const LAST = "search-quality-loaded-anew";

const later = () => new Promise((done) => setTimeout(done, PAUSE));

async function isThere() {
  try {
    return (await fetch(new URL("_stcore/health", location.href), { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

async function loadAnew() {
  // what still does not come from a server that answers would load the page for ever
  if (Date.now() - Number(sessionStorage.getItem(LAST)) < SELDOM) return;
  do await later();
  while (!(await isThere()));
  sessionStorage.setItem(LAST, Date.now());
  location.reload();
}

export function loadAnewWhereScriptsAreLost() {
  addEventListener("vite:preloadError", loadAnew, { once: true });
}

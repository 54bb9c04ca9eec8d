// Words on an item that are not saved yet: they stay in this browser until they are.

const DRAFTS = "search-quality-drafts";
const MOST = 20;

// Reads the words of a place, writes them, or (null) forgets them.
export function draft(place, words) {
  try {
    const known = new Map(JSON.parse(localStorage.getItem(DRAFTS) ?? "[]"));
    if (words === undefined) return known.get(place) ?? null;
    known.delete(place);
    if (words) known.set(place, words);
    localStorage.setItem(DRAFTS, JSON.stringify([...known].slice(-MOST)));
  } catch {} // a browser that keeps nothing
  return words ?? null;
}

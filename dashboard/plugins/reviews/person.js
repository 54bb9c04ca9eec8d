// Keeps the reviewer's name in the browser, where judging keeps it too, and hands it to a page that
// does not have it yet.

export default function ({ data, setTriggerValue }) {
  const key = `reviews ${new URL(".", document.baseURI).pathname} name`;
  try {
    const kept = localStorage.getItem(key);
    if (data.name !== null) localStorage.setItem(key, data.name);
    else if (kept) setTriggerValue("name", kept);
  } catch {
    // a browser that keeps nothing asks for the name on every visit
  }
}

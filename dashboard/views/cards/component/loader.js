// All that Streamlit itself sends of the cards: fetches their modules and their style, and hands each
// run to the function of cards.js that the component's first link names. What does not come, because
// the server is away for a moment, is asked for again: without it no card is drawn until the page is
// loaded anew.

const PAUSE = 1000; // milliseconds

const later = () => new Promise((done) => setTimeout(done, PAUSE));

export default function (run) {
  const link = run.parentElement.querySelector("link");
  const style = link.rel === "stylesheet" ? styled(link) : null;
  Promise.all([modules(link), style]).then(([entry]) => entry[link.dataset.calls](run));
}

// Both components must use the same modules, whichever attempt fetched them, and Streamlit runs this
// file once for each: they meet in the one global name of the cards.
function modules(link) {
  const folder = new URL(".", new URL(link.href, document.baseURI)).href;
  const folders = (globalThis.searchQualityCards ??= new Map());
  if (!folders.has(folder)) folders.set(folder, imported(folder));
  return folders.get(folder);
}

// A browser remembers a module that did not come, so all of them are asked for under a new address.
async function imported(folder, attempt = 0) {
  try {
    return await import(`${attempt ? folder.replace(/\/$/, `.${attempt}/`) : folder}cards.js`);
  } catch {
    await later();
    return imported(folder, attempt + 1);
  }
}

// The rules of a style: none where it did not come, null while it is under way.
function rules(sheet) {
  try {
    return sheet.sheet ? sheet.sheet.cssRules.length : null;
  } catch {
    return 0;
  }
}

function styled(sheet) {
  const number = rules(sheet);
  if (number) return null;
  const address = sheet.href.split("?")[0];
  const again = async () => {
    await later();
    sheet.href = `${address}?again=${Date.now()}`;
  };
  sheet.addEventListener("error", again);
  if (number === 0) again();
  return new Promise((done) => sheet.addEventListener("load", done, { once: true }));
}

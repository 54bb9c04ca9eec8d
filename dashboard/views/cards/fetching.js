// Fetches the cards' script once for all parts of a page that want it, and their style. What does not
// come, because the server is away for a moment, is asked for again: without it no card is drawn
// until the page is loaded anew.

const PAUSE = 1000; // milliseconds

const later = () => new Promise((done) => setTimeout(done, PAUSE));

async function fetched(address, time = 0) {
  try {
    return await import(time ? `${address}?again=${time}` : address); // a failure is remembered
  } catch {
    await later();
    return fetched(address, time + 1);
  }
}

function script(link) {
  const address = new URL(link.href, document.baseURI).href.replace(/css(\?.*)?$/, "js");
  const scripts = (globalThis.searchQualityScripts ??= new Map()); // the same one for every part
  if (!scripts.has(address)) scripts.set(address, fetched(address));
  return scripts.get(address);
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
  const there = rules(sheet);
  if (there) return null;
  const address = sheet.href.split("?")[0];
  const again = async () => {
    await later();
    sheet.href = `${address}?again=${Date.now()}`;
  };
  sheet.addEventListener("error", again);
  if (there === 0) again();
  return new Promise((done) => sheet.addEventListener("load", done, { once: true }));
}

// What stands above the page and belongs to no component: each in a shadow tree of its own, in the
// colours of the page.

const STYLE = new URL("page.css", import.meta.url).href;

// The dialog of that name; where there is none yet, one that `begin` has filled.
export function dialogOf(name, label, begin) {
  return paintedNode(name, "dialog", (dialog, host) => {
    dialog.ariaLabel = label;
    host.className = "sq-page";
    host.opened = () => dialog.open;
    host.close = () => dialog.open && dialog.close();
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    begin(dialog);
    document.body.append(host);
  });
}

// The same for what floats in a corner and leaves the page as it is: out of sight until its style is
// there, and last on the page, as Streamlit's link to the main content is one only before all others.
export function noticeOf(name, tag, begin) {
  return paintedNode(name, tag, (notice, host) => {
    host.style.visibility = "hidden";
    host.shadowRoot.querySelector("link").addEventListener("load", () => host.style.removeProperty("visibility"));
    begin(notice);
    document.body.append(host);
  });
}

function paintedNode(name, tag, begin) {
  const id = `sq-${name}`;
  const host = document.getElementById(id) ?? hosted(id, name, tag, begin);
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.querySelector(".stApp") ?? document.body);
  const dark = Math.max(...backgroundColor.match(/\d+/g).slice(0, 3).map(Number)) < 128;
  Object.entries({ "--page": backgroundColor, "--ink": color, "--font": fontFamily }).forEach((pair) =>
    host.style.setProperty(...pair),
  );
  host.style.colorScheme = dark ? "dark" : "light";
  return host.shadowRoot.querySelector(tag);
}

function hosted(id, name, tag, begin) {
  const host = Object.assign(document.createElement("div"), { id });
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLE });
  const node = Object.assign(document.createElement(tag), { className: name });
  host.attachShadow({ mode: "open" }).append(style, node);
  begin(node, host);
  return host;
}

// Dialogs of ours that belong to no component: each in a shadow tree of its own, in the colours of the
// page.

const STYLE = new URL("page.css", import.meta.url).href;

// The dialog of that name; where there is none yet, one that `begin` has filled.
export function dialogOf(name, label, begin) {
  const id = `sq-${name}`;
  const host = document.getElementById(id) ?? hosted(id, name, label, begin);
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.querySelector(".stApp"));
  const dark = Math.max(...backgroundColor.match(/\d+/g).slice(0, 3).map(Number)) < 128;
  Object.entries({ "--page": backgroundColor, "--ink": color, "--font": fontFamily }).forEach((pair) =>
    host.style.setProperty(...pair),
  );
  host.style.colorScheme = dark ? "dark" : "light";
  return host.shadowRoot.querySelector("dialog");
}

function hosted(id, name, label, begin) {
  const host = Object.assign(document.createElement("div"), { id, className: "sq-page" });
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLE });
  const dialog = Object.assign(document.createElement("dialog"), { className: name, ariaLabel: label });
  host.attachShadow({ mode: "open" }).append(style, dialog);
  host.opened = () => dialog.open;
  host.close = () => dialog.open && dialog.close();
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  begin(dialog);
  document.body.append(host);
  return host;
}

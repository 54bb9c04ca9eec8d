// Where the page is, and how it goes elsewhere without being loaded again.

import { OF_ONE_QUERY } from "./address.js";

// Goes to an address of the app as its own links do.
export function goTo(address) {
  document.querySelectorAll(".sq-page").forEach((host) => host.close());
  if (new URL(address, location.href).href !== location.href) history.pushState({}, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

// The path of this screen. Every screen stands right below the app.
export const pathHere = () => location.pathname.split("/").at(-1);

// The address of a screen with the choices of this page, of which some change.
export function addressOfScreen(path, changes = {}) {
  const params = new URLSearchParams(location.search);
  if ("query" in changes) OF_ONE_QUERY.forEach((key) => params.delete(key));
  Object.entries(changes).forEach(([key, value]) => params.set(key, value));
  return `${new URL(path || ".", location.href).pathname}?${params}`;
}

// The card that has the focus is remembered in this tab, so that it has it after a reload, too.

const KEY = "search-quality-focus";
let restored = performance.getEntriesByType("navigation")[0]?.type !== "reload";

const here = () => location.pathname + (new URL(location.href).searchParams.get("query") ?? location.search);

export function noteFocus(button) {
  const line = button.closest(".line");
  const at = [...line.querySelectorAll(".open")].indexOf(button);
  try {
    sessionStorage.setItem(KEY, JSON.stringify([here(), button.closest("section").ariaLabel, at]));
  } catch {} // a browser that keeps nothing
}

// Gives the focus back once, when the first cards are drawn, unless something else has it.
export function restoreFocus(root) {
  if (restored) return;
  restored = true;
  let noted = null;
  try {
    noted = JSON.parse(sessionStorage.getItem(KEY));
  } catch {}
  if (noted?.[0] !== here() || document.activeElement !== document.body) return;
  const row = [...root.querySelectorAll("section")].find(({ ariaLabel }) => ariaLabel === noted[1]);
  row?.querySelectorAll(".open")[noted[2]]?.focus();
}

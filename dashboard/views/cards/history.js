// The address while the player is open: opening is one step of the browser's history, which Back
// and Esc take back; going to a neighbour takes the place of the item that was open.

const OPENED = "player"; // in the state of a step that opened the player

// As the script writes it, which makes a step of its own for an address that differs.
const written = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, quoted).replaceAll("%20", "+");

const opensClip = () => new URL(location.href).searchParams.has("clip");

// Changes the clip and what stands beside it without a new step; empty: it is taken out.
function inPlace(changes) {
  const told = location.search.slice(1).split("&").filter(Boolean);
  const keyOf = (part) => part.split("=")[0];
  const entry = (key) => {
    if (!(key in changes)) return told.filter((part) => keyOf(part) === key);
    return changes[key] ? [`${key}=${written(changes[key])}`] : [];
  };
  const query = told
    .filter((part) => keyOf(part) !== "beside")
    .flatMap((part) => (keyOf(part) === "clip" ? [...entry("clip"), ...entry("beside")] : [part]))
    .join("&");
  history.replaceState(history.state, "", location.pathname + (query ? `?${query}` : ""));
}

// Notes that the step which the script has just made opened the player.
function noteOpened() {
  if (opensClip()) history.replaceState({ ...history.state, [OPENED]: true }, "");
}

// Goes back to before the player was opened, where this page did that; whether it does.
function leaveOpened() {
  if (!opensClip() || !history.state?.[OPENED]) return false;
  history.back();
  return true;
}

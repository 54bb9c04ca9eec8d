// Copies the text of a button's data-copy, and says so in the button's own words for a moment.

export async function copy(button) {
  const { copy: written, done } = button.dataset;
  const text = written.startsWith("?") ? location.href.split("?")[0] + written : written;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    prompt("Copy this:", text); // no clipboard without https
    return;
  }
  button.dataset.title ??= button.textContent;
  button.textContent = done;
  clearTimeout(button.later);
  button.later = setTimeout(() => (button.textContent = button.dataset.title), 2500);
}

// Keeps the focus on the card at the same place of the same row, whatever item comes to stand there.

function focusHeld(root, rows) {
  const card = root.getRootNode().activeElement?.closest(".card");
  if (!card || !root.contains(card)) return () => {};
  const line = card.parentElement;
  const row = line.parentElement.key;
  const place = [...line.children].indexOf(card);
  return () => {
    const cards = rows.get(row)?.querySelectorAll(".open");
    const open = cards?.[Math.min(place, cards.length - 1)];
    if (open && open !== root.getRootNode().activeElement) open.focus({ preventScroll: true });
  };
}

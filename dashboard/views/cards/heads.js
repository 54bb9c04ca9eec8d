// What stands over a row of cards: whose it is, its value, its counts, and the way to further ones.

function fillHead(head, row) {
  const said = JSON.stringify({ ...row, results: row.results.length });
  if (head.said === said) return;
  head.said = said;
  const focused = head.getRootNode().activeElement;
  const way = head.contains(focused) ? focused.dataset.way : undefined;
  head.replaceChildren(...headOf(row));
  const buttons = [...head.querySelectorAll("[data-way]")];
  const again = buttons.find((button) => button.dataset.way === way && !button.disabled);
  if (way) (again ?? buttons.find(({ disabled }) => !disabled))?.focus();
}

function headOf(row) {
  const hidden = row.role === "missed" ? 0 : row.number - row.results.length;
  return [
    row.colour ? swatch(row.colour, row.shape) : null,
    make("h2", "", "", [isolated("", row.name)]),
    row.measure
      ? make("span", "value", "", [`${row.measure} `, make("b", "", worth(row.value))])
      : null,
    ...counts(row).map((words) => make("span", "count", words)),
    hidden ? make("span", "count", `${hidden} hidden: the same in all`) : null,
    row.note || !row.number
      ? make("span", "note", "", [isolated("", row.note || "no results")])
      : null,
    ...further(row),
  ].filter(Boolean);
}

const many = (number) => number.toLocaleString("en");

// What is not judged is neither a hit nor a miss.
function counts({ role, number, hits, judged, there }) {
  const all = there || number;
  if (role === "missed") return [`${many(all)} ${all === 1 ? "item" : "items"}`];
  if (!number) return [];
  if (!judged) return [`${number} ${number === 1 ? "result" : "results"}, not judged`];
  const of = judged === number ? number : `${judged} judged`;
  const said = `${hits} of ${of} ${hits === 1 ? "is a hit" : "are hits"}`;
  return judged === number ? [said] : [said, `${number - judged} not judged`];
}

// Buttons to the items before and after those that the row shows.
function further({ there, ways: [before, after] }) {
  if (!there) return [];
  const button = (way, words, to) => {
    const node = make("button", "plain", words);
    node.type = "button";
    node.disabled = !to;
    node.dataset.way = way;
    node.dataset.first = to;
    return node;
  };
  return [button("before", "earlier", before), button("after", "further", after)];
}

// Calls `tell` with the place of the first item that is asked for.
function whenFurther(rows, tell) {
  rows.addEventListener("click", (event) => {
    const button = event.target.closest("[data-way]");
    if (button) tell(button.dataset.first);
  });
}

// Three digits after the point, of a small value so many that three say something: as everywhere.
const worth = (value) => {
  if (value === null || value === undefined) return "–";
  const small = value && Math.abs(value) < 0.02;
  const digits = small ? Math.min(2 - Math.floor(Math.log10(Math.abs(value))), 9) : 3;
  return signed(value.toFixed(digits));
};

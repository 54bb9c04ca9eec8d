// The message of a run as the rest of the script wants it.

// Puts back what was left out to keep the message small.
function unpacked(data) {
  const items = data.items.map((item, number) => {
    const id = encodeURIComponent(item.id).replace(/[!'()*]/g, quoted);
    const address = (parts) => (parts ? data.stems[parts[0]].replace("*", () => id) + parts[1] : "");
    return {
      label: item.id,
      few: "",
      kind: "clip",
      problem: "",
      note: "",
      span: [null, null],
      twins: [],
      reviewed: null,
      ...item,
      ...(item.kind === "animation" ? { kind: "picture", moves: true } : {}),
      name: brief(item.caption.trim() || item.label || item.id),
      poster: address(item.poster),
      media: address(item.media),
      askable: data.askable === true || Boolean(data.askable?.includes(number)),
      why: item.why ? data.whys[item.why[0]] : [],
      places: item.places.map(([number, ...place]) => [data.versions[number], ...place]),
      annotations: grouped(item.annotations.map((number) => data.keywords[number])),
    };
  });
  const results = (row) => row.results.map((result) => ({ move: "", ...result }));
  return { ...data, items, rows: data.rows.map((row) => ({ ...row, results: results(row) })) };
}

const NAME = 120; // letters
const brief = (text) => (text.length > NAME ? `${text.slice(0, NAME - 1)}…` : text);

const quoted = (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;

function grouped(pairs) {
  const groups = new Map();
  for (const [group, keyword] of pairs) {
    if (!groups.has(group)) groups.set(group, [group]);
    groups.get(group).push(keyword);
  }
  return [...groups.values()];
}

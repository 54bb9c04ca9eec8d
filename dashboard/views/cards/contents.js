// What grids show. It comes apart from what is open of it, in a message that Streamlit sends once.

const KEPT = 4; // contents of earlier runs, which Back may bring again
const contents = new Map(); // name → content
const whenKept = new Set(); // what to do when another has come

// Takes a content out of its wrapping; `bytes` are deflated JSON.
export async function keep(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const content = unpacked(await new Response(stream).json());
  contents.delete(content.name);
  contents.set(content.name, content);
  if (contents.size > KEPT) contents.delete(contents.keys().next().value);
  whenKept.forEach((told) => told());
}

// A content with what is open of it, or null while the content is under way.
function joined(run) {
  const content = contents.get(run.contents);
  if (!content) return null;
  const [caption, few] = run.text;
  const items = content.items.map((item, number) =>
    caption && number === run.selected ? { ...item, caption, few } : item,
  );
  return { ...content, ...run, items };
}

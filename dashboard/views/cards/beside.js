// Which item a second clip can be: what other versions have at the same rank, and the marked card.

function partners(item, data, { rank, marked }) {
  const found = new Map();
  for (const row of data.rows.filter(({ role }) => role === "version")) {
    const at = row.results.find((result) => result.rank === (rank ?? 1));
    const other = at && data.items[at.item];
    if (other && other.id !== item.id && !found.has(other.id)) {
      found.set(other.id, `#${at.rank} in ${row.name}: ${other.name}`);
    }
  }
  const known = data.items.find(({ id }) => id === marked);
  if (known && known.id !== item.id) found.set(known.id, `marked: ${known.name}`);
  return found;
}

function besides(item, offered, beside, choose) {
  const list = make("select");
  list.append(make("option", "", "nothing"));
  const options = new Map(offered);
  if (beside && !options.has(beside.id)) options.set(beside.id, beside.name);
  for (const [id, words] of options) {
    const option = make("option", "", words);
    option.value = id;
    option.selected = id === beside?.id;
    list.append(option);
  }
  list.firstChild.value = "";
  list.addEventListener("change", () => choose(list.value));
  const words = item.kind === "clip" ? "Play in step with " : "Show beside it ";
  return make("label", "besides", "", [words, list]);
}

// A link to the screen Search with this item, in the same view.
function moreLike(item) {
  if (!item.askable) return null;
  const address = new URL("search", location.href);
  for (const [key, value] of new URL(location.href).searchParams) {
    if (!["clip", "beside", "query", "list", "pair", "text", "picture"].includes(key)) {
      address.searchParams.append(key, value);
    }
  }
  address.searchParams.set("item", item.id);
  const link = make("a", "plain", "More like this");
  link.href = address.href;
  link.title = "Search with it";
  return link;
}

function linkTo(item) {
  const address = () => {
    const whole = new URL(location.href);
    whole.searchParams.set("clip", item.id);
    return whole.href;
  };
  const field = make("input");
  field.readOnly = true;
  field.hidden = true;
  field.ariaLabel = "Link to this item";
  const button = make("button", "plain", "Copy link");
  button.type = "button";
  button.addEventListener("click", async () => {
    field.value = address();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Link copied";
    } catch {
      field.hidden = false; // without a secure connection the browser does not let us copy
      field.select();
    }
  });
  return make("p", "link", "", [button, moreLike(item), field]);
}

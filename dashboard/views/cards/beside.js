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

function besides(offered, beside, choose) {
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
  return make("label", "besides", "", ["Play in step with ", list]);
}

function linkTo(item) {
  const address = new URL(location.href);
  address.searchParams.set("clip", item.id);
  const field = make("input");
  field.readOnly = true;
  field.value = address.href;
  field.hidden = true;
  field.ariaLabel = "Link to this clip";
  const button = make("button", "plain", "Copy link");
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(address.href);
      button.textContent = "Link copied";
    } catch {
      field.hidden = false; // without a secure connection the browser does not let us copy
      field.select();
    }
  });
  return make("p", "link", "", [button, field]);
}

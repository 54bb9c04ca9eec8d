// A reviewer's own verdict on the item in the player, and what reviewers said before.

const VERDICTS = [
  ["relevant", "relevant"],
  ["not", "not relevant"],
  ["unsure", "unsure"],
];
const REVIEWER = "search-quality-reviewer"; // the name is remembered in this browser only

function reviewer(name) {
  try {
    if (name !== undefined) localStorage.setItem(REVIEWER, name);
    return localStorage.getItem(REVIEWER) ?? "";
  } catch {
    return name ?? ""; // a browser that keeps nothing
  }
}

function verdicts(item) {
  if (!item.reviewed) return null;
  const list = make("ul", "verdicts");
  for (const [author, value, note, day] of item.reviewed[1]) {
    const words = [isolated("", author), `: ${value}`, note ? isolated("", ` – ${note}`) : null, ` (${day})`];
    list.append(make("li", "", "", words));
  }
  return make("div", "", "", [make("h3", "", `Reviewed: ${item.reviewed[0]}`), list]);
}

// The form of one item; `told` sends what was said, `answered` brings what came of it.
function saying(item, told) {
  const form = make("form", "say");
  const choices = VERDICTS.map(([value, word]) => {
    const input = make("input");
    input.type = "radio";
    input.name = "verdict";
    input.value = value;
    return make("label", "choice", "", [input, ` ${word}`]);
  });
  const note = make("textarea");
  note.rows = 2;
  note.maxLength = 2000;
  const name = make("input");
  name.maxLength = 80;
  name.autocomplete = "name";
  name.value = reviewer();
  const save = make("button", "plain", "Save verdict");
  save.type = "submit";
  const back = make("button", "plain", "Take mine back");
  back.type = "button";
  const said = make("p", "told");
  said.role = "status";
  form.append(
    make("fieldset", "", "", [make("legend", "", "Is it relevant to the query?"), ...choices]),
    make("label", "field", "", ["Note ", note]),
    make("label", "field", "", ["Your name ", name]),
    make("p", "buttons", "", [save, back]),
    said,
    make("p", "note", "Kept beside the judgements; it enters no metric."),
  );
  const send = (value) => {
    if (!name.value.trim()) return tell("Say who you are: a review has a name.", name);
    form.once = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    said.textContent = "Saving …";
    reviewer(name.value.trim());
    told({ item: item.id, value, note: note.value, author: name.value.trim(), once: form.once });
  };
  const tell = (words, at) => {
    said.textContent = words;
    at?.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = form.querySelector("input[type=radio]:checked");
    if (chosen) send(chosen.value);
    else tell("Choose one of the three.", form.querySelector("input"));
  });
  back.addEventListener("click", () => send(""));
  form.answered = (answer) => {
    if (!answer || answer[0] !== form.once) return;
    said.textContent = answer[1] || "Kept.";
    if (!answer[1]) note.value = "";
    form.once = null;
  };
  return form;
}

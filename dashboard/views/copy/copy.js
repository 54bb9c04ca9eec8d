// Buttons that copy a text, or the address of the page, to the clipboard.

const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};

const pressed = new Set();

function drawButton(entry) {
  const button = make("button");
  button.type = "button";
  const words = { idle: entry.label, done: entry.done ?? "Copied", failed: "Not copied" };
  for (const [state, text] of Object.entries(words)) {
    button.append(make("span", state, text));
  }
  button.className = "idle";
  button.setAttribute("aria-live", "polite");
  button.onclick = async () => {
    const text = entry.text ?? window.location.href;
    button.className = (await copy(text)) ? "done" : "failed";
    setTimeout(() => { button.className = "idle"; }, 2000);
  };
  if (entry.now && !pressed.has(entry.text)) {
    pressed.add(entry.text);
    setTimeout(button.onclick);
  }
  return button;
}

export default function ({ parentElement, data }) {
  const told = JSON.stringify(data.buttons);
  const before = parentElement.querySelector(".copy");
  if (before?.dataset.told === told) return; // a button may be saying that it copied
  const box = make("div", "copy");
  box.dataset.told = told;
  box.append(...data.buttons.filter((each) => each.text !== "").map(drawButton));
  if (before) before.replaceWith(box);
  else parentElement.append(box);
}

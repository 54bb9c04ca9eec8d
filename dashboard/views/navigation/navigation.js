// Draws the links to the screens. A plain click stays in this session; any other, such as one that
// opens a new tab, is left to the browser.

// Move the keys into a popover that a key opens: its nodes come after those of the page.
async function enterPopover({ detail, target }) {
  const button = target.closest?.("[data-testid=stPopover] button");
  if (detail || !button) return;
  for (let tries = 0; tries < 600; tries += 1) { // some are filled by the server
    await new Promise((go) => setTimeout(go, 50));
    const focused = document.activeElement; // the body: the button was drawn again
    if (focused !== button && focused !== document.body) return; // the reader went on
    const held = document.querySelectorAll(
      "[data-testid=stPopoverBody] :is(input, a, button:not([aria-label^=Help]))"
    );
    const first = [...held].find((each) => each.offsetParent); // others are hidden
    const opened = document.querySelector("[data-testid=stPopover] [aria-expanded=true]");
    if (first && opened) return first.focus();
  }
}

export default function ({ parentElement, data, setTriggerValue }) {
  const nav = document.createElement("nav");
  nav.setAttribute("aria-label", "Screens");
  for (const { name, title, href } of data.links) {
    const link = document.createElement("a");
    link.href = href;
    link.textContent = title;
    if (name === data.current) link.setAttribute("aria-current", "page");
    link.onclick = (event) => {
      if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      setTriggerValue("go", name);
    };
    nav.append(link);
  }
  // the row of links says by its mark, to those who see it, what the page is called
  const title = document.createElement("h1");
  title.textContent = data.links.find(({ name }) => name === data.current)?.title ?? "";
  parentElement.querySelector("h1")?.remove();
  parentElement.prepend(title);
  const before = parentElement.querySelector("nav");
  const focused = before?.getRootNode().activeElement?.textContent;
  if (before) before.replaceWith(nav);
  else parentElement.append(nav);
  if (focused) [...nav.children].find((link) => link.textContent === focused)?.focus();
  const current = nav.querySelector("[aria-current]");
  const mark = () => {
    nav.classList.toggle("before", nav.scrollLeft > 1);
    nav.classList.toggle("after", nav.scrollLeft + nav.clientWidth < nav.scrollWidth - 1);
  };
  nav.onscroll = mark;
  if (current) nav.scrollLeft = current.offsetLeft - nav.offsetLeft - 40;
  new ResizeObserver(mark).observe(nav); // also marks it at first
  document.addEventListener("click", enterPopover); // once, however often it is drawn
}

// All that is sent with a rerun: it fetches the cards' script once and hands each run's data on.

let ready = null;

const styled = (sheet) =>
  sheet.sheet ? null : new Promise((done) => sheet.addEventListener("load", done, { once: true }));

export default function (run) {
  const sheet = run.parentElement.querySelector("link");
  ready ??= import(new URL(sheet.href.replace(/css$/, "js"), document.baseURI));
  Promise.all([ready, styled(sheet)]).then(([{ default: draw }]) => draw(run));
}

// Hands what a grid shows to the cards' script, which the loader of the cards has fetched, too.

let ready = null;

export default function ({ data, parentElement }) {
  ready ??= import(new URL(parentElement.querySelector("link").href, document.baseURI));
  ready.then(({ keep }) => keep(data));
}

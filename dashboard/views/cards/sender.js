// Hands what a grid shows to the cards' script, which the loader of the cards has fetched, too.

export default function ({ data, parentElement }) {
  script(parentElement.querySelector("link")).then(({ keep }) => keep(data));
}

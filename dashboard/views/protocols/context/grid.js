// One list in its own rows and columns. Text from data enters only as textContent.

function make(tag, name = "", text = "", children = []) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text) node.textContent = text;
  node.append(...children.filter(Boolean));
  return node;
}

function pictureOf(place) {
  const picture = make("div", "picture");
  const word = make("span", "", place.poster ? "" : place.said);
  if (place.poster) {
    const image = make("img");
    image.loading = "lazy";
    image.decoding = "async";
    image.alt = place.said;
    image.src = place.poster;
    image.addEventListener("error", () => {
      image.remove();
      word.textContent = place.said;
    });
    picture.append(image);
  }
  if (place.rank !== null) picture.append(make("span", "rank", String(place.rank)));
  picture.append(word);
  return picture;
}

function barOf(place) {
  if (place.r === null) return null;
  const part = (name, share) => {
    const node = make("span", name);
    node.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
    return node;
  };
  const bar = make("div", "bar", "", [part("relevant", place.r), part("counts", place.counts)]);
  bar.ariaHidden = "true"; // the numbers below say the same
  return bar;
}

function placeOf(place) {
  const numbers = make("dl");
  for (const [name, value] of place.numbers) {
    numbers.append(make("div", "", "", [make("dt", "", name), make("dd", "", value)]));
  }
  const facts = make("div", "facts", "", [
    place.numbers.length ? numbers : null,
    make("p", "words", place.words),
  ]);
  const node = make("li", `place ${place.state}`, "", [pictureOf(place), barOf(place), facts]);
  node.style.gridArea = `${place.row} / ${place.column}`;
  return node;
}

export default function ({ data, parentElement }) {
  const places = parentElement.querySelector(".places");
  places.style.setProperty("--columns", String(data.columns));
  places.replaceChildren(...data.places.map(placeOf));
}

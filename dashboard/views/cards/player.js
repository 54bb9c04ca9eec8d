// The large player: one item with all that is known about it, in the page's top layer.

function player(dialog, changed) {
  const title = dialog.querySelector("bdi");
  const stage = dialog.querySelector(".stage");
  const about = dialog.querySelector(".about");
  const [previous, next, close] = ["previous", "next", "close"].map((name) =>
    dialog.querySelector(`.${name}`),
  );
  let shown = null; // the item on the stage
  let neighbours = []; // the items of the row that it was opened from
  let data = null;

  const step = (by) => {
    const at = neighbours.indexOf(shown.id);
    const id = neighbours[at + by];
    if (at >= 0 && id !== undefined) show(id, neighbours, true);
  };
  const clear = () => {
    stage.querySelectorAll("video").forEach(unload);
    stage.replaceChildren();
  };

  function show(id, row, tell) {
    const item = data.items.find((known) => known.id === id);
    if (!item) return;
    const another = shown?.id !== id;
    shown = item;
    neighbours = row;
    title.textContent = item.name;
    if (another) {
      clear();
      stage.append(onStage(item));
    }
    const known = JSON.stringify([item, data.required, data.colours]);
    if (about.known !== known) about.replaceChildren(...facts(item, data));
    about.known = known; // a rerun that brings nothing new leaves what the reader has unfolded
    const at = neighbours.indexOf(id);
    previous.disabled = at <= 0;
    next.disabled = at < 0 || at >= neighbours.length - 1;
    if (!dialog.open) dialog.showModal();
    if (tell) changed(id);
  }

  // Closed by us: the dialog's close event finds nothing to tell.
  function hide() {
    shown = null;
    if (dialog.open) dialog.close();
    clear();
  }

  previous.addEventListener("click", () => step(-1));
  next.addEventListener("click", () => step(1));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.target.matches("video, input")) return;
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
  dialog.addEventListener("close", () => {
    if (!shown) return;
    hide();
    changed("");
  });

  return {
    show,
    hide,
    get id() {
      return shown?.id ?? "";
    },
    update(latest) {
      data = latest;
      if (!shown) return;
      if (data.items.some(({ id }) => id === shown.id)) show(shown.id, neighbours, false);
      else hide();
    },
  };
}

function onStage(item) {
  const frame = make("div", "frame");
  const failed = (word) => {
    frame.replaceChildren(make("p", "failed", "", [isolated("", word)]));
    if (!item.media) return;
    const download = make("a", "", "Download the file");
    download.href = item.media;
    download.download = "";
    frame.append(download);
  };
  if (item.kind === "clip") {
    const video = clip(item, () => failed(`This browser cannot play it. ${item.problem}`.trim()));
    video.controls = true;
    video.autoplay = !calm.matches;
    if (item.poster) video.poster = item.poster;
    frame.append(video);
  } else if (item.kind === "picture") {
    const picture = make("img");
    picture.alt = item.caption || item.name;
    picture.addEventListener("error", () => failed("The picture cannot be shown."));
    picture.src = item.media;
    frame.append(picture);
  } else {
    failed(`No media: ${item.problem || "none"}.`);
  }
  return frame;
}

function facts(item, data) {
  return [
    make("p", "verdict", "", [hitMark(item), howMany(item)]),
    item.note ? make("p", "note", "", [isolated("", item.note)]) : null,
    data.required.length ? tickList(item, data.required) : null,
    places(item, data),
    annotations(item),
    longText("caption", item.caption, 240),
    linkTo(item),
  ].filter(Boolean);
}

function places(item, data) {
  if (!item.places.length) return null;
  const colours = new Map(data.colours);
  const head = make("tr", "", "", ["version", "rank", "similarity"].map((name) => make("th", "", name)));
  const rows = item.places.map(([version, rank, score]) => {
    const name = make("th", "", "", [swatch(colours.get(version)), isolated("", version)]);
    name.scope = "row";
    const cells = [rank === null ? "–" : `#${rank}`, similarity(score)].map((text) => make("td", "", text));
    return make("tr", "", "", [name, ...cells]);
  });
  return make("table", "places", "", [make("thead", "", "", [head]), make("tbody", "", "", rows)]);
}

function annotations(item) {
  if (!item.annotations.length) return make("p", "note", "No annotations.");
  const list = make("dl", "annotations");
  for (const [group, ...keywords] of item.annotations) {
    const words = keywords.map((word) => isolated("keyword", word));
    list.append(make("dt", "", group), make("dd", "", "", words));
  }
  return list;
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

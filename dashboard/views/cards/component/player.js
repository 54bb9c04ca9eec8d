// The large player: one item with all that is known about it, in the page's top layer.

import { addressOfMoreLike, besides, facts, partners, titleOf } from "./details.js";
import { keywordForm } from "./keyword_form.js";
import { actionOf } from "./keys.js";
import { isolated, make } from "./parts.js";
import { calm, clip, inStep, partOf, unload, whyNoPoster } from "./playback.js";
import { settleVerdict, verdictForm } from "./verdict_form.js";
import { zoomable } from "./zoom.js";

export function player(dialog, told) {
  const title = dialog.querySelector("bdi");
  const stage = dialog.querySelector(".stage");
  const about = dialog.querySelector(".about");
  const own = dialog.querySelector(".own");
  const [previous, next, close] = ["previous", "next", "close"].map((name) =>
    dialog.querySelector(`.${name}`),
  );
  let shown = null; // the item on the stage
  let neighbours = []; // the items of the row that it was opened from
  let beside = null; // the item that plays in step with it
  let zooms = []; // of the pictures on the stage
  let opened = {}; // the rank it was opened at, and the card that was marked then
  let data = null;

  const step = (by) => {
    const at = neighbours.indexOf(shown.id);
    const id = neighbours[at + by];
    if (at >= 0 && id !== undefined) show(id, neighbours, { ...opened, tell: true });
  };
  const formsOf = (item) => {
    const keywords = data.correctable?.items ? [keywordForm(data.about, item)] : [];
    return [verdictForm(item, data.about, told.verdict), ...keywords];
  };
  const find = (id) => data.items.find((known) => known.id === id) ?? null;
  const clear = () => {
    zooms = [];
    stage.querySelectorAll("video").forEach(unload);
    stage.replaceChildren();
  };

  function show(id, row, how) {
    const item = find(id);
    if (!item) return;
    const another = shown?.id !== id;
    shown = item;
    neighbours = row;
    opened = how;
    title.textContent = item.name;
    if (another && how.marked && how.marked !== id && how.tell) choose(how.marked);
    else if (another) stageAnew();
    const known = JSON.stringify([item, beside, data.required, data.ways, addressOfMoreLike(item)]);
    if (another) own.replaceChildren(...formsOf(item));
    if (about.known !== known) {
      const offered = partners(item, data, opened);
      const alone = neighbours.length ? null : make("p", "note", "This item is not in the rows on this page.");
      about.replaceChildren(...[alone, ...facts(item, data)].filter(Boolean), besides(item, offered, beside, choose));
    }
    about.known = known; // a rerun that brings nothing new leaves what the reader has unfolded
    const at = neighbours.indexOf(id);
    previous.disabled = at <= 0;
    next.disabled = at < 0 || at >= neighbours.length - 1;
    if (!dialog.open) dialog.showModal();
    if (how.tell) told.open(id);
  }

  function stageAnew() {
    clear();
    const pair = beside && beside.id !== shown.id;
    stage.classList.toggle("two", Boolean(pair));
    const first = onStage(shown, data, pair);
    stage.append(first.frame);
    const second = pair ? onStage(beside, data, true) : null;
    if (second) stage.append(second.frame);
    if (first.video && second?.video) inStep(first, second);
    zooms = [first.zoom, second?.zoom].filter(Boolean);
    if (zooms.length < 2) return;
    zooms.forEach((zoom, place) => (zoom.changed = (seen) => zooms[1 - place].follow(seen)));
  }

  // Puts a second item on the stage, or takes it off.
  function choose(id) {
    beside = find(id);
    stageAnew();
    told.beside(beside?.id ?? "");
  }

  // Closed by us: the dialog's close event finds nothing to tell.
  function hide() {
    shown = beside = null;
    if (dialog.open) dialog.close();
    clear();
  }

  previous.addEventListener("click", () => step(-1));
  next.addEventListener("click", () => step(1));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.target.matches("video, input, select, textarea")) return;
    if (zooms.some((zoom) => zoom.key(event))) return;
    const action = actionOf(event, "player");
    if (action === "play" && event.target.matches("h2, dialog")) {
      event.preventDefault();
      const video = stage.querySelector("video");
      if (video?.paused) video.play().catch(() => {});
      else video?.pause();
    }
    if (action === "left") step(-1);
    if (action === "right") step(1);
  });
  dialog.addEventListener("close", () => {
    if (!shown || dialog.open) return; // told late: Forward may have opened it again meanwhile
    hide();
    told.open("");
  });

  return {
    show,
    hide,
    get id() {
      return shown?.id ?? "";
    },
    get row() {
      return neighbours;
    },
    update(latest) {
      const linked = data === null && latest.beside !== null;
      data = latest;
      settleVerdict(data.answer);
      if (linked) beside = latest.items[latest.beside];
      if (!shown || !dialog.open) return; // closed, which a busy browser tells late
      if (find(shown.id)) show(shown.id, neighbours, { ...opened, tell: false });
      else hide();
    },
  };
}

// An item as large as there is room, with its video or what zooms its picture.
function onStage(item, data, paired) {
  const frame = make("div", "frame");
  const under = paired ? titleOf(item, data) : null;
  const stands = { frame: make("figure", "", "", [frame, under]), video: null, zoom: null, item };
  const failed = (word) => {
    frame.querySelectorAll("video").forEach(unload);
    frame.replaceChildren(make("p", "failed", "", [isolated("", word)]));
    stands.zoom?.bar.remove();
    frame.className = "frame";
    frame.removeAttribute("tabindex");
    if (!item.media) return;
    const download = make("a", "", "Download the file");
    download.href = item.media;
    download.download = "";
    frame.append(download);
  };
  if (item.kind === "clip") {
    stands.video = clipOn(frame, item, failed, paired);
    const part = make("p", "note part", partOf(item));
    if (part.textContent) frame.after(part);
    // a file that turns out to be as long as its span is all of it
    stands.video.addEventListener("loadedmetadata", () => partOf(item) || part.remove());
  } else if (item.kind === "picture") {
    stands.zoom = pictureOn(frame, item, failed);
  } else if (item.kind === "text") {
    failed(item.caption);
  } else {
    failed(`No media: ${item.problem || "none"}.`);
  }
  return stands;
}

function clipOn(frame, item, failed, paired) {
  const usual = `This browser cannot play the file. ${item.problem}`.trim();
  const video = clip(item, (word) => failed(word ? `No media: ${word}.` : usual), !paired);
  video.controls = true;
  video.autoplay = !calm.matches;
  if (item.poster) video.poster = item.poster;
  frame.append(video);
  return video;
}

function pictureOn(frame, item, failed) {
  const picture = make("img");
  picture.alt = item.caption || item.name;
  picture.addEventListener("error", () => failed("The picture cannot be shown."));
  const still = item.moves && calm.matches && item.poster;
  picture.src = still ? item.poster : item.media;
  const zoom = zoomable(picture, frame, item.name);
  frame.append(picture);
  frame.after(zoom.bar);
  if (still) {
    const play = make("button", "plain", "Play the animation");
    play.type = "button";
    play.addEventListener("click", () => {
      picture.src = item.media;
      play.remove();
    });
    zoom.bar.append(play);
  }
  noteDamage(item, zoom.bar);
  return zoom;
}

// Browsers show what is there of a damaged picture without a word; the server could not read it.
function noteDamage(item, bar) {
  if (!item.poster) return;
  const small = make("img");
  small.addEventListener("error", async () => {
    const word = await whyNoPoster(item.poster);
    if (word) bar.before(make("p", "note", `The file is ${word}; the preview may be incomplete.`));
  });
  small.src = item.poster;
}

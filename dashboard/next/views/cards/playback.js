// Plays clips: one under the pointer, or several in step, and shows one large.

function makeVideo(card) {
  const video = make("video");
  Object.assign(video, { muted: true, playsInline: true, preload: "auto", src: card.clip });
  return video;
}

const HOVER_MS = 150;

function playOnHover(element) {
  let timer = 0;
  let video = null;
  element.addEventListener("pointerenter", (event) => {
    if (event.pointerType !== "mouse" || !element.card.clip || element.querySelector("video")) return;
    timer = setTimeout(() => {
      video = makeVideo(element.card);
      video.loop = true;
      element.querySelector(".media").append(video);
      video.play().catch(() => {});
    }, HOVER_MS);
  });
  element.addEventListener("pointerleave", () => {
    clearTimeout(timer);
    video?.remove();
    video = null;
  });
}

const MAX_DRIFT = 0.08;

// Clips of several cards in step: each counts from its own first frame, which need not be at 0.
class Playback {
  constructor(elements) {
    this.elements = elements;
    this.first = new Map();
    this.waiting = elements.length;
    this.videos = elements.map((element) => {
      element.querySelector("video")?.remove();
      const video = makeVideo(element.card);
      video.addEventListener("loadeddata", () => this.first.set(video, video.currentTime), { once: true });
      video.addEventListener("canplay", () => --this.waiting || this.start(), { once: true });
      element.querySelector(".media").append(video);
      return video;
    });
  }

  start() {
    this.playing = true;
    for (const video of this.videos) video.play().catch(() => {});
    this.frame = requestAnimationFrame(() => this.keepInStep());
  }

  keepInStep() {
    const [lead, ...others] = this.videos;
    if (this.videos.every((video) => video.ended)) {
      for (const video of this.videos) {
        video.currentTime = this.first.get(video);
        video.play().catch(() => {});
      }
    }
    for (const video of lead.ended ? [] : others) {
      const wanted = lead.currentTime - this.first.get(lead) + this.first.get(video);
      const drift = Math.abs(video.currentTime - wanted);
      if (drift > MAX_DRIFT && !video.seeking && !video.ended) video.currentTime = wanted;
    }
    this.frame = requestAnimationFrame(() => this.keepInStep());
  }

  toggle() {
    if (this.waiting) return;
    cancelAnimationFrame(this.frame);
    if (!this.playing) return this.start();
    this.playing = false;
    for (const video of this.videos) video.pause();
  }

  close() {
    cancelAnimationFrame(this.frame);
    for (const video of this.videos) video.remove();
  }
}

// Return what a dialog shows of a card: its clip or picture large, caption and all keywords.
function drawZoom(card, query) {
  const box = make("div", "zoom");
  if (card.clip) {
    const video = makeVideo(card);
    Object.assign(video, { controls: true, loop: true, poster: card.picture });
    video.addEventListener("canplay", () => video.play().catch(() => {}), { once: true });
    box.append(video);
  } else {
    box.append(...drawMedia(card).childNodes);
  }
  const text = make("div", "facts");
  text.append(make("h3", "", card.caption || card.item));
  if (card.caption) text.append(make("div", "foot", card.item));
  const keywords = make("div", "keywords");
  keywords.append(...card.has.map((has, place) => drawKeyword(has, query.required[place])));
  text.append(keywords);
  const facts = [card.rank && `rank ${card.rank}`, card.score && `score ${card.score}`, card.foot];
  text.append(make("div", "foot", facts.filter(Boolean).join(" · ")));
  box.append(text);
  return box;
}

const KEYS = [
  ["j k", "next, previous query"],
  ["n N", "next, previous difference between the versions"],
  ["← → ↑ ↓", "next card"],
  ["Enter z", "enlarge the card in front"],
  ["Space", "play it and the card of the same rank in the other version"],
  ["?", "this list"],
  ["Esc", "close"],
];

function drawKeys() {
  const list = make("dl", "shortcuts");
  for (const [keys, meaning] of KEYS) list.append(make("dt", "", keys), make("dd", "", meaning));
  return list;
}

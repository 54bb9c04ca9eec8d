// Plays clips: one under the pointer, or several in step, and shows one large.

const MAX_CUT_DIFFERENCE = 0.2;

// Return a video whose part is shown: from `video.first` to `video.last`, in its own seconds. They
// count from its first frame, which need not be at 0. A file as long as the part is that part.
function makeVideo(card) {
  const video = make("video");
  video.addEventListener("loadeddata", () => {
    const origin = video.currentTime;
    const [start, end] = card.span ?? [0, null];
    const difference = video.duration - origin - ((end ?? Infinity) - start);
    const isWhole = Math.abs(difference) <= MAX_CUT_DIFFERENCE;
    video.first = isWhole ? origin : origin + start;
    video.last = isWhole || end === null ? Infinity : origin + end;
    if (video.first > origin) video.currentTime = video.first;
  }, { once: true });
  Object.assign(video, { muted: true, playsInline: true, preload: "auto", src: card.file });
  return video;
}

const hasEnded = (video) => video.ended || video.currentTime >= video.last;

function repeat(video) {
  const restart = () => {
    if (!hasEnded(video)) return;
    video.currentTime = video.first;
    video.play().catch(() => {});
  };
  video.addEventListener("timeupdate", restart);
  video.addEventListener("ended", restart);
  return video;
}

const toggleVideo = (video) => (video.paused ? video.play() : video.pause());

const HOVER_MS = 150;

function playOnHover(element) {
  let timer = 0;
  let video = null;
  element.addEventListener("pointerenter", (event) => {
    if (event.pointerType !== "mouse" || !element.card.clip || element.querySelector("video")) return;
    timer = setTimeout(() => {
      video = repeat(makeVideo(element.card));
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
    this.waiting = elements.length;
    this.videos = elements.map((element) => {
      element.querySelector("video")?.remove();
      const video = makeVideo(element.card);
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
    if (this.videos.every(hasEnded)) {
      for (const video of this.videos) {
        video.currentTime = video.first;
        video.play().catch(() => {});
      }
    }
    for (const video of this.videos) if (hasEnded(video)) video.pause();
    for (const video of hasEnded(lead) ? [] : others) {
      const wanted = lead.currentTime - lead.first + video.first;
      const drift = Math.abs(video.currentTime - wanted);
      if (drift > MAX_DRIFT && !video.seeking && !hasEnded(video)) video.currentTime = wanted;
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
    const video = repeat(makeVideo(card));
    Object.assign(video, { controls: true, poster: card.picture });
    video.addEventListener("canplay", () => video.play().catch(() => {}), { once: true });
    box.append(video);
  } else {
    box.append(...drawMedia({ ...card, picture: card.file }).childNodes);
  }
  const text = make("div", "facts");
  text.append(make("h2", "", card.caption || card.item));
  if (card.caption) text.append(make("div", "foot", card.item));
  const keywords = make("div", "keywords");
  keywords.append(...card.has.map((has, place) => drawKeyword(has, query.required[place])));
  text.append(keywords);
  const facts = [card.rank && `rank ${card.rank}`, card.score && `score ${card.score}`, ...card.notes, card.foot];
  text.append(make("div", "foot", facts.filter(Boolean).join(" · ")));
  box.append(text);
  return box;
}

const KEYS = [
  ["j k", "next, previous query"],
  ["n N", "next, previous difference between the versions"],
  ["← → ↑ ↓", "next card"],
  ["Enter z", "enlarge the card in front; z again, or Esc, closes it"],
  ["Space", "play it and the card of the same rank in the other version; enlarged, it alone"],
  ["v", "judge the results"],
  ["Ctrl K", "go to a screen, a query or a collection"],
  ["?", "this list"],
  ["Esc", "close"],
];

function drawKeys(keys = KEYS) {
  const list = make("dl", "shortcuts");
  for (const [names, meaning] of keys) list.append(make("dt", "", names), make("dd", "", meaning));
  return list;
}

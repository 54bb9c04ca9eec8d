// Clips: a muted preview while the pointer rests on a poster, and what a player and a preview share.

import { isolated, make } from "./parts.js";

const REST = 200; // milliseconds before a preview starts
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

// A muted video of an item that stays within the item's span and turns round at its end, unless it
// plays in step with another; `failed` is called once, with a word where the reason is known.
export function clip(item, failed, turns = true) {
  const video = document.createElement("video");
  const { span } = item;
  const start = () => Math.max(span[0] ?? 0, 0);
  const end = () => span[1] ?? null;
  video.muted = true;
  video.playsInline = true;
  video.loop = turns && span[0] === null && span[1] === null;
  let lost = false;
  const lose = (word) => {
    if (lost || !video.isConnected) return;
    lost = true;
    failed(word);
  };
  video.addEventListener("loadedmetadata", () => {
    if (isAsLongAs(span, video.duration)) span.splice(0, 3, null, null);
    if (!video.videoWidth) lose("sound only, no picture");
    else if (start() >= video.duration) lose("its span lies outside its clip");
    else if (start()) video.currentTime = start();
  });
  video.addEventListener("seeking", () => {
    const at = video.currentTime;
    if (at < start() - 0.05) video.currentTime = start();
    if (end() !== null && at > end() + 0.05) video.currentTime = Math.max(start(), end() - 0.05);
  });
  if (turns && !video.loop) turning(video, start, end);
  video.addEventListener("error", () => lose(), { once: true });
  video.src = item.media;
  return video;
}

// Whether a file is as long as its span, within two frames of a tenth of a second: it was cut to it
// beforehand, and is all of it. Asked where only the browser knows how long the file is.
function isAsLongAs([begin, end, decides], duration) {
  return Boolean(decides) && Math.abs(duration - (end - Math.max(begin ?? 0, 0))) <= 0.2;
}

// Makes a video turn round at the end of a span.
function turning(video, start, end) {
  const turn = () => {
    video.currentTime = start();
    video.play().catch(() => {});
  };
  const watch = () => {
    if (end() !== null && video.currentTime >= end() && !video.paused) turn();
    if (video.isConnected) video.requestVideoFrameCallback?.(watch);
  };
  video.addEventListener("loadedmetadata", () => video.requestVideoFrameCallback?.(watch));
  video.addEventListener("timeupdate", () => {
    if (end() !== null && video.currentTime >= end() && !video.paused) turn();
  });
  video.addEventListener("ended", turn);
}

// Which part of its file a clip is, in words; empty: all of it.
export function partOf({ span: [begin, end] }) {
  const seconds = (value) => `${Number(value.toFixed(2))} s`;
  if (begin === null && end === null) return "";
  if (end === null) return `Plays the file from ${seconds(begin)} to its end.`;
  return `Plays ${seconds(begin ?? 0)} to ${seconds(end)} of the file.`;
}

export function unload(video) {
  video.remove();
  video.pause?.();
  video.removeAttribute("src");
  video.load?.(); // lets go of the connection
}

// Why the server has no poster of an item, in a word.
export async function whyNoPoster(address) {
  try {
    const answer = await fetch(address);
    return answer.status === 422 ? await answer.text() : "";
  } catch {
    return "";
  }
}

function animation(item) {
  const moving = make("img");
  moving.alt = "";
  moving.src = item.media;
  return moving;
}

// One preview at a time, over the poster it belongs to.
export function previews() {
  let timer = 0;
  let video = null;
  const stop = () => {
    clearTimeout(timer);
    if (video) unload(video);
    video = null;
  };
  const start = (picture, item) => {
    stop();
    if (calm.matches || !(item.kind === "clip" || item.moves)) return;
    timer = setTimeout(() => {
      if (!picture.isConnected) return;
      if (item.moves) {
        video = animation(item);
        picture.append(video);
        return;
      }
      video = clip(item, (word) => {
        stop();
        writeOver(picture, item.problem || word || "cannot be played here");
      });
      video.ariaHidden = "true";
      video.tabIndex = -1;
      video.addEventListener("playing", () => video?.classList.add("on"));
      picture.append(video);
      video.play().catch(() => {});
    }, REST);
  };
  return { start, stop };
}

// A word over the picture for what cannot be shown.
export function writeOver(picture, word) {
  picture.querySelector(".word")?.remove();
  if (word) picture.append(make("span", "word", "", [isolated("", word)]));
}

// Two clips in step: what is done to one is done to the other; both begin again when both are done.

const DRIFT = 0.12; // seconds that one may be ahead before it is put right
const LOOK = 100; // milliseconds between looks

export function inStep(first, second) {
  const sides = [first, second].map(({ video, item }) => ({ video, span: item.span }));
  const begin = ({ span }) => span[0] ?? 0;
  const end = ({ video, span }) => span[1] ?? video.duration;
  const at = (side) => side.video.currentTime - begin(side);
  const done = (side) => side.video.ended || side.video.currentTime >= end(side) - 0.02;
  const put = (side, seconds) => {
    const time = Math.min(begin(side) + seconds, end(side) || Infinity);
    if (Math.abs(side.video.currentTime - time) > 0.03) side.video.currentTime = time;
  };
  const play = ({ video }) => video.paused && video.play().catch(() => {});

  sides.forEach((side, number) => {
    const other = sides[1 - number];
    side.video.addEventListener("play", () => done(other) || play(other));
    side.video.addEventListener("pause", () => done(side) || other.video.pause());
    side.video.addEventListener("seeking", () => {
      if (Math.abs(at(side) - at(other)) > DRIFT && !done(side)) put(other, at(side));
    });
    side.video.addEventListener("ratechange", () => {
      other.video.playbackRate = side.video.playbackRate;
    });
  });

  const look = () => {
    if (!sides.some(({ video }) => video.isConnected)) {
      clearInterval(timer);
      return;
    }
    if (sides.some(({ video }) => !video.duration || video.seeking)) return;
    if (sides.every(done)) {
      sides.forEach((side) => put(side, 0));
      sides.forEach(play);
      return;
    }
    for (const side of sides) if (done(side) && !side.video.paused) side.video.pause();
    const [ahead, behind] = at(sides[0]) > at(sides[1]) ? sides : [sides[1], sides[0]];
    const running = sides.every((side) => !side.video.paused && !done(side));
    if (running && at(ahead) - at(behind) > DRIFT) put(behind, at(ahead));
  };
  const timer = setInterval(look, LOOK);
}

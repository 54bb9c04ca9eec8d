// Clips: a muted preview while the pointer rests on a poster, and what a player and a preview share.

const REST = 200; // milliseconds before a preview starts
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// A muted video of an item that turns round at the end of the item's span, unless it plays in step
// with another; `failed` is called once.
function clip(item, failed, turns = true) {
  const video = document.createElement("video");
  const [begin, end] = item.span;
  video.muted = true;
  video.playsInline = true;
  video.loop = turns && begin === null && end === null;
  if (!turns) {
    video.addEventListener("loadedmetadata", () => (video.currentTime = begin ?? 0));
  } else if (!video.loop) {
    const turn = () => {
      video.currentTime = begin ?? 0;
      video.play().catch(() => {});
    };
    const watch = () => {
      if (end !== null && video.currentTime >= end && !video.paused) turn();
      if (video.isConnected) video.requestVideoFrameCallback?.(watch);
    };
    video.addEventListener("loadedmetadata", () => {
      video.currentTime = begin ?? 0;
      video.requestVideoFrameCallback?.(watch);
    });
    video.addEventListener("timeupdate", () => end !== null && video.currentTime >= end && turn());
    video.addEventListener("ended", turn);
  }
  video.addEventListener("error", () => video.isConnected && failed(), { once: true });
  video.src = item.media;
  return video;
}

function unload(video) {
  video.remove();
  video.pause();
  video.removeAttribute("src");
  video.load(); // lets go of the connection
}

// One preview at a time, over the poster it belongs to.
function previews() {
  let timer = 0;
  let video = null;
  const stop = () => {
    clearTimeout(timer);
    if (video) unload(video);
    video = null;
  };
  const start = (picture, item) => {
    stop();
    if (calm.matches || item.kind !== "clip") return;
    timer = setTimeout(() => {
      if (!picture.isConnected) return;
      video = clip(item, () => {
        stop();
        say(picture, item.problem || "cannot be played here");
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
function say(picture, word) {
  picture.querySelector(".word")?.remove();
  if (word) picture.append(make("span", "word", "", [isolated("", word)]));
}

// Two clips in step: what is done to one is done to the other; both begin again when both are done.

const DRIFT = 0.12; // seconds that one may be ahead before it is put right
const LOOK = 100; // milliseconds between looks

function inStep(first, second) {
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

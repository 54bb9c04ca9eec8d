// A picture that can be looked at closely: by wheel, pinch, drag, double click, buttons and keys.
// How close one looks is no part of the address: it is gone with the next picture.

import { make } from "./parts.js";

const CLOSEST = 8; // screen pixels of one of the picture's, or times the size at which it fits
const STRIDE = 1.25; // of a button or a key
const PIXELS = 4; // from so many screen pixels on, a picture's pixels are shown as squares

// The frame and the bar of a picture; `name` tells two of them apart.
export function zoomable(picture, frame, name) {
  let scale = 0; // screen pixels of one of the picture's; 0: it has not come yet
  let x = 0; // of its upper left corner in the frame
  let y = 0;
  const percent = make("output");
  const zoom = { bar: null, key, changed: null, follow, get larger() { return larger(); } };
  const room = () => [frame.clientWidth, frame.clientHeight];
  const size = () => [picture.naturalWidth, picture.naturalHeight];
  const fitting = () => Math.min(room()[0] / size()[0], room()[1] / size()[1]);
  const larger = () => scale > fitting() * 1.001;

  function draw() {
    const [width, height] = size().map((length) => length * scale);
    [x, y] = [placed(x, room()[0], width), placed(y, room()[1], height)];
    Object.assign(picture.style, { width: `${width}px`, height: `${height}px` });
    picture.style.transform = `translate(${x}px, ${y}px)`;
    picture.classList.toggle("squares", scale >= PIXELS);
    frame.classList.toggle("larger", larger());
    percent.textContent = `${scale < 0.1 ? (scale * 100).toFixed(1) : Math.round(scale * 100)} %`;
  }
  function put(next, left, top) {
    const kept = Math.min(Math.max(next, Math.min(fitting(), 1)), CLOSEST * Math.max(fitting(), 1));
    const changed = kept !== scale;
    [scale, x, y] = [kept, left(kept), top(kept)];
    draw();
    return changed;
  }
  // Zooms so that what is seen at a place of the frame stays there.
  function to(next, across = room()[0] / 2, down = room()[1] / 2) {
    if (!scale) return false;
    const from = { scale, x, y };
    const stay = (at, corner) => (kept) => at - ((at - corner) * kept) / from.scale;
    const changed = put(next, stay(across, from.x), stay(down, from.y));
    zoom.changed?.(seen());
    return changed;
  }
  function pan(across, down) {
    [x, y] = [x + across, y + down];
    draw();
    zoom.changed?.(seen());
  }
  // What is in the middle of the frame and how close, in parts: to show the same of another one.
  function seen() {
    const middle = (place) => (room()[place] / 2 - [x, y][place]) / (size()[place] * scale);
    return { times: scale / fitting(), across: middle(0), down: middle(1) };
  }
  function follow({ times, across, down }) {
    if (!scale) return;
    const [width, height] = size();
    const centre = (length, part, place) => (kept) => room()[place] / 2 - part * length * kept;
    put(fitting() * times, centre(width, across, 0), centre(height, down, 1));
  }
  // Whether a key was used here: + − 0, and arrows on a picture that is larger than its frame.
  function key(event) {
    const arrows = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key in arrows && event.target === frame && larger()) pan(...arrows[event.key]);
    else if (event.key === "+" || event.key === "=") to(scale * STRIDE);
    else if (event.key === "-" || event.key === "−") to(scale / STRIDE);
    else if (event.key === "0") to(fitting());
    else return false;
    event.preventDefault();
    return true;
  }

  picture.draggable = false;
  frame.classList.add("view");
  frame.tabIndex = 0;
  frame.role = "group";
  frame.ariaLabel = `${name}: + and − zoom, 0 fits, arrows pan`;
  zoom.bar = bar(percent, name, [
    ["−", "Zoom out", "Zoom out (−)", () => to(scale / STRIDE)],
    ["+", "Zoom in", "Zoom in (+)", () => to(scale * STRIDE)],
    ["100 %", "", "Actual size", () => to(1)],
    ["Fit", "", "Fit (0)", () => to(fitting())],
  ]);
  let fitted = [0, 0]; // the room in which it was fitted
  const fit = () => {
    if (!picture.naturalWidth || !room()[0]) return;
    const whole = !scale || !frame.classList.contains("larger");
    if (whole && (!scale || String(fitted) !== String(room()))) scale = fitting();
    fitted = room();
    draw();
  };
  picture.addEventListener("load", () => {
    scale = 0;
    fit();
  });
  new ResizeObserver(fit).observe(frame);
  pointed(frame, { to, pan, scale: () => scale, larger, fitting });
  return zoom;
}

// The place of one side: in the middle where there is room to spare, else without a gap.
const placed = (at, room, length) =>
  length <= room ? (room - length) / 2 : Math.min(0, Math.max(room - length, at));

function bar(percent, name, buttons) {
  const nodes = buttons.map(([sign, spoken, title, act]) => {
    const button = make("button", "plain", sign);
    button.type = "button";
    button.title = title;
    if (spoken) button.ariaLabel = spoken;
    button.addEventListener("click", act);
    return button;
  });
  nodes.splice(1, 0, percent);
  const group = make("div", "zoom", "", nodes);
  group.role = "group";
  group.ariaLabel = `Zoom of ${name}`;
  return group;
}

// Wheel, drag, pinch and double click over a frame.
function pointed(frame, { to, pan, scale, larger, fitting }) {
  const held = new Map(); // pointers that are down, and where
  const place = (event) => {
    const { left, top } = frame.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  frame.addEventListener("wheel", (event) => {
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const by = Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002));
    const { x, y } = place(event);
    const smallest = !to(scale() * by, x, y) && by < 1;
    if (!smallest || event.ctrlKey) event.preventDefault(); // else the page scrolls on
  });
  frame.addEventListener("dblclick", (event) => {
    const { x, y } = place(event);
    to(larger() ? fitting() : Math.max(1, fitting() * 2), x, y);
  });
  frame.addEventListener("pointerdown", (event) => {
    if (event.button || event.target.closest("button")) return;
    held.set(event.pointerId, place(event));
    frame.setPointerCapture(event.pointerId);
  });
  frame.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    held.set(event.pointerId, now);
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    if (!other) {
      if (larger()) pan(now.x - before.x, now.y - before.y);
      return;
    }
    const apart = (one) => Math.max(Math.hypot(one.x - other.x, one.y - other.y), 1);
    const middle = [(now.x + other.x) / 2, (now.y + other.y) / 2];
    pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    to((scale() * apart(now)) / apart(before), ...middle);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    frame.addEventListener(end, (event) => held.delete(event.pointerId));
  }
  // Two fingers are ours; one scrolls the page while all of the picture is seen.
  const ours = (event) => event.touches.length > 1 && event.preventDefault();
  frame.addEventListener("touchmove", ours, { passive: false });
}

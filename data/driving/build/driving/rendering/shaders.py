"""The shaders: surfaces with light, fog and procedural textures; the sky; and actors' numbers."""

NOISE = """
float cell(vec2 p) { return fract(sin(dot(floor(p), vec2(12.9898, 78.233))) * 43758.5453); }
float noise(vec2 p) {
  vec2 f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(mix(cell(p), cell(p + vec2(1, 0)), f.x),
             mix(cell(p + vec2(0, 1)), cell(p + vec2(1, 1)), f.x), f.y);
}
"""

SURFACE_VERTEX = """#version 330
in vec3 position; in vec3 normal; in vec3 colour; in float material; in vec2 uv;
uniform mat4 view;
out vec3 place; out vec3 facing; out vec3 tint; flat out int kind; out vec2 spot;
void main() {
  gl_Position = view * vec4(position, 1);
  place = position; facing = normal; tint = colour; kind = int(material + 0.5); spot = uv;
}
"""

SURFACE_FRAGMENT = (
    """#version 330
in vec3 place; in vec3 facing; in vec3 tint; flat in int kind; in vec2 spot;
uniform vec3 eye; uniform vec3 ahead; uniform vec3 sun; uniform vec3 sunlight;
uniform vec3 ambient; uniform vec3 haze;
uniform float fog; uniform float night; uniform float wet;
out vec4 pixel;
"""
    + NOISE
    + """
const int LIT = 1, FACADE = 2, ASPHALT = 3, FOLIAGE = 4, PAINT = 5, SHADOW = 6, GLOW = 7;

vec3 facade(vec3 wall, float distance_, out float shining) {
  vec2 grid = vec2(spot.x / 2.6, (spot.y - 0.3) / 3.1);
  vec2 part = fract(grid);
  bool shop = spot.y < 3.2;
  vec2 low = shop ? vec2(0.08, 0.12) : vec2(0.24, 0.28);
  vec2 high = shop ? vec2(0.92, 0.78) : vec2(0.76, 0.80);
  float window = step(low.x, part.x) * step(part.x, high.x) * step(low.y, part.y)
               * step(part.y, high.y);
  float cross_ = shop ? 1.0 : step(0.02, abs(part.x - 0.5));
  float luck = cell(grid + vec2(tint.r * 90.0, 3.0));
  vec3 glass = mix(vec3(0.14, 0.18, 0.23), vec3(0.42, 0.50, 0.58), luck * 0.7 + part.y * 0.2);
  if (shop) glass = vec3(0.20, 0.21, 0.23);
  float near = smoothstep(150.0, 70.0, distance_);
  vec3 plaster = wall * (1.0 + 0.10 * (noise(spot * 1.3) - 0.5));
  plaster *= 1.0 - 0.18 * step(part.y, 0.05) * float(!shop);
  shining = night > 0.5 && window > 0.5 && luck > 0.62 ? 0.8 : 0.0;
  if (shining > 0.0) glass = mix(vec3(1.0, 0.80, 0.45), vec3(0.85, 0.90, 1.0), step(0.9, luck));
  return mix(plaster, glass, window * cross_ * near);
}

vec3 headlights(vec3 normal, vec3 towards_eye, float distance_) {
  vec3 from = place - eye;
  float angle = dot(normalize(vec3(from.xy, 0.0)), normalize(vec3(ahead.xy, 0.0)));
  float cone = smoothstep(0.80, 0.98, angle) * 1.25 / (1.0 + distance_ * distance_ * 0.003);
  cone *= smoothstep(4.5, 0.5, place.z);
  vec3 light = vec3(1.0, 0.95, 0.82) * cone * (0.45 + 0.55 * max(dot(normal, towards_eye), 0.0));
  vec2 pool = fract(place.xy / 18.0) - 0.5;
  return light + vec3(0.30, 0.24, 0.14) * exp(-dot(pool, pool) * 9.0)
               * smoothstep(7.0, 0.0, place.z) * 0.8;
}

void main() {
  vec3 towards_eye = eye - place;
  float distance_ = length(towards_eye);
  towards_eye /= distance_;
  float air = 1.0 - exp(-pow(distance_ * fog, 1.35));
  if (kind == SHADOW) { pixel = vec4(0, 0, 0, spot.x * (1.0 - air)); return; }
  if (kind == GLOW) {
    float fall = max(1.0 - dot(spot, spot), 0.0);
    pixel = vec4(tint * fall * fall * (1.0 - 0.8 * air), 1);
    return;
  }
  vec3 normal = normalize(facing);
  if (dot(normal, towards_eye) < 0.0) normal = -normal;
  vec3 base = tint;
  float shining = kind == LIT ? 1.0 : 0.0;
  float near = exp(-distance_ * 0.03);
  if (kind == ASPHALT) {
    base *= 1.0 + near * (0.22 * (noise(place.xy * 6.0) - 0.5) + 0.14 * (noise(place.xy) - 0.5));
    base *= 1.0 - 0.10 * smoothstep(0.55, 0.75, noise(place.xy * 0.23));
  }
  if (kind == FOLIAGE) base *= 1.0 + 0.35 * (noise(place.xy * 1.2 + place.z * 2.0) - 0.5);
  if (kind == FACADE) base = facade(base, distance_, shining);
  vec3 light = ambient * (0.72 + 0.28 * normal.z) + sunlight * max(dot(normal, sun), 0.0);
  if (night > 0.5) light += headlights(normal, towards_eye, distance_);
  vec3 seen = base * light;
  if (kind == PAINT) {
    vec3 half_way = normalize(sun + towards_eye);
    seen += sunlight * pow(max(dot(normal, half_way), 0.0), 40.0) * 0.5;
    seen += mix(haze, ambient, 0.5) * 0.22 * pow(1.0 - max(dot(normal, towards_eye), 0.0), 3.0);
  }
  if (wet > 0.5 && (kind == ASPHALT || normal.z > 0.9) && place.z < 0.3) {
    float mirror = pow(1.0 - max(towards_eye.z, 0.0), 4.0);
    float puddle = smoothstep(0.45, 0.7, noise(place.xy * 0.45));
    seen = mix(seen * 0.72, haze * 1.05, mirror * (0.40 + 0.35 * puddle));
  }
  seen = mix(seen, base * (night > 0.5 ? 1.15 : 1.0), shining);
  pixel = vec4(mix(seen, haze, clamp(air * (shining > 0.9 ? 0.7 : 1.0), 0.0, 1.0)), 1);
}
"""
)

NUMBER_FRAGMENT = """#version 330
in vec3 place; in vec3 facing; in vec3 tint; flat in int kind; in vec2 spot;
uniform float numbered;
out vec4 pixel;
void main() { pixel = vec4(numbered > 0.5 ? tint : vec3(0), 1); }
"""

SKY_VERTEX = """#version 330
in vec2 corner;
out vec2 at;
void main() { gl_Position = vec4(corner, 0.9999, 1); at = corner; }
"""

SKY_FRAGMENT = (
    """#version 330
in vec2 at;
uniform vec3 zenith; uniform vec3 low; uniform float horizon; uniform float clouds;
uniform float yaw; uniform float night;
out vec4 pixel;
"""
    + NOISE
    + """
void main() {
  float up = max(at.y - horizon, 0.0);
  vec3 sky = mix(low, zenith, 1.0 - exp(-up * 2.6));
  vec2 s = vec2((at.x * 0.63 + yaw) * 5.0, up * 9.0);
  float n = noise(s) * 0.6 + noise(s * 2.3) * 0.3 + noise(s * 5.0) * 0.1;
  float cover = clouds * smoothstep(0.52, 0.8, n) * smoothstep(0.02, 0.25, up);
  sky = mix(sky, vec3(0.96, 0.96, 0.97), cover);
  vec2 star = vec2((at.x * 0.63 + yaw) * 90.0, up * 70.0);
  vec2 off = fract(star) - 0.5;
  float twinkle = step(0.985, cell(star)) * exp(-dot(off, off) * 30.0);
  pixel = vec4(sky + night * twinkle * 0.5 * smoothstep(0.1, 0.5, up), 1);
}
"""
)

"""Requests as people phrase them, each with the keywords that a reader would tick.

TUNED and HELD_OUT were written together, before negations, opposites and parts of phrases had
rules; the rules were then made with TUNED in view, and HELD_OUT was looked at once, at the end.
Keywords of all five groups are listed that the words name; nothing is listed that is only implied.
A line is what a person types, a bar, and the keywords; a backslash goes on with it.
"""


def read_lines(text: str) -> list[tuple[str, list[str]]]:
    """Return each text, and the keywords that it names."""
    pairs = (line.split(" |") for line in text.strip().splitlines())
    return [(asked, [each.strip() for each in named.split(",") if each]) for asked, named in pairs]


TUNED = read_lines("""
kid running across the street | pedestrian, straight crossing path
jogger in the drizzle | pedestrian, rainy
lorries parked on the motorway at night | large vehicle, stationary, highway, nighttime
a car in the same direction | small vehicle, traveling in same direction
a truck driving in the opposite direction | large vehicle, traveling in opposite direction
no pedestrians, just cars | small vehicle
cyclist not crossing | bicyclist
it is not raining |
motorcyclist without a helmet on a dry road | motorcyclist
our car turns left at the junction | ego turning, intersection
car beside us | small vehicle
bus abreast of us on the right | large vehicle, right adjacent
cyclist far ahead | bicyclist
van turning left across our path | small vehicle, oncoming turn across path
left across path | oncoming turn across path
pedestrian waiting at a crossing | pedestrian, stationary, crosswalk
somebody on a bicycle at dusk | bicyclist, nighttime
HGV pulling into our lane on the motorway in heavy rain | large vehicle, entering ego path, \
  highway, rainy
sunshine in the city centre | sunny, urban
we wait behind a bus | ego stationary, large vehicle
empty motorway in the fog | highway, foggy
truck in the lane to our left | large vehicle, left adjacent
an SUV cuts us off | small vehicle, entering ego path
oncoming motorcycle in thick fog | motorcyclist, traveling in opposite direction, foggy
cars without headlights at night | small vehicle, nighttime
the ego vehicle changes lanes | ego lane change
our vehicle is standing still | ego stationary
people walking over a zebra crossing | pedestrian, straight crossing path, crosswalk
a tram passes |
dog on the road |
junction without traffic lights | intersection
stretch of road with no intersection | non-intersection
the pedestrian is not moving | pedestrian, stationary
a child steps into the road | pedestrian, entering ego path
motor bike never stops | motorcyclist
kids on bikes crossing at the intersection | bicyclist, straight crossing path, intersection
overcast sky, wet road, lorry ahead on the left | overcast, rainy, large vehicle, \
  left adjacent front
car drives on the far right side | small vehicle, right split front
foggy but not dark | foggy
neither trucks nor buses |
winding country road by day | curved road, daytime
going straight through the crossroads | proceeding straight, intersection
while we turn, a pedestrian crosses | ego turning, pedestrian, straight crossing path
no cyclists on the highway | highway
driver checking her phone |
a vehicle that isn't stopped |
VRUs near a junction | vulnerable road user present, intersection
elderly woman on the crosswalk | pedestrian, crosswalk
convoy of semi trailers | large vehicle
""")

HELD_OUT = read_lines("""
toddler chasing a ball into the road | pedestrian, entering ego path
runner in bright sunshine | pedestrian, sunny
articulated lorry coming the other way | large vehicle, traveling in opposite direction
pushbike next to us on the right side | bicyclist, right adjacent
hatchback merging into our lane on the expressway | small vehicle, entering ego path, highway
there are no cars, only a moped | motorcyclist
bus that does not stop | large vehicle
without pedestrians, in town | urban
we are not turning |
isn't foggy |
the ego car waits while a woman crosses the road | ego stationary, pedestrian, \
  straight crossing path
us changing lanes in the rain | ego lane change, rainy
our vehicle goes straight on | proceeding straight
taxi alongside on the left | small vehicle, left adjacent
truck two lanes to the right of us | large vehicle, right split front
sedan heading in the same direction as us | small vehicle, traveling in same direction
pedestrians and cyclists at an intersection | pedestrian, bicyclist, intersection
night-time drizzle | nighttime, rainy
grey clouds over the motorway | overcast, highway
sharp bend after dark | curved road, nighttime
misty morning on a dual carriageway | foggy, highway
boys crossing at a zebra | pedestrian, straight crossing path, crosswalk
motorbikes overtaking us | motorcyclist, traveling in same direction
a stationary van blocks our lane | small vehicle, stationary
cyclist swerving into our path | bicyclist, entering ego path
traffic jam |
a red balloon |
never any rain here |
can't see any bikes |
car not parked | small vehicle
nobody crossing the street |
coach directly ahead of us | large vehicle, corridor front
dry asphalt, clear sky | sunny
dusk in the city with a scooter rider | nighttime, urban, motorcyclist
heavy goods vehicles on the interstate | large vehicle, highway
jaywalker on the right lane ahead | pedestrian, right adjacent front
person on a bike coming towards us at the crossroads | bicyclist, \
  traveling in opposite direction, intersection
schoolchildren waiting at the crossing | pedestrian, stationary, crosswalk
bend without any vehicles | curved road
small vehicle leaving our lane | small vehicle
during our right turn a cyclist goes straight | ego turning, bicyclist
truck drifting over into our lane at night | large vehicle, entering ego path, nighttime
daylight, dry road, no fog | daytime
motorcyclist stopped ahead on the right | motorcyclist, stationary, right adjacent front
snow-covered road |
lorry abreast | large vehicle
between junctions, on an open road | non-intersection
""")

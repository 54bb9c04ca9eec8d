"""Composed queries: a picture of a person and exactly three feedbacks, one on each attribute.

A drawing has a gender, a skin tone and a role. One feedback is about each of them; it asks for a
value, for any of several ("a lighter skin tone", "someone in the water") or to keep it. A drawing
fulfils the query when it meets all three. Labels follow from attributes; nobody gave them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drawings.sources import ROLES, TONE, Drawing

TONES = ("light", "medium-light", "medium", "medium-dark", "dark")
PLAIN = "none"
KINDS = {
    "trade": ("farmer", "cook", "mechanic", "factory worker", "construction worker"),
    "desk": ("student", "teacher", "judge", "office worker", "scientist", "technologist"),
    "stage": ("singer", "artist", "dancing", "juggling"),
    "duty": (
        "health worker", "pilot", "astronaut", "firefighter", "police officer", "detective",
        "guard",
    ),
    "occasion": ("wearing turban", "in tuxedo", "with veil"),
    "care": ("feeding baby", "getting massage", "getting haircut", "in steamy room"),
    "moving": (
        "walking", "standing", "kneeling", "running", "climbing", "with white cane",
        "in motorized wheelchair", "in manual wheelchair",
    ),
    "water": ("surfing", "rowing boat", "swimming", "playing water polo"),
    "sport": (
        "golfing", "bouncing ball", "lifting weights", "biking", "mountain biking", "cartwheeling",
        "playing handball",
    ),
}  # fmt: skip
"""Our own sorting of the roles into kinds. Roles that only face the other way are left out."""
KIND_OF = {role: kind for kind, roles in KINDS.items() for role in roles}
OF_KIND = {
    "trade": ("someone who works with their hands", "a manual trade instead"),
    "desk": ("someone from a school or an office", "a desk job instead"),
    "stage": ("someone who performs or creates", "an artistic activity instead"),
    "duty": ("someone on duty", "a job of rescue, watch or flight instead"),
    "occasion": ("dressed for an occasion", "formal or festive clothes instead"),
    "care": ("a moment of care", "being looked after, or looking after somebody"),
    "moving": ("just moving or standing around", "everyday movement instead"),
    "water": ("someone in or on the water", "a water activity instead"),
    "sport": ("someone doing sport on land", "exercise on land instead"),
}
GENDERS = {
    "man": ("a man instead", "make it a man"),
    "woman": ("a woman instead", "make her a woman"),
}
KEEP_GENDER = {"man": ("still a man", "a man again"), "woman": ("still a woman", "a woman again")}
EXACT_TONE = ("with {} skin", "{} skin tone, please")
PLAIN_TONE = ("with the plain yellow look", "no skin tone, plain yellow")
LIGHTER, DARKER = ("with lighter skin", "a lighter tone"), ("with darker skin", "a darker tone")
ANY_TONE = ("with any natural skin tone", "not in plain yellow")
KEEP_TONE = ("the same skin tone", "keep the colour of the skin")
KEEP_ROLE = ("doing the same thing", "in the same role")
EXACT_ROLE = ("this time: {}", "{} instead")
ANNOTATED, MOST_FULFILLED, NEAR_MISSES = 50, 12, 26


@dataclass(frozen=True)
class Person:
    """A drawing of one person in a role."""

    item_id: str
    gender: str
    tone: str
    role: str
    author: str

    @property
    def kind(self) -> str:
        """The kind of role."""
        return KIND_OF[self.role]

    @property
    def caption(self) -> str:
        """The attributes in words."""
        skin = "plain yellow" if self.tone == PLAIN else f"{self.tone} skin"
        return f"{self.gender} {self.role}, {skin}"


@dataclass(frozen=True)
class Wish:
    """One feedback: what it says, and which values of its attribute meet it."""

    attribute: str
    said: str
    met_by: frozenset[str]

    def met(self, person: Person) -> bool:
        """Whether a drawing meets it."""
        return getattr(person, self.attribute) in self.met_by


@dataclass(frozen=True)
class Query:
    """A picture with three feedbacks, and the annotated drawings with their labels."""

    query_id: str
    image: str
    wishes: tuple[Wish, ...]
    labels: tuple[tuple[str, int], ...] = ()

    @property
    def text(self) -> str:
        """The feedbacks as one text."""
        return "; ".join(wish.said for wish in self.wishes)

    def fulfilled_by(self, person: Person) -> bool:
        """Whether a drawing meets all feedbacks."""
        return all(wish.met(person) for wish in self.wishes)


def people(drawings: Sequence[Drawing]) -> list[Person]:
    """Every role that is drawn as man and woman in all six tones, in OpenMoji's order."""
    found = []
    for drawing in drawings:
        match = re.match(r"^(man|woman)\b[ :]*(.*)$", TONE.sub("", drawing.name))
        role = " ".join(re.findall(r"[\w-]+", match[2])) if match else ""
        if match and drawing.subgroup in ROLES and role in KIND_OF:
            tone = drawing.tone or PLAIN
            found.append(Person(drawing.hexcode, match[1], tone, role, drawing.author))
    return found


def held_out_roles(seed: int) -> frozenset[str]:
    """A third of the roles of each kind, at least one: queries and their labels use only these."""
    rng = random.Random(seed)
    picked = [rng.sample(roles, max(1, round(len(roles) / 3))) for roles in KINDS.values()]
    return frozenset(role for roles in picked for role in roles)


def wishes(person: Person, roles: Sequence[str], rng: random.Random) -> tuple[Wish, ...]:
    """Three feedbacks on a picture, in any order; at least one asks for something else."""
    while True:
        three = [
            _gender_wish(person, rng),
            _tone_wish(person, rng),
            _role_wish(person, roles, rng),
        ]
        if not all(wish.met(person) for wish in three):
            rng.shuffle(three)
            return tuple(three)


def _gender_wish(person: Person, rng: random.Random) -> Wish:
    if rng.random() < 0.4:
        said = rng.choice(KEEP_GENDER[person.gender])
        return Wish("gender", said, frozenset({person.gender}))
    other = "woman" if person.gender == "man" else "man"
    return Wish("gender", rng.choice(GENDERS[other]), frozenset({other}))


def _tone_wish(person: Person, rng: random.Random) -> Wish:
    exact = rng.choice(TONES)
    options = [
        (KEEP_TONE, {person.tone}),
        (tuple(text.format(exact) for text in EXACT_TONE), {exact}),
        (ANY_TONE, set(TONES)),
    ]
    if person.tone in TONES:
        options.append((PLAIN_TONE, {PLAIN}))
        place = TONES.index(person.tone)
        options += [(LIGHTER, set(TONES[:place]))] if place else []
        options += [(DARKER, set(TONES[place + 1 :]))] if place < len(TONES) - 1 else []
    said, values = rng.choice(options)
    return Wish("tone", rng.choice(said), frozenset(values))


def _role_wish(person: Person, roles: Sequence[str], rng: random.Random) -> Wish:
    chance, other = rng.random(), rng.choice([role for role in roles if role != person.role])
    if chance < 0.25:
        return Wish("role", rng.choice(KEEP_ROLE), frozenset({person.role}))
    if chance < 0.5:
        return Wish("role", rng.choice(EXACT_ROLE).format(other), frozenset({other}))
    kind = KIND_OF[other]
    return Wish("role", rng.choice(OF_KIND[kind]), frozenset(KINDS[kind]))


def queries(pool: Sequence[Person], pictures: int, each: int, seed: int) -> list[Query]:
    """`each` queries on each of so many pictures, with about 50 labelled drawings of the pool."""
    rng = random.Random(seed)
    roles = sorted({person.role for person in pool})
    found = []
    for number, person in enumerate(rng.sample(list(pool), pictures)):
        texts: set[str] = set()
        while len(texts) < each:
            name = f"c{number + 1:03d}{'abcdef'[len(texts)]}"
            query = Query(name, person.item_id, wishes(person, roles, rng))
            if query.text not in texts and any(map(query.fulfilled_by, pool)):
                texts.add(query.text)
                found.append(annotated(query, pool, rng))
    return found


def annotated(query: Query, pool: Sequence[Person], rng: random.Random) -> Query:
    """The query with labels: some that fulfil it, near misses by one feedback, and others."""
    others = [person for person in pool if person.item_id != query.image]
    right = _some(others, query.fulfilled_by, MOST_FULFILLED, rng)
    near = _some(others, lambda p: _missed(query, p) == 1, NEAR_MISSES, rng)
    rest = _some(others, lambda p: _missed(query, p) > 1, ANNOTATED - len(right) - len(near), rng)
    chosen = {person.item_id for person in right + near + rest}
    labels = ((p.item_id, int(query.fulfilled_by(p))) for p in pool if p.item_id in chosen)
    return Query(query.query_id, query.image, query.wishes, tuple(labels))


def _missed(query: Query, person: Person) -> int:
    return sum(not wish.met(person) for wish in query.wishes)


def _some(
    people: Sequence[Person], wanted: Callable[[Person], bool], most: int, rng: random.Random
) -> list[Person]:
    fitting = [person for person in people if wanted(person)]
    return rng.sample(fitting, min(most, len(fitting)))

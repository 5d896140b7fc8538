"""Finding a pattern in lines: leftmost, longest, in time that grows with the line and never faster than its square."""

from dataclasses import dataclass, field

from paceline.shell.machine import Failed
from paceline.shell.tools.pattern import WORD, Program, compiled

MOST_STATES = 1_000
MOST_STEPS = 2_000_000

_START, _WORD_BEFORE, _OTHER_BEFORE = 0, 1, 2
_END = ""


@dataclass(slots=True)
class _State:
    places: tuple[int, ...]
    before: int
    then: dict[str, tuple["_State", bool]] = field(default_factory=dict)


class Matcher:
    """A pattern ready to be looked for."""

    def __init__(self, pattern: str, extended: bool = False, ignore_case: bool = False) -> None:
        self.program: Program = compiled(pattern, extended, ignore_case)
        self.steps_left = MOST_STEPS
        self._states: dict[tuple[tuple[int, ...], int], _State] = {}

    def search(self, line: str) -> bool:
        """Whether it occurs in the line."""
        self._spend(len(line) + 1)
        state = self._state((0,), _START)
        for char in line:
            state, found = state.then.get(char) or self._step(state, char, True)
            if found:
                return True
        return self._step(state, _END, True)[1]

    def find(self, line: str, start: int = 0) -> tuple[int, int] | None:
        """Where it first occurs from a place on, at its longest."""
        for at in range(start, len(line) + 1):
            end = self._longest(line, at)
            if end is not None:
                return at, end
        return None

    def groups(self, line: str, start: int, end: int) -> dict[int, str]:
        """What each group of an occurrence holds."""
        seen: set[tuple[int, int]] = set()
        waiting: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(0, start, ())]
        while waiting:
            place, at, saved = waiting.pop()
            if (place, at) in seen:
                continue
            seen.add((place, at))
            self._spend(10)
            each = self.program[place]
            if each.kind == "match":
                if at == end:
                    marks = dict(saved)
                    return {
                        number // 2: line[marks[number] : marks[number + 1]]
                        for number in marks if number % 2 == 0 and number + 1 in marks
                    }  # fmt: skip
            elif each.kind == "split":
                waiting.append((place + each.second, at, saved))
                waiting.append((place + each.first, at, saved))
            elif each.kind == "jump":
                waiting.append((place + each.first, at, saved))
            elif each.kind == "save":
                kept = tuple(pair for pair in saved if pair[0] != each.first)
                waiting.append((place + 1, at, (*kept, (each.first, at))))
            elif each.kind == "char":
                if at < end and (line[at] in each.chars) != each.negated:
                    waiting.append((place + 1, at + 1, saved))
            elif self._holds(place, _before(line, at), line[at : at + 1]):
                waiting.append((place + 1, at, saved))
        return {0: line[start:end]}

    def _longest(self, line: str, start: int) -> int | None:
        found: int | None = None
        state = self._state((0,), _before(line, start))
        for at in range(start, len(line) + 1):
            char = line[at : at + 1]
            state, matched = self._step(state, char, False)
            if matched:
                found = at
            if not state.places:
                break
        self._spend(at - start + 1)
        return found

    def _step(self, state: _State, char: str, restart: bool) -> tuple[_State, bool]:
        key = char if restart else f"{char}."
        known = state.then.get(key)
        if known is not None:
            return known
        self._spend(len(self.program))
        reached, matched = self._closure(state, char)
        places = {
            place + 1
            for place in sorted(reached)
            if char and (char in self.program[place].chars) != self.program[place].negated
        }
        if restart:
            places.add(0)
        after = self._state(tuple(sorted(places)), _WORD_BEFORE if char in WORD else _OTHER_BEFORE)
        state.then[key] = after, matched
        return after, matched

    def _closure(self, state: _State, char: str) -> tuple[set[int], bool]:
        reached: set[int] = set()
        seen: set[int] = set()
        matched = False
        waiting = list(state.places)
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            each = self.program[place]
            if each.kind == "char":
                reached.add(place)
            elif each.kind == "match":
                matched = True
            elif each.kind == "split":
                waiting += [place + each.first, place + each.second]
            elif each.kind == "jump":
                waiting.append(place + each.first)
            elif each.kind == "save" or self._holds(place, state.before, char):
                waiting.append(place + 1)
        return reached, matched

    def _holds(self, place: int, before: int, char: str) -> bool:
        each = self.program[place]
        if each.kind == "start":
            return before == _START
        if each.kind == "end":
            return char == _END
        left, right = before == _WORD_BEFORE, bool(char) and char in WORD
        return (left != right, right and not left, left and not right, left == right)[each.first]

    def _state(self, places: tuple[int, ...], before: int) -> _State:
        if len(self._states) > MOST_STATES:
            self._states.clear()
        key = (places, before)
        if key not in self._states:
            self._states[key] = _State(places, before)
        return self._states[key]

    def _spend(self, steps: int) -> None:
        self.steps_left -= steps
        if self.steps_left < 0:
            raise Failed("stopped: the pattern takes too long on this text", 2)


def _before(line: str, at: int) -> int:
    if at == 0:
        return _START
    return _WORD_BEFORE if line[at - 1] in WORD else _OTHER_BEFORE

"""The lesson as data: steps in files, prose with live numbers, goals and claims in one grammar."""

from paceline.lesson.clause import Clause, Verdict, judge_all
from paceline.lesson.loader import Lesson, Part, load_lesson
from paceline.lesson.predict import answer_of, predict
from paceline.lesson.prose import TONES, Paragraph, Piece, Prose
from paceline.lesson.step import TIERS, Goal, Question, Step, Title

__all__ = [
    "TIERS", "TONES", "Clause", "Goal", "Lesson", "Paragraph", "Part", "Piece", "Prose", "Question", "Step", "Title",
    "Verdict", "answer_of", "judge_all", "load_lesson", "predict",
]  # fmt: skip

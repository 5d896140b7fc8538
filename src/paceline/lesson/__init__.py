"""The lesson as data: steps in files, prose with live numbers, goals and claims in one grammar."""

from paceline.lesson.clause import Clause, Verdict, judge_all
from paceline.lesson.loader import Goal, Lesson, Predict, Step, load_lesson

__all__ = ["Clause", "Goal", "Lesson", "Predict", "Step", "Verdict", "judge_all", "load_lesson"]

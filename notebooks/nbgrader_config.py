"""For teachers: nbgrader runs in this folder as it is. `nbgrader generate_assignment course`.

The assignment is the folder itself, under its own name; `--notebook "05-*"` takes one chapter of
it. Stubs are what students get: there is no solution in a notebook that could be cleared.
"""

c = get_config()  # noqa: F821  # nbgrader defines it

c.CourseDirectory.source_directory = ".."
c.CourseDirectory.ignore = [  # what nbgrader writes here itself, and what students get otherwise
    ".ipynb_checkpoints",
    "__pycache__",
    "stubs",
    "release",
    "submitted",
    "autograded",
    "feedback",
    "gradebook.db",
    "grades.csv",
    "nbgrader_config.py",
]
c.ClearSolutions.enabled = False

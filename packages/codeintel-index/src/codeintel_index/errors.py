"""The errors of the index: few, typed, carrying data. The host of the index turns them into text for its users."""


class IndexFault(Exception):
    """Base of all errors raised on purpose by this package."""


class PathOutsideProject(IndexFault):
    """A path that leads out of the project root once links are resolved."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path!r} is outside the project")
        self.path = path


class NotAFile(IndexFault):
    """A path inside the project without a readable text file."""

    def __init__(self, path: str, why: str = "no such file") -> None:
        super().__init__(f"{path!r}: {why}")
        self.path = path
        self.why = why


class BadPattern(IndexFault):
    """A regular expression or glob that the engine refuses; `why` is the engine's word for it."""

    def __init__(self, pattern: str, why: str) -> None:
        super().__init__(f"{pattern!r}: {why}")
        self.pattern = pattern
        self.why = why


class BadArgument(IndexFault):
    """An argument outside of what a call takes; `name` is the argument's."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name = name
        self.why = why


class EmptyArgument(BadArgument):
    """An argument that is empty and has to say something."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "is empty")


class ArgumentsRefused(IndexFault):
    """Arguments that a tool does not take; `problems` says of each which and why."""

    def __init__(self, tool: str, problems: tuple[str, ...]) -> None:
        super().__init__(f"{tool} refuses its arguments: {'; '.join(problems)}")
        self.tool = tool
        self.problems = problems


class ToolTimeout(IndexFault):
    """A search that ran past its deadline."""

    def __init__(self, tool: str, seconds: float) -> None:
        super().__init__(f"{tool} took longer than {seconds:g} s")
        self.tool = tool
        self.seconds = seconds


class UnknownChunk(IndexFault):
    """A chunk id that the index does not hold (any more)."""

    def __init__(self, chunk_id: str) -> None:
        super().__init__(f"no chunk {chunk_id!r}")
        self.chunk_id = chunk_id


class BadConfig(IndexFault):
    """A configuration value that cannot be used. `key` is its path in the file, e.g. `chroma.port`.

    `place` is where it was given: file and line, or the environment variable; "" for a value given in code.
    """

    def __init__(self, key: str, why: str, place: str = "") -> None:
        self.problem = f"{key}: {why}" if key else why
        super().__init__(f"{place}: {self.problem}" if place else self.problem)
        self.key = key
        self.why = why
        self.place = place


class IndexBusy(IndexFault):
    """Another process holds the writer's lock of this index and did not release it in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"another process has been writing this index for more than {seconds:g} s")
        self.seconds = seconds


class IndexUnwritable(IndexFault):
    """The index cannot be written: disk full, folder read-only. `why` is the system's word for it."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the index cannot be written: {why}")
        self.why = why


class DenseUnavailable(IndexFault):
    """Vectors cannot take part in a search; the lexical half answers alone. `why` is meant for the user."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class BadQuestions(IndexFault):
    """A file of questions that cannot be used; `line` is 1-based, 0 if no line is to blame."""

    def __init__(self, name: str, line: int, why: str) -> None:
        super().__init__(f"{name}{f':{line}' if line else ''}: {why}")
        self.name = name
        self.line = line
        self.why = why


class NoHistory(IndexFault):
    """The project's history yields no questions."""

    def __init__(self, why: str) -> None:
        super().__init__(f"no questions can be made from the history: {why}")
        self.why = why

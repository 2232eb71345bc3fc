"""What is printed, as soon as it is known, and whether anything was not as it should be."""


class Report:
    def __init__(self) -> None:
        self.problems: list[str] = []

    def title(self, text: str) -> None:
        self._title = text
        self.add(f"\n## {text}\n")

    def add(self, text: str) -> None:
        print(text, flush=True)

    def problem(self, text: str) -> None:
        """Something failed or disagrees; times are never a problem."""
        self.problems.append(f"{self._title}: {text}")

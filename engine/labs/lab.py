"""What a lab is made of, as data: its inputs, its plan, its words. `state` turns it into numbers and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from typing import Any, NoReturn

from engine.catalogue import Fact
from engine.errors import FormulaError, InputError, nearest
from engine.formula import Formula
from engine.labs.inputs import NONE, Choice, Input, Number
from engine.labs.predictions import From, Prediction, check
from engine.labs.sentences import Fragment, Warning, fill
from engine.quantities import quantity
from engine.text import display
from engine.trace import Plan, plan


@dataclass(frozen=True)
class Table:
    """Quantities that choices bring along, looked up by the values of `inputs`.

    `gives` returns base values by glossary name, and raises InputError for a combination that may not be. `using`
    returns formula ids by quantity where a choice needs other formulas than the usual ones.
    """

    inputs: tuple[str, ...]
    gives: Callable[..., Mapping[str, float]]
    using: Callable[..., Mapping[str, str]] | None = None


@dataclass(frozen=True)
class Rule:
    """What must hold between inputs: where it does not, `input` is refused, and `allowed` says what it may be.

    `holds` is a body over inputs; `allowed` is a template with `{INPUT}` for shown inputs.
    """

    input: str
    holds: From
    allowed: str


@dataclass(frozen=True)
class Headline:
    """A number that stands large at the top."""

    name: str
    label: str
    meaning: str


@dataclass(frozen=True)
class Section:
    """Steps of the calculation that belong together, in reading order; some only stand for some choices.

    A folded section is closed at first.
    """

    title: str
    steps: tuple[str, ...]
    folded: bool = False


@dataclass(frozen=True)
class Preset:
    """A setting with a name; inputs that it does not name go to their defaults."""

    id: str
    label: str
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A column of a series: a quantity in a unit; `band` is a factor on the curve's `band_of` for this column."""

    quantity: str
    unit: str
    band: float = 1.0


@dataclass(frozen=True)
class Series:
    """Data of the figure: columns over the curve's grid or rows, at its ends, or at the current ("now") or pinned point.

    A pinned series is empty without a pinned setting; "pinned grid" is the whole curve of the pinned setting; "to now"
    has two points, nothing and the current value. `axis` and `grid` are the curve's unless a series has its own.
    """

    name: str
    over: str
    columns: Mapping[str, Column]
    axis: str = ""
    grid: tuple[float, ...] = ()


@dataclass(frozen=True)
class Simulation:
    """What a lab's simulator found for its inputs, for reports: data by key, lines under titles, warnings and limits."""

    data: Mapping[str, Any]
    chapters: tuple[tuple[str, tuple[str, ...]], ...]
    warnings: tuple[str, ...]
    limits: tuple[str, ...]


@dataclass(frozen=True)
class Curve:
    """What the figure and its table run over.

    Attributes
    ----------
    input : str
        The input on the horizontal axis, a number whose quantity has its name.
    grid, rows : tuple of float
        Its values for the curves, and for marks and the table.
    columns : tuple of str
        Quantities as columns of the table.
    marks : tuple of str
        Quantities that are places on the horizontal axis.
    band_of : str
        The quantity of which real machines reach a part only; series show the band.
    series : tuple of Series
        The figure's data.
    """

    input: str
    grid: tuple[float, ...]
    rows: tuple[float, ...]
    columns: tuple[str, ...]
    marks: tuple[str, ...]
    band_of: str
    series: tuple[Series, ...]


@dataclass(frozen=True)
class ShownFact:
    """A published fact beside the model's boundaries, looked up by the values of `inputs`, shown in the base unit `unit`."""

    id: str
    label: str
    unit: str
    inputs: tuple[str, ...]
    fact: Callable[..., Fact]

    def shown(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Its text, kind, source and date for these inputs."""
        found = self.fact(*(values[name] for name in self.inputs))
        words = display(found.base, self.unit)
        return {"text": words, "kind": found.kind, "source": found.source, "checked": str(found.checked)}


@dataclass(frozen=True, eq=False)
class Lab:
    """One lab. Names in `outputs`, `sections` and templates are names of the glossary or of inputs.

    `names` has those results whose name outside differs from the glossary's. `simulate` runs a lab's simulator, where it
    has one, for parsed inputs; nothing that formulas work out depends on it.
    """

    slug: str
    number: int
    title: str
    question: str
    lede: str
    description: str
    inputs: tuple[Input, ...]
    groups: tuple[str, ...]
    tables: tuple[Table, ...]
    outputs: tuple[str, ...]
    sections: tuple[Section, ...]
    headline: tuple[Headline, ...]
    presets: tuple[Preset, ...]
    curve: Curve
    summary: tuple[Fragment, ...]
    warnings: tuple[Warning, ...]
    predictions: tuple[Prediction, ...]
    inside: tuple[str, ...]
    outside: tuple[str, ...]
    facts: tuple[ShownFact, ...]
    rules: tuple[Rule, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    simulate: Callable[[Mapping[str, Any]], Simulation | None] | None = None

    def __post_init__(self) -> None:
        for prediction in self.predictions:
            check(prediction)
        for name in (*self.targets, *(name for section in self.sections for name in section.steps)):
            quantity(name)

    @property
    def targets(self) -> tuple[str, ...]:
        """The quantities that are wanted: outputs, headline, the table's columns and the figure's marks."""
        headline = (line.name for line in self.headline)
        return tuple(dict.fromkeys((*self.outputs, *headline, *self.curve.columns, *self.curve.marks)))

    @property
    def defaults(self) -> dict[str, Any]:
        """Every input at its default."""
        return {given.name: given.default for given in self.inputs}

    def input(self, name: str) -> Input:
        """The input of that name, or an error that names the nearest one."""
        for given in self.inputs:
            if given.name == name:
                return given
        names = [given.name for given in self.inputs]
        raise InputError(name, name, ", ".join(names), nearest(name, names), "there is no such input")

    def parse(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Every input: the given ones parsed, the others at their defaults.

        Raises
        ------
        InputError
            For an unknown input, a value outside its domain, or a combination that may not be.
        """
        values = self.defaults | {name: self.input(name).parse(value) for name, value in raw.items()}
        self.given(values)
        return values

    def given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Base values by glossary name, for parsed inputs."""
        result: dict[str, Any] = {}
        for table in self.tables:
            result |= table.gives(*(values[name] for name in table.inputs))
        for entry in self.inputs:
            if isinstance(entry, Number):
                result[entry.quantity] = entry.base(values[entry.name])
        for name in self.using(values):  # worked out by a formula instead of set
            result.pop(name, None)
        for rule in self.rules:
            if not rule.holds.value(values):
                self._refuse(rule, values)
        return {name: float(value) for name, value in result.items()}

    def _refuse(self, rule: Rule, values: Mapping[str, Any]) -> NoReturn:
        words = {entry.name: entry.show(values[entry.name]) for entry in self.inputs}
        raise InputError(rule.input, values[rule.input], fill(rule.allowed, words), self.input(rule.input).hint)

    def shown_name(self, name: str) -> str:
        """The name of a quantity among this lab's results, where the glossary needs a longer one."""
        return self.names.get(name, name)

    def using(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Formula ids by quantity, where the choices need other formulas than the usual ones."""
        result: dict[str, str] = {}
        for table in self.tables:
            if table.using:
                result |= table.using(*(values[name] for name in table.inputs))
        return result

    def plan(self, values: Mapping[str, Any]) -> Plan:
        """The plan for these inputs: everything that this lab shows, and what it needs."""
        return self._plan(frozenset(self.given(values)), frozenset(self.using(values).items()))

    @cache  # noqa: B019  labs live as long as the program
    def _plan(self, given: frozenset[str], using: frozenset[tuple[str, str]]) -> Plan:
        made = plan(self.targets, given, dict(using))
        unshown = {step.gives for step in made.formulas}.difference(*(section.steps for section in self.sections))
        if unshown:
            raise FormulaError(f"lab {self.slug}: {', '.join(sorted(unshown))} is worked out but in no section")
        return made

    @cached_property
    def rows(self) -> tuple[tuple[Section, tuple[Formula, ...]], ...]:
        """Every section with its formulas, those included that only some choices need."""
        plans = [self.plan(values) for values in self._variants()]
        used = {step.id: step for made in plans for step in made.formulas}
        return tuple(
            (section, tuple(formula for name in section.steps for formula in used.values() if formula.gives == name))
            for section in self.sections
        )

    def _variants(self) -> Iterator[dict[str, Any]]:
        """Settings among which every choice of formulas occurs: the defaults with each option of each choosing table."""
        yield self.defaults
        for table in self.tables:
            if table.using:
                for combination in product(*(self.options(name).values() for name in table.inputs)):
                    yield self.defaults | dict(zip(table.inputs, combination, strict=True))

    def options(self, name: str) -> dict[str, Any]:
        """What a table tells apart of an input, by key: a choice's options, or whether a number is none or set."""
        entry = self.input(name)
        if isinstance(entry, Choice):
            return {str(value): value for value, _ in entry.options}
        if not isinstance(entry, Number) or entry.none is None:
            raise FormulaError(f"lab {self.slug}: a table is looked up by {name}, which is no choice")
        return {NONE: NONE, "set": entry.stops[0]}

"""Flattens the page scripts under site/scripts into one script, for the site and for the Panel component.

The modules are written so that this is plain text work: named imports from siblings, named exports in front of
declarations, no name declared twice at the top of two modules. Whatever does not fit is refused with the file and line.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "site" / "scripts"

_IMPORT = re.compile(r"^import \{(?P<names>[^}]*)\} from '\./(?P<file>[\w-]+\.js)';$")
_DECLARATION = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) (?P<name>[A-Za-z_$][\w$]*)\b")
_TOP_LEVEL_VARIABLE = re.compile(r"^(?:export )?(?:const|let|var|class|function|async)\b")
_DYNAMIC = re.compile(r"\bimport\s*\(|\bimport\.meta\b")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


class ScriptError(ValueError):
    """A page script that cannot be flattened."""


@dataclass
class _Module:
    file: str
    imports: dict[str, list[str]] = field(default_factory=dict)
    declared: list[str] = field(default_factory=list)
    exported: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)


def _parse(folder: Path, file: str) -> _Module:
    path = folder / file
    if not path.is_file():
        raise ScriptError(f"{file}: there is no such script in {folder.name}")
    module = _Module(file)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{file}:{number}"
        if line.startswith("import"):
            _take_import(module, line, where)
        elif _DYNAMIC.search(line):
            raise ScriptError(f"{where}: import() and import.meta have no meaning in one script")
        elif line.count("`") % 2:
            raise ScriptError(f"{where}: a template over several lines could not be told from code")
        elif not line.strip() or line.lstrip().startswith("//"):
            continue
        else:
            _take_code(module, line, where)
    return module


def _take_import(module: _Module, line: str, where: str) -> None:
    found = _IMPORT.match(line)
    if found is None:
        raise ScriptError(f"{where}: only import {{names}} from './file.js'; on one line can be flattened")
    names = [name.strip() for name in found["names"].split(",")]
    for name in names:
        if not _NAME.fullmatch(name):
            raise ScriptError(f"{where}: {name!r} cannot be imported; a renamed import has no name in one script")
    module.imports.setdefault(found["file"], []).extend(names)


def _take_code(module: _Module, line: str, where: str) -> None:
    declaration = _DECLARATION.match(line)
    if declaration is not None:
        module.declared.append(declaration["name"])
    elif line.startswith("export") or _TOP_LEVEL_VARIABLE.match(line):
        raise ScriptError(f"{where}: only named functions, classes and single constants can stand at the top")
    if declaration is not None and line.startswith("export "):
        module.exported.add(declaration["name"])
        line = line.removeprefix("export ")
    module.lines.append(line)


def _in_order(folder: Path, entry: str) -> list[_Module]:
    """Every module that the entry needs, each after those it imports."""
    done: dict[str, _Module] = {}
    path: list[str] = []

    def visit(file: str) -> None:
        if file in done:
            return
        if file in path:
            raise ScriptError(f"the scripts import each other in a circle: {' -> '.join([*path, file])}")
        path.append(file)
        module = _parse(folder, file)
        for other, names in module.imports.items():
            visit(other)
            missing = [name for name in names if name not in done[other].exported]
            if missing:
                raise ScriptError(f"{file}: {other} does not export {', '.join(missing)}")
        path.pop()
        done[file] = module

    visit(entry)
    return list(done.values())


def _flatten(folder: Path, entry: str) -> tuple[str, set[str]]:
    """The code of the entry and all it needs, and the names that the entry exports."""
    modules = _in_order(folder, entry)
    owner: dict[str, str] = {}
    for module in modules:
        for name in module.declared:
            if name in owner:
                raise ScriptError(f"{module.file}: {name} is declared in {owner[name]} as well")
            owner[name] = module.file
    code = "\n".join("\n".join(module.lines) for module in modules)
    return code, modules[-1].exported


def bundle(entry: str = "lab-page.js", folder: Path = SCRIPTS) -> str:
    """One classic script that leaves no name behind. It runs where modules do not, as in a sandboxed frame."""
    code, _ = _flatten(folder, entry)
    return f"(() => {{\n'use strict';\n{code}\n}})();\n"


def bundle_module(entry: str = "panel.js", folder: Path = SCRIPTS) -> str:
    """One module that exports what its entry exports: `render`, for Panel's JSComponent."""
    code, exported = _flatten(folder, entry)
    return f"{code}\nexport {{{', '.join(sorted(exported))}}};\n"

"""Templates only use assets that exist: each class has a rule in a stylesheet, each icon is in the sprite."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from django.template import engines
from jinja2 import nodes

from studyplatform.kit.errors import REGISTRY
from tests.architecture.source import ROOT
from tests.assets_build import build_problem, built_icons, named_icons

TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*.html") if "django" not in path.parts)
DYNAMIC = "\0"  # stands for a part of a class that is only known when the page is rendered
# Classes without a rule, with the reason.
UNSTYLED = {"notice--info": "the colors of .notice itself"}


def styled_classes() -> set[str]:
    """Every class that some stylesheet, or the sheet in the head of the emails, has a rule for."""
    found: set[str] = set()
    for path in [*(ROOT / "assets" / "styles").rglob("*.css"), ROOT / "templates" / "emails" / "layout.html"]:
        text = re.sub(r"/\*.*?\*/|url\([^)]*\)|\"[^\"]*\"", " ", path.read_text(), flags=re.DOTALL)
        found.update(re.findall(r"\.([a-zA-Z_][\w-]*)", text))
    return found


def values(node: nodes.Expr) -> set[str]:
    """The texts that an expression can result in; DYNAMIC for parts that depend on data."""
    match node:
        case nodes.Const():
            return {str(node.value)}
        case nodes.CondExpr():
            return values(node.expr1) | (values(node.expr2) if node.expr2 else {""})
        case nodes.Or() | nodes.And():
            return values(node.left) | values(node.right)
        case nodes.Concat():
            return {"".join(parts) for parts in product(*map(values, node.nodes))}
        case nodes.Getitem(node=nodes.Dict(items=items)):
            return set().union(*(values(item.value) for item in items))
        case _:
            return {DYNAMIC}


def parse(source: str) -> nodes.Template:
    return engines["jinja"].env.parse(source)


def class_texts(path: Path) -> Iterator[str]:
    """The texts that class attributes, and arguments of macros that name classes, can have in a template."""
    source = path.read_text()
    for start in re.finditer(r"\bclass=\"", source):
        value = re.compile(r"(?:\{\{.*?\}\}|[^\"])*", re.DOTALL).match(source, start.end())
        assert value
        assert "{%" not in value.group(), f"{path.name}: write the class attribute with {{{{ … if … }}}}"
        parts: list[set[str]] = []
        for output in parse(value.group()).find_all(nodes.Output):
            parts += [{one.data} if isinstance(one, nodes.TemplateData) else values(one) for one in output.nodes]
        yield from map("".join, product(*parts))
    for call in parse(source).find_all(nodes.Call):
        named = [keyword.value for keyword in call.kwargs if keyword.key in {"class", "classes"}]
        if isinstance(call.node, nodes.Name) and call.node.name == "icon":
            named += call.args[1:]
        for argument in named:
            yield from values(argument)


def test_each_class_in_a_template_has_a_rule() -> None:
    styled = styled_classes()

    def exists(name: str) -> bool:
        if DYNAMIC not in name:
            return name in styled or name in UNSTYLED
        pattern = re.compile(re.escape(name).replace(DYNAMIC, r"[\w-]+"))
        return name == DYNAMIC or any(map(pattern.fullmatch, styled))

    used = {(path.name, name) for path in TEMPLATES for text in class_texts(path) for name in text.split()}

    assert len(used) > 1000
    unstyled = sorted(f"{file}: {name}" for file, name in used if not exists(name))
    assert not unstyled, "\n".join(unstyled)


def test_each_named_icon_is_in_the_sprite() -> None:
    from_the_catalog = {error.icon for error in REGISTRY.values()}

    assert len(named_icons()) > 80
    assert sorted((named_icons() | from_the_catalog) - built_icons()) == []


def test_missing_or_old_build_is_reported_in_one_sentence(tmp_path: Path) -> None:
    assert build_problem() == ""
    assert "npm run build" in build_problem(tmp_path)

    (tmp_path / "manifest.json").write_text('{"icons": {"svg": "icons.svg"}}')
    (tmp_path / "icons.svg").write_text('<svg><symbol id="bell"></symbol></svg>')

    problem = build_problem(tmp_path)
    assert "lacks 'admin', 'analytics', 'auth'" in problem
    assert "'site'" in problem
    assert "the icon check" in problem
    assert "the icon bell," not in problem

"""The files by which others depend on the project: they name the same version."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_changelog_and_the_citation_have_the_version():
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released[0] == VERSION
    assert f"version: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()


def test_links_of_the_changelog_and_templates_lead_to_files():
    for path in [ROOT / "CHANGELOG.md", *(ROOT / ".github").glob("*.md")]:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text()):
            assert (path.parent / link).exists(), (path, link)


def test_files_that_others_made_are_named_with_their_licence():
    page = (ROOT / "docs" / "third-party.md").read_text()
    made_by_others = {
        path
        for folder in ("arena", "bots", "engine", "templates", "docs")
        for pattern in ("*.woff*", "*.ttf", "*.otf", "*.min.js", "*.min.css")
        for path in (ROOT / folder).rglob(pattern)
    }
    assert made_by_others
    assert {path.name for path in made_by_others} == set(re.findall(r"`([\w.-]+\.(?:woff2|ttf|otf|min\.\w+))`", page))
    assert "SIL OPEN FONT LICENSE Version 1.1" in (ROOT / "arena/pages/static/fonts/OFL.txt").read_text()

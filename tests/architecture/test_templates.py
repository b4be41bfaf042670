"""Rules for all templates."""

from tests.architecture.source import ROOT

# These are not destructive: the same form undoes them.
HARMLESS = ("accounts:give-role", "site:admin-job-retry")


def test_confirmations_work_without_scripts() -> None:
    forms = [
        (path.name, form)
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for form in path.read_text().split("<form ")[1:]
    ]
    asking = [(name, inner) for name, form in forms if "data-confirm=" in (inner := form.split("</form>")[0])]

    assert len(asking) > 8
    found = [name for name, form in asking if "{{ sure(" not in form and not any(one in form for one in HARMLESS)]
    assert found == []

"""`make affected` runs what a change reaches: a page's own tests, what names its files, everything where nobody can
tell."""

from tests.affected import EVERY_PAGE, ROOT, affected, files_of_tests


def names(*changed: str) -> set[str]:
    return {str(path.relative_to(ROOT / "tests")) for path in affected({ROOT / name for name in changed})}


def test_a_page_reaches_its_own_tests_and_few_others():
    found = names("pages/cost/pipeline/claims.py")
    own = {
        "pages/cost/test_pipeline.py",
        "pages/cost/test_pipeline_claims.py",
        "browser/cost/test_pipeline.py",
        "ui/test_state.py",
    }
    assert own <= found and len(found) - len(EVERY_PAGE) < 10
    assert "pages/caches/test_kv_cache.py" not in found


def test_a_script_reaches_the_tests_that_name_it_and_the_pages_that_import_it():
    assert {"pages/cost/test_pipeline.py", "browser/cost/test_pipeline.py"} <= names("pages/cost/pipeline/moments.js")
    assert {"browser/cost/test_pipeline.py", "javascript/test_javascript.py"} <= names(
        "tlmviz/ui/components/canvas/axis.js"
    )


def test_the_library_reaches_what_is_built_on_it():
    found = names("tlmviz/kernels/sinkhorn.py")
    assert {"kernels/test_sinkhorn.py", "test_language_model.py", "pages/attention/test_explorer.py"} <= found
    assert "tests/figures/test_text.py" not in found
    assert names("tlmviz/analysis/cost/pipeline.py") >= {
        "analysis/cost/test_pipeline.py",
        "pages/cost/test_pipeline.py",
    }


def test_what_nobody_can_trace_reaches_everything_and_prose_what_reads_it():
    assert affected({ROOT / "requirements.txt"}) == affected({ROOT / "tests" / "conftest.py"}) == files_of_tests()
    assert names("README.md") and len(names("README.md")) < 10

"""What a run cost, by folder, and what needed a second try, said at its end."""

import contextlib
import os
from collections import Counter

import psutil
import pytest

BEGAN = pytest.StashKey[float]()
COST = "CPU seconds"


def _spent(item: pytest.Item) -> float:
    """CPU seconds of this process and of its children so far; in a browser's tests, of those that still run, too."""
    seconds = sum(os.times()[:4])
    if item.get_closest_marker("browser"):
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                seconds += sum(child.cpu_times()[:4])
    return seconds


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[BEGAN] = _spent(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "teardown":
        report.user_properties.append((COST, max(0.0, _spent(item) - item.stash[BEGAN])))
    return report


def _folder(report) -> str:
    parts = report.nodeid.split("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "tests"


def pytest_terminal_summary(terminalreporter, config):
    tell, stats = terminalreporter.write_line, terminalreporter.stats
    costs, tests = Counter(), Counter()
    for report in (each for reports in stats.values() for each in reports):
        for name, seconds in getattr(report, "user_properties", ()):
            if name == COST and report.when == "teardown":
                costs[_folder(report)] += seconds
                tests[_folder(report)] += 1
    if sum(costs.values()) > 60:
        terminalreporter.section(f"{sum(costs.values()) / 60:.1f} CPU minutes")
        for folder, seconds in costs.most_common():
            tell(f"{seconds / 60:6.1f}  {folder} ({tests[folder]} tests)")
    for report in stats.get("rerun", ()):
        tell(f"needed a second try: {report.nodeid}")
    if config.getoption("lf", False):
        red = {report.nodeid for kind in ("failed", "error") for report in stats.get(kind, ())}
        for report in (each for each in stats.get("passed", ()) if each.nodeid not in red):
            tell(f"failed beside others and passed alone, flaky: {report.nodeid}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    most = session.config.getoption("second_tries")
    tried = len(reporter.stats.get("rerun", ())) if reporter else 0
    if most is not None and tried > most and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

"""Pictures of real ledgers: what the daemon's own steps made of logs, gathered once more."""

import dataclasses
import itertools
import shutil

import msgspec
import pytest

from ctxd.ledger import Ledger
from ctxd.policy.report import TIMELINE_POINTS
from ctxd.report.course import way
from ctxd.report.gathering import choice, report, sessions_of, timeline
from ctxd.report.trace import fill
from ctxd.report.values import Timeline
from golden import CASES
from report_sessions import AGENT, LEFT, TOLD, WINDOW, LongSession, importer, ledger_of
from session_events import NOON

CWD = "/home/dev/shop-api"
REAL = (
    "claude-code/2.1.332/lifecycle",
    "claude-code/2.1.332/compact_auto",
    "claude-code/2.1.332/summarize_from",
    "copilot-cli/1.0.102/auto_compact_background",
    "copilot-cli/1.0.20/auto_compact",
    "copilot-vscode/operation-log/compactions_and_rewind",
    "kiro/v1-sqlite/webhook_retries",
    "kiro/v3/webhook_retries",
    "kiro/ide-0/webhook_retries",
)


@dataclasses.dataclass
class Known:
    """A ledger of one long session."""

    session: LongSession
    log: object
    ledger: object

    def timeline(self, **more) -> Timeline:
        with Ledger.reader(self.ledger) as reader:
            return timeline(reader, (AGENT, self.session.session), **more)

    def line(self, words: str, **more):
        [found] = [line for line in self.timeline(**more).lines if words in line.text]
        return found


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    folder = tmp_path_factory.mktemp("known")
    made = importer(CWD)
    log = made.write(folder)
    return Known(made, log, ledger_of(folder, log, told=TOLD))


def marks(line):
    return [(at.cut, at.mark) for at in line.at_cuts]


class TestWindow:
    def test_it_fills_as_the_responses_told(self, known):
        shown = known.timeline()
        assert shown.measured == "responses"
        assert WINDOW - 8_000 < max(map(fill, shown.points)) < WINDOW
        assert shown.points[-1].tokens == known.session.tokens
        positions = [point.position for point in shown.points]
        assert positions == sorted(positions)
        assert positions[-1] <= shown.length

    def test_each_compaction_is_a_cut_from_full_to_what_it_left(self, known):
        shown = known.timeline()
        assert [cut.number for cut in shown.cuts] == [1, 2, 3]
        assert [cut.trigger for cut in shown.cuts] == ["auto", "auto", "manual"]
        for cut in shown.cuts:
            assert cut.tokens_after == LEFT
            before, after = [p.tokens for p in shown.points if p.position == cut.position]
            assert (before, after) == (cut.tokens_before, LEFT)

    def test_where_the_log_is_gone_the_compactions_tell(self, known, tmp_path):
        folder = tmp_path / "copy"
        shutil.copytree(known.ledger.parent, folder)
        log = known.log.rename(tmp_path / "away.jsonl")
        try:
            shown = known.timeline()
        finally:
            log.rename(known.log)
        assert shown.measured == "compactions"
        assert [cut.tokens_after for cut in shown.cuts] == [LEFT] * 3
        assert shown.points[-1].tokens == known.session.tokens
        assert {line.text: marks(line) for line in shown.lines} == {
            line.text: marks(line) for line in known.timeline().lines
        }

    def test_a_log_that_takes_too_long_is_left_and_the_compactions_tell(self, known):
        shown = known.timeline(until=0.0)
        assert shown.measured == "compactions"
        assert len(shown.points) == 7
        assert [cut.judged for cut in shown.cuts] == [True] * 3

    def test_a_long_session_has_no_more_points_than_are_drawn(self, tmp_path):
        made = LongSession(CWD, "long")
        made.user("always use UTC")
        made.work(3 * TIMELINE_POINTS)
        made.compact("always use UTC")
        made.work(20)
        log = made.write(tmp_path)
        shown = Known(made, log, ledger_of(tmp_path, log)).timeline()
        assert TIMELINE_POINTS / 2 < len(shown.points) <= TIMELINE_POINTS + 2
        tokens = [point.tokens for point in shown.points]
        assert shown.cuts[0].tokens_before in tokens
        assert LEFT in tokens


class TestLines:
    def test_what_the_summaries_kept_survives_until_one_drops_it(self, known):
        assert marks(known.line("pandas"))[0] == (2, "survives")
        first = known.line("Amounts").at_cuts[0]
        assert (first.mark, first.where) == ("survives", "summary")
        assert "integer cents" in first.passage

    def test_what_was_told_again_is_reinjected_with_its_time(self, known):
        at = known.line("Retries").at_cuts[1]
        assert (at.cut, at.mark) == (2, "reinjected")
        assert at.answer in ("lost", "changed", "weakened")
        cut = known.timeline().cuts[1]
        assert (at.given - cut.time).total_seconds() == 2

    def test_what_was_lost_and_said_again_has_a_gap(self, known):
        line, shown = known.line("Amounts"), known.timeline()
        assert (2, "breaks") in marks(line)
        assert [part.state for part in way(line, shown).stretches] == ["held", "gone", "held"]
        gap = way(line, shown).stretches[1]
        assert gap.start == shown.cuts[1].position
        assert gap.end == line.stated[-1]

    def test_each_has_the_users_words_as_evidence(self, known):
        for line in known.timeline().lines:
            assert any(quoted.speaker == "user" and quoted.quote for quoted in line.evidence)
            assert line.stated

    def test_the_counts_of_a_cut_are_those_of_all_lines_also_without_room(self, known):
        whole, few = known.timeline(), known.timeline(most_lines=2)
        assert few.cuts == whole.cuts
        assert few.lines_left_out == len(whole.lines) - 2
        assert all(any(m == "breaks" for _, m in marks(line)) for line in few.lines)
        for cut in whole.cuts:
            found = [m for line in whole.lines for n, m in marks(line) if n == cut.number]
            assert found.count("survives") == cut.survives
            assert found.count("breaks") == cut.breaks

    def test_a_compaction_that_waits_to_be_judged_says_so(self, tmp_path, monkeypatch):
        monkeypatch.setattr("report_sessions.Retaining.step", lambda _self: False)
        made = importer(CWD)
        log = made.write(tmp_path)
        shown = Known(made, log, ledger_of(tmp_path, log)).timeline()
        assert [cut.judged for cut in shown.cuts] == [False] * 3
        line = next(line for line in shown.lines if "Retries" in line.text)
        assert [stop.mark for stop in way(line, shown).stops] == ["unknown"] * 3
        assert [part.state for part in way(line, shown).stretches] == ["held", "doubtful"]


class TestRealLogs:
    @pytest.mark.parametrize("name", REAL)
    def test_every_session_of_a_recorded_log_can_be_drawn(self, tmp_path, name):
        path = ledger_of(tmp_path, CASES / name / "log")
        with Ledger.reader(path) as reader:
            shown = [timeline(reader, (row.agent, row.id)) for row in reader.sessions()]
            cuts = sum(row.compactions for row in reader.sessions())
        assert shown
        assert sum(len(one.cuts) for one in shown) == cuts > 0
        for one in shown:
            assert all(0 < cut.position <= one.length for cut in one.cuts)
            assert all(0 < point.position <= one.length for point in one.points)
            for line in one.lines:
                parts = way(line, one).stretches
                joints = [(a.end, b.start) for a, b in itertools.pairwise(parts)]
                assert all(a == b for a, b in joints)
                assert parts[-1].end <= one.length


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    other = LongSession("/home/dev/other", "Other work", "other")
    other.user("never touch the migrations")
    other.agent("Understood.")
    idle = LongSession(CWD, "Only a question", "idle")
    idle.user("what does this do?")
    idle.agent("It adds up.")
    made = importer(CWD)
    return ledger_of(folder, *(one.write(folder) for one in (made, other, idle)), told=TOLD)


class TestReport:
    def test_it_is_of_one_repository(self, two):
        with Ledger.reader(two) as reader:
            made = report(reader, choice(reader, CWD), NOON)
            assert len(sessions_of(reader, CWD)) == 2
        assert [one.title for one in made.sessions] == [
            "Import invoices from the old billing system"
        ]
        assert made.sessions_left_out == 1
        assert not any("migrations" in listed.row.text for listed in made.items)

    def test_the_most_binding_items_lead(self, two):
        with Ledger.reader(two) as reader:
            items = report(reader, choice(reader, CWD), NOON).items
        kinds = [(listed.row.severity, listed.row.kind) for listed in items]
        assert kinds[0] == ("critical", "constraint")
        assert kinds[-1] == ("normal", "decision")
        assert any("through its REST API" in option for one in items for option in one.row.rejected)

    def test_a_repository_without_sessions_gives_an_empty_one(self, two):
        with Ledger.reader(two) as reader:
            made = report(reader, choice(reader, "/nowhere"), NOON)
        assert (made.sessions, made.items) == ((), ())

    def test_the_same_ledger_gives_the_same_values(self, two):
        with Ledger.reader(two) as reader:
            first, second = (
                msgspec.json.encode(report(reader, choice(reader, CWD), NOON)) for _ in "12"
            )
        assert first == second

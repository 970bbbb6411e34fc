"""What every parser promises, whatever its vendor. One class, inherited once a parser."""

import random
from itertools import pairwise

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxd_parsers.events import AnyEvent, Event, Unparsed
from ctxd_parsers.framing import Framer
from ctxd_parsers.parser import Parser, Record, Storage
from ctxd_parsers.reading import Transcript, read_companions, read_records
from golden import cases, lines, transcripts

MAX_STATE_BYTES = 200_000
INHERITED = [HealthCheck.differing_executors]  # one class a parser runs each of these tests


class ParserContract:
    """Inherit as `class TestX(ParserContract): parser = X()`; it needs at least one case."""

    parser: Parser

    @pytest.fixture(scope="class")
    @classmethod
    def samples(cls) -> list[Transcript]:
        found = [
            t for case in cases() for t in transcripts(case) if t.parser.name == cls.parser.name
        ]
        assert found, f"no case has a transcript of {cls.parser.name}"
        return found

    def state(self, transcript: Transcript) -> msgspec.Struct:
        companions = read_companions(self.parser, transcript.path)
        return self.parser.begin(transcript.path, companions)

    def events(self, transcript: Transcript, records: list[Record]) -> list[Event]:
        return list(self.parser.parse(records, self.state(transcript)))

    def test_however_records_are_cut_into_calls_the_events_are_the_same(self, samples):
        for sample in samples:
            records = list(read_records(sample))
            whole = self.events(sample, records)
            state, one_by_one = self.state(sample), []
            for record in records:
                one_by_one += self.parser.parse([record], state)
            assert one_by_one == whole

    def test_a_stored_state_goes_on_as_if_it_had_never_been_stored(self, samples):
        for sample in samples:
            records = list(read_records(sample))
            cut = len(records) // 2
            state = self.state(sample)
            first = list(self.parser.parse(records[:cut], state))
            stored = msgspec.msgpack.encode(state)
            restored = msgspec.msgpack.decode(stored, type=self.parser.state_type)
            assert first + list(self.parser.parse(records[cut:], restored)) == self.events(
                sample, records
            )
            assert len(stored) < MAX_STATE_BYTES

    def test_however_bytes_are_chunked_the_events_are_the_same(self, samples):
        chance = random.Random(1)
        for sample in samples:
            if sample.storage is not Storage.LINES:
                continue
            data = sample.path.read_bytes()
            whole = self.events(sample, list(Framer().feed(data)))
            cuts = [0, *sorted(chance.sample(range(len(data)), min(50, len(data)))), len(data)]
            framer, state, pieces = Framer(), self.state(sample), []
            for start, end in pairwise(cuts):
                pieces += self.parser.parse(framer.feed(data[start:end]), state)
            assert pieces == whole

    def test_every_prefix_parses_to_the_beginning_of_the_whole(self, samples):
        for sample in samples:
            records = list(read_records(sample))
            whole = self.events(sample, records)
            step = max(1, len(records) // 20)
            for count in range(0, len(records), step):
                prefix = self.events(sample, records[:count])
                assert prefix == whole[: len(prefix)]

    def test_ids_are_unique_within_a_transcript_but_for_repeated_records(self, samples):
        for sample in samples:
            by_id: dict[str, Event] = {}
            for event in self.events(sample, list(read_records(sample))):
                earlier = by_id.setdefault(event.id, event)
                assert type(earlier) is type(event), f"{event.id} names two different events"

    def test_a_transcript_read_twice_gives_the_same_events(self, samples):
        for sample in samples:
            records = list(read_records(sample))
            assert self.events(sample, records) == self.events(sample, records)

    def test_every_event_survives_its_serialised_form(self, samples):
        for sample in samples:
            for event in self.events(sample, list(read_records(sample))):
                assert msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent) == event

    def test_spans_point_at_the_records_they_name(self, samples):
        for sample in samples:
            size = sample.path.stat().st_size
            for event in self.events(sample, list(read_records(sample))):
                if event.span:
                    assert 0 <= event.span[0] < event.span[1] <= size

    def test_events_carry_the_agent_and_a_session(self, samples):
        for sample in samples:
            for event in self.events(sample, list(read_records(sample))):
                assert event.agent == self.parser.agent
                assert event.session
                assert event.id

    @settings(max_examples=60, deadline=None, suppress_health_check=INHERITED)
    @given(data=st.binary(max_size=400))
    def test_random_bytes_become_damage_and_never_raise(self, samples, data):
        sample = samples[0]
        list(self.events(sample, [Record(data, 0, len(data))]))

    @settings(max_examples=150, deadline=None, suppress_health_check=INHERITED)
    @given(seed=st.integers(0, 2**32))
    def test_a_record_with_any_part_replaced_never_raises(self, samples, seed):
        chance = random.Random(seed)
        sample = chance.choice(samples)
        records = list(read_records(sample))
        record = chance.choice(records)
        try:
            value = msgspec.json.decode(record.data)
        except msgspec.DecodeError:
            return
        spoil(value, chance)
        spoiled = Record(msgspec.json.encode(value), record.start, record.end, record.key)
        index = records.index(record)
        state = self.state(sample)
        list(self.parser.parse([*records[:index], spoiled, *records[index + 1 :]], state))
        msgspec.msgpack.encode(state)

    def test_a_record_over_the_limit_is_counted(self, samples):
        for sample in samples:
            events = self.events(
                sample, [Record(b"", 0, 99, damage="longer than the record limit")]
            )
            assert [type(event) for event in events][-1:] == [Unparsed]

    def test_records_are_not_changed(self, samples):
        for sample in samples:
            records = list(read_records(sample))
            copy = list(records)
            lines(iter(self.events(sample, records)))
            assert records == copy

    def test_its_sources_are_declared_for_every_system(self):
        from pathlib import PurePosixPath, PureWindowsPath

        from ctxd_parsers.environment import Environment

        for system, home in (
            ("linux", PurePosixPath("/home/dev")),
            ("macos", PurePosixPath("/Users/dev")),
            ("windows", PureWindowsPath("C:/Users/dev")),
        ):
            sources = self.parser.sources(Environment(system, home))
            assert sources
            for source in sources:
                assert source.root.is_absolute()
                assert source.patterns
                assert not any("**" in pattern for pattern in source.patterns)


JUNK = [None, True, -1, 1e308, 10**18, 10**30, "", "x", [], {}, [None], {"type": 1}, [[]], "\u0000"]


def spoil(value: object, chance: random.Random) -> None:
    """Replace one part somewhere inside a decoded record by something of another type."""
    places = []

    def walk(node: object) -> None:
        pairs = (
            node.items()
            if isinstance(node, dict)
            else enumerate(node)
            if isinstance(node, list)
            else ()
        )
        for key, child in pairs:
            places.append((node, key))
            walk(child)

    walk(value)
    if places:
        node, key = chance.choice(places)
        node[key] = chance.choice(JUNK)

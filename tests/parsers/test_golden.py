"""Every log that was ever seen gives exactly the events that were checked once."""

import pytest

from golden import case_name, cases, golden_form, golden_path, transcripts


@pytest.mark.parametrize("case", cases(), ids=case_name)
def test_a_log_gives_its_golden_events(case, regen):
    """Each transcript of a case yields its golden file, byte for byte."""
    found = transcripts(case)
    assert found, "no parser claims anything in this case"
    for transcript in found:
        golden = golden_path(case, transcript)
        actual = golden_form(transcript)
        if (regen and not golden.exists()) or regen == "force":
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_text(actual, encoding="utf-8")
        assert golden.exists(), f"no golden file {golden}; `pytest --regen` writes it"
        assert actual == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", cases(), ids=case_name)
def test_every_golden_file_belongs_to_a_transcript(case):
    """A golden file whose transcript is no longer claimed is a lost transcript, not litter."""
    expected = {golden_path(case, transcript) for transcript in transcripts(case)}
    assert set((case / "events").rglob("*.events")) == expected


@pytest.mark.parametrize("case", cases(), ids=case_name)
def test_every_case_says_where_it_comes_from(case):
    assert len((case / "PROVENANCE").read_text(encoding="utf-8").splitlines()) == 1
